/** @jsxImportSource @kitajs/html */

import { diffArrays } from 'diff'

/** Beyond this many added and removed words, marking single words no longer helps. */
const MAX_EDITS = 300
/** If a smaller share of a text is unchanged, the whole text is shown before and after. */
const KEPT = 0.3

const words = new Intl.Segmenter('en', { granularity: 'word' })

/** The old and new text, with added and removed words marked. */
export function TextDiff({ from, to }: { from: string; to: string }): JSX.Element {
  return (
    <span class="text" dir="auto">
      {
        pieces(from, to).map(({ kind, text }) =>
          kind === 'kept' ? (
            <span safe>{text}</span>
          ) : kind === 'added' ? (
            <ins safe>{text}</ins>
          ) : (
            <del safe>{text}</del>
          ),
        ) as 'safe'[]
      }
    </span>
  )
}

interface Piece {
  kind: 'kept' | 'added' | 'removed'
  text: string
}

function pieces(from: string, to: string): Piece[] {
  const changes = diffArrays(tokens(from), tokens(to), { maxEditLength: MAX_EDITS }) ?? []
  const found = changes.map(
    ({ added, removed, value }): Piece => ({
      kind: added ? 'added' : removed ? 'removed' : 'kept',
      text: value.join(''),
    }),
  )
  const kept = found.reduce((length, { kind, text }) => length + (kind === 'kept' ? text.length : 0), 0)
  if (kept > 0 && kept >= KEPT * Math.max(from.length, to.length)) return found
  const whole: Piece[] = [
    { kind: 'removed', text: from },
    { kind: 'added', text: to },
  ]
  return whole.filter(({ text }) => text !== '')
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
