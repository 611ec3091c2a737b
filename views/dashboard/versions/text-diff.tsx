/** @jsxImportSource @kitajs/html */

import { type ChangeObject, diffArrays } from 'diff'
import { Each } from '../../parts/each.tsx'

/** Beyond this many added and removed words, marking single words no longer helps. */
const MAX_EDITS = 300
/** If a smaller share of a text is unchanged, the whole text is shown before and after. */
const KEPT = 0.3

/**
 * What comparing the texts of one difference may still cost, in squared edits: at first some fifteen milliseconds. A page may
 * have hundreds of texts, and one that is all the same words in another order takes seven.
 */
export interface Effort {
  left: number
}

/** The effort for a new difference; texts compared once it is used up are shown whole. */
export function newEffort(): Effort {
  return { left: 200_000 }
}

const words = new Intl.Segmenter('en', { granularity: 'word' })

/** The old and new text, with added and removed words marked. */
export function TextDiff({ from, to, effort }: { from: string; to: string; effort: Effort }): JSX.Element {
  return (
    <span class="text" dir="auto">
      <Each
        of={pieces(from, to, effort)}
        show={({ kind, text }) =>
          kind === 'kept' ? (
            <span safe>{text}</span>
          ) : kind === 'added' ? (
            <ins safe>{text}</ins>
          ) : (
            <del safe>{text}</del>
          )
        }
      />
    </span>
  )
}

interface Piece {
  kind: 'kept' | 'added' | 'removed'
  text: string
}

function pieces(from: string, to: string, effort: Effort): Piece[] {
  const [before, after] = [tokens(from), tokens(to)]
  const length = Math.max(from.length, to.length)
  const changes = isHopeless(before, after, length) ? [] : compared(before, after, effort)
  const found = changes.map(
    ({ added, removed, value }): Piece => ({
      kind: added ? 'added' : removed ? 'removed' : 'kept',
      text: value.join(''),
    }),
  )
  const kept = found.reduce((length, { kind, text }) => length + (kind === 'kept' ? text.length : 0), 0)
  if (kept > 0 && kept >= KEPT * length) return found
  const whole: Piece[] = [
    { kind: 'removed', text: from },
    { kind: 'added', text: to },
  ]
  return whole.filter(({ text }) => text !== '')
}

function compared(before: string[], after: string[], effort: Effort): ChangeObject<string[]>[] {
  const maxEditLength = Math.min(MAX_EDITS, Math.floor(Math.sqrt(effort.left)))
  const changes = diffArrays(before, after, { maxEditLength })
  const edits = changes?.reduce((sum, { added, removed, count }) => sum + (added || removed ? count : 0), 0)
  effort.left -= (edits ?? maxEditLength) ** 2
  return changes ?? []
}

/**
 * Whether too little can be unchanged, whatever the order of the words: finding the changes takes milliseconds, and a page
 * may have hundreds of texts.
 */
function isHopeless(before: readonly string[], after: readonly string[], length: number): boolean {
  const left = new Map<string, number>()
  for (const word of before) left.set(word, (left.get(word) ?? 0) + 1)
  let [kept, characters] = [0, 0]
  for (const word of after) {
    const count = left.get(word) ?? 0
    if (count === 0) continue
    left.set(word, count - 1)
    kept += 1
    characters += word.length
  }
  const isTooLittle = characters < KEPT * length
  return isTooLittle || before.length + after.length - 2 * kept > MAX_EDITS
}

/** Words with their trailing space; never splits a grapheme. */
function tokens(text: string): string[] {
  const found: string[] = []
  for (const { segment } of words.segment(text)) {
    if (segment.trim() === '' && found.length > 0) found.push(found.pop() + segment)
    else found.push(segment)
  }
  return found
}
