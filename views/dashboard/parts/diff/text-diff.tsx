/** @jsxImportSource @kitajs/html */

import { escapeHtml, type PropsWithChildren } from '@kitajs/html'
import { type ChangeObject, diffArrays } from 'diff'
import type { Entry } from '../../../../src/bundles/content/diff.ts'
import { ordinal } from '../../../../src/core/words.ts'
import type { SiteIcon } from '../../../../src/icons/site.ts'
import { Stress } from '../../../parts/emphasis.tsx'
import { Each } from '../../../parts/layout.tsx'
import { piecesIn } from '../../../parts/markdown.ts'
import { Tile } from '../../../parts/tile.tsx'

/** With more added and removed words than this, marking single words no longer helps. */
const MAX_EDITS = 300
/** If a smaller share of a text is unchanged, the whole text is shown before and after. */
const KEPT = 0.3

/**
 * The remaining budget for comparing the texts of one difference, in squared edits: initially about fifteen milliseconds. A page
 * can have hundreds of texts, and a text with the same words in another order takes seven.
 */
export interface Effort {
  left: number
}

/** The effort for a new difference; once it is used up, texts are shown whole. */
export function newEffort(): Effort {
  return { left: 200_000 }
}

const words = new Intl.Segmenter('en', { granularity: 'word' })

interface TextDiffProps {
  from: string
  to: string
  effort: Effort
  /** Whether asterisks in it emphasise words, as in descriptions and notes; words with another emphasis are changed. */
  isStressed?: boolean
}

/** The old and new text, with added and removed words marked. */
export function TextDiff({ from, to, effort, isStressed = false }: TextDiffProps): JSX.Element {
  const [before, after] = isStressed ? [stressedTokens(from), stressedTokens(to)] : [tokens(from), tokens(to)]
  return (
    <span class="text" dir="auto">
      <Each
        of={pieces(before, after, effort)}
        show={({ kind, tokens }) => {
          const text = <Each of={runsOf(tokens)} show={({ as, text }) => <Stress as={as}>{escapeHtml(text)}</Stress>} />
          return kind === 'kept' ? <span>{text}</span> : kind === 'added' ? <ins>{text}</ins> : <del>{text}</del>
        }}
      />
    </span>
  )
}

// A word with its emphasis is one token, and begins with the sign of it: no text has control characters.

const SIGNS_OF = { plain: '', em: '\u0001', strong: '\u0002', both: '\u0003' } as const
type Emphasised = keyof typeof SIGNS_OF
const EMPHASES = Object.keys(SIGNS_OF) as Emphasised[]

function stressedTokens(text: string): string[] {
  return piecesIn(text).flatMap(({ text, as }) => tokens(text).map((token) => SIGNS_OF[as] + token))
}

/** The texts of tokens, joined where their emphasis is the same. */
function runsOf(tokens: readonly string[]): { as: Emphasised; text: string }[] {
  const runs: { as: Emphasised; text: string }[] = []
  for (const token of tokens) {
    const as = EMPHASES.find((one) => one !== 'plain' && token.startsWith(SIGNS_OF[one])) ?? 'plain'
    const text = as === 'plain' ? token : token.slice(1)
    const last = runs.at(-1)
    if (last?.as === as) last.text += text
    else runs.push({ as, text })
  }
  return runs
}

interface Piece {
  kind: 'kept' | 'added' | 'removed'
  tokens: string[]
}

const lengthOf = (tokens: readonly string[]) => tokens.reduce((sum, { length }) => sum + length, 0)

function pieces(before: string[], after: string[], effort: Effort): Piece[] {
  const length = Math.max(lengthOf(before), lengthOf(after))
  const changes = isHopeless(before, after, length) ? [] : compared(before, after, effort)
  const found = changes.map(
    ({ added, removed, value }): Piece => ({
      kind: added ? 'added' : removed ? 'removed' : 'kept',
      tokens: value,
    }),
  )
  const kept = found.reduce((length, { kind, tokens }) => length + (kind === 'kept' ? lengthOf(tokens) : 0), 0)
  if (kept > 0 && kept >= KEPT * length) return found
  const whole: Piece[] = [
    { kind: 'removed', tokens: before },
    { kind: 'added', tokens: after },
  ]
  return whole.filter(({ tokens }) => tokens.length > 0)
}

function compared(before: string[], after: string[], effort: Effort): ChangeObject<string[]>[] {
  const maxEditLength = Math.min(MAX_EDITS, Math.floor(Math.sqrt(effort.left)))
  const changes = diffArrays(before, after, { maxEditLength })
  const edits = changes?.reduce((sum, { added, removed, count }) => sum + (added || removed ? count : 0), 0)
  effort.left -= (edits ?? maxEditLength) ** 2
  return changes ?? []
}

/**
 * Whether too few words can be unchanged in any order: finding the changes takes milliseconds, and a page can have hundreds of
 * texts.
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

/** Words with their trailing space; graphemes are never split. */
function tokens(text: string): string[] {
  const found: string[] = []
  for (const { segment } of words.segment(text)) {
    if (segment.trim() === '' && found.length > 0) found.push(found.pop() + segment)
    else found.push(segment)
  }
  return found
}

const SIGNS = {
  added: { sign: '+', word: 'Added' },
  removed: { sign: '−', word: 'Removed' },
  changed: { sign: '~', word: 'Changed' },
  moved: { sign: '↕', word: 'Moved' },
} as const

type DiffEntryProps = PropsWithChildren<{
  entry: Entry<unknown>
  /** The URL of a link. */
  url?: string
  icon?: SiteIcon | undefined
}>

/** An entry of a list, marked as added, removed, changed or moved by a sign and a word, with its number. */
export function DiffEntry({ entry, url, icon, children }: DiffEntryProps): JSX.Element {
  const kind = entry.kind !== 'kept' ? entry.kind : Object.keys(entry.changes).length > 0 ? 'changed' : 'moved'
  const { sign, word } = SIGNS[kind]
  return (
    <li class={kind}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      {url !== undefined && <Tile url={url} icon={icon} />}
      <div class="placed">
        <div class="entry">{children}</div>
        <span class="place hint">
          <span class="visually-hidden" safe>{`${word}, `}</span>
          {escapeHtml(place(entry))}
        </span>
      </div>
    </li>
  )
}

function place(entry: Entry<unknown>): string {
  if (entry.kind === 'removed') return `was ${ordinal(entry.from + 1)}`
  const now = ordinal(entry.to + 1)
  return entry.kind === 'kept' && entry.isMoved ? `${now}, was ${ordinal(entry.from + 1)}` : now
}
