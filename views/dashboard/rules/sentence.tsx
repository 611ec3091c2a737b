/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import type { Condition } from '../../../db/policy.ts'
import type { Variable } from '../../../db/schema.ts'
import { leavesOf } from '../../../src/policies/draft/conditions.ts'
import { type DraftRule, toOpenRule } from '../../../src/policies/draft/draft.ts'
import { Each } from '../../parts/each.tsx'
import { attribute } from '../../parts/layout.tsx'
import { phrasesOf, summaryOf } from './words.ts'

interface SentenceProps {
  rule: DraftRule
  at: number
  when: Condition
  variables: readonly Variable[]
}

/** What a closed rule asks, as a sentence whose words open their controls. */
export function Sentence({ rule, at, when, variables }: SentenceProps): JSX.Element {
  return (
    <p class="summary" dir="auto">
      <Each
        of={piecesOf(rule, when, variables)}
        show={({ text, path, tail }) =>
          path === null ? (
            <span safe>{text}</span>
          ) : (
            <button type="submit" class="word" name="do" value={attribute(`rule.open ${at} ${path}`)}>
              <span safe>{text}</span>
              {tail === '' ? '' : <i aria-hidden="true">{escapeHtml(tail)}</i>}
            </button>
          )
        }
      />
    </p>
  )
}

interface Piece {
  text: string
  /** The place of its condition; null between them. */
  path: string | null
  /** What no line begins with: a comma, a bracket. It stands in the button, which is a block once it has two lines. */
  tail: string
}

function piecesOf(rule: DraftRule, when: Condition, variables: readonly Variable[]): Piece[] {
  const sentence = summaryOf(when, variables)
  const phrases = phrasesOf(when, variables)
  const leaves = leavesOf(toOpenRule(rule).when, ['when'])
  if (leaves.length !== phrases.length) return [{ text: sentence, path: null, tail: '' }]
  // Its first letter is a capital one.
  const plain = (phrases[0]?.[0] ?? '') + sentence.slice(1)
  const pieces: Piece[] = []
  let end = 0
  for (const [index, phrase] of phrases.entries()) {
    const start = plain.indexOf(phrase, end)
    // A long sentence leaves some out.
    if (start === -1) continue
    if (start > end) pieces.push({ text: sentence.slice(end, start), path: null, tail: '' })
    end = start + phrase.length
    const [tail = ''] = /^[,)]*/.exec(plain.slice(end)) ?? []
    pieces.push({ text: sentence.slice(start, end), path: leaves[index]?.[1].join('.') ?? null, tail })
    end += tail.length
  }
  return end < sentence.length ? [...pieces, { text: sentence.slice(end), path: null, tail: '' }] : pieces
}
