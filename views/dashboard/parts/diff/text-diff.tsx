/** @jsxImportSource @kitajs/html */

import { escapeHtml, type PropsWithChildren } from '@kitajs/html'
import { type ChangeObject, diffArrays } from 'diff'
import type { Entry } from '../../../../src/bundles/content/diff.ts'
import { ordinal } from '../../../../src/core/words.ts'
import type { SiteIcon } from '../../../../src/icons/site.ts'
import { Each } from '../../../parts/layout.tsx'
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
