// The emphasis in descriptions and notes.

/** A piece of a text with its emphasis. */
export interface Piece {
  text: string
  as: 'plain' | 'em' | 'strong' | 'both'
}

const KINDS = ['plain', 'em', 'strong', 'both'] as const

/**
 * Words between asterisks, within one line and not inside a word: `2*3*4` and `* item` are plain text. Emphasis does not nest,
 * which keeps the time linear.
 */
const STRESSED = /(?<![\p{L}\p{N}*\\/])(\*{1,3})(?=[^\s*])([^*\n]*[^\s*])\1(?![\p{L}\p{N}*])/gu

/** Splits a text by the only Markdown in descriptions and notes: `*italic*`, `**bold**` and `***both***`. */
export function piecesIn(text: string): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const { 0: whole, 1: marks = '', 2: inner = '', index } of text.matchAll(STRESSED)) {
    if (index > from) pieces.push({ text: text.slice(from, index), as: 'plain' })
    pieces.push({ text: inner, as: KINDS[marks.length] ?? 'plain' })
    from = index + whole.length
  }
  if (from < text.length) pieces.push({ text: text.slice(from), as: 'plain' })
  return pieces
}

/** The text without its asterisks, for places without emphasis. */
export function unstressed(text: string): string {
  return piecesIn(text)
    .map((piece) => piece.text)
    .join('')
}
