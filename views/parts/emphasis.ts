import { escapeHtml } from '@kitajs/html'

/** A piece of a text, and how it is stressed. */
export interface Piece {
  text: string
  as: 'plain' | 'em' | 'strong' | 'both'
}

const KINDS = ['plain', 'em', 'strong', 'both'] as const

/**
 * Words between asterisks, within one line and not within a word: `2*3*4` and `* item` are text. Nothing nests, so that the time
 * grows with the length alone.
 */
const STRESSED = /(?<![\p{L}\p{N}*\\/])(\*{1,3})(?=[^\s*])([^*\n]*[^\s*])\1(?![\p{L}\p{N}*])/gu

/** What descriptions and notes have of Markdown: `*italic*`, `**bold**` and `***both***`. */
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

/** The text without its marks, where nothing can be stressed. */
export function unstressed(text: string): string {
  return piecesIn(text)
    .map((piece) => piece.text)
    .join('')
}

/** The text as HTML for other programs, escaped. */
export function stressedHtml(text: string): string {
  return piecesIn(text)
    .map(({ text, as }) => {
      const html = escapeHtml(text).replaceAll('\n', '<br>')
      if (as === 'plain') return html
      return as === 'both' ? `<strong><em>${html}</em></strong>` : `<${as}>${html}</${as}>`
    })
    .join('')
}
