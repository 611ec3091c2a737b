/** Measures a text. */
type Measure = (text: string) => number

const words = new Intl.Segmenter('en', { granularity: 'word' })
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const lettersOf = (text: string) => Array.from(graphemes.segment(text), ({ segment }) => segment)

/** A part of a text before which a line may end. */
interface Piece {
  text: string
  /** Whether a space stands before it. */
  isApart: boolean
}

/**
 * A text in lines.
 * @param room the width of a line.
 * @param most the most lines; a cut text ends with an ellipsis.
 */
export function wrapped(
  text: string,
  { room, most, widthOf }: { room: number; most: number; widthOf: Measure },
): { lines: string[]; isWhole: boolean } {
  const lines: string[] = []
  let line = ''
  for (const { text: part, isApart } of piecesOf(text, room, widthOf)) {
    const longer = line === '' ? part : `${line}${isApart ? ' ' : ''}${part}`
    if (widthOf(longer) <= room) line = longer
    else {
      lines.push(line)
      if (lines.length > most) break
      line = part
    }
  }
  if (line !== '') lines.push(line)
  if (lines.length <= most) return { lines, isWhole: true }
  const last = lettersOf(lines[most - 1] ?? '')
  while (last.length > 0 && widthOf(`${last.join('')}…`) > room) last.pop()
  return { lines: [...lines.slice(0, most - 1), `${last.join('').trimEnd()}…`], isWhole: false }
}

/** Scripts that put no spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]/u

function piecesOf(text: string, room: number, widthOf: Measure): Piece[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .flatMap((word) => {
      const parts = UNSPACED.test(word) || widthOf(word) > room ? wordsIn(word) : [word]
      const fitting = parts.flatMap((part) => (widthOf(part) > room ? cut(part, room, widthOf) : [part]))
      return fitting.map((part, at) => ({ text: part, isApart: at === 0 }))
    })
}

/** The words of a text without spaces; no line begins with what closes, nor ends with what opens. */
function wordsIn(text: string): string[] {
  const found: string[] = []
  let opening = ''
  for (const { segment } of words.segment(text)) {
    const last = found.at(-1)
    if (/^[\p{Ps}\p{Pi}]/u.test(segment)) opening += segment
    else if (last !== undefined && opening === '' && /^[\p{P}\p{M}ー]/u.test(segment))
      found[found.length - 1] = last + segment
    else {
      found.push(opening + segment)
      opening = ''
    }
  }
  return opening === '' ? found : [...found, opening]
}

function cut(word: string, room: number, widthOf: Measure): string[] {
  const parts: string[] = []
  let part = ''
  for (const letter of lettersOf(word)) {
    if (part !== '' && widthOf(part + letter) > room) {
      parts.push(part)
      part = ''
    }
    part += letter
  }
  return part === '' ? parts : [...parts, part]
}
