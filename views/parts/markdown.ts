import { escapeHtml } from '@kitajs/html'
import { STRESSED } from '../../src/core/emphasis.ts'

// User text in Markdown.

/** The non-empty lines of a text, escaped so that each stays a line of text. */
export function lines(text: string): string[] {
  return text
    .split('\n')
    .map(inline)
    .filter((line) => line !== '')
}

const STARS = { plain: '', em: '*', strong: '**', both: '***' } as const satisfies Record<Piece['as'], string>

/**
 * The same for a text with emphasis.
 * @param fill replaces placeholders by values, which add no emphasis.
 */
export function stressedLines(text: string, fill: (text: string) => string): string[] {
  return text
    .split('\n')
    .map((line) =>
      notAtStart(
        piecesIn(line.trim())
          .map(({ text, as }) => STARS[as] + escaped(fill(text)) + STARS[as])
          .join(''),
      ),
    )
    .filter((line) => line !== '')
}

/** A text of one line, escaped so that no reader finds Markdown, HTML or an address to link in it. */
export function inline(text: string): string {
  return notAtStart(escaped(text.trim()))
}

function escaped(text: string): string {
  return (
    text
      .replace(/[\\`*_~[\]<|@]|!(?=\[)|:(?=\/\/)|(?<=\bwww)\./gi, '\\$&')
      // Only these ampersands begin a character reference.
      .replace(/&(?=#|\w+;)/g, '\\&')
  )
}

/** Escapes the characters that begin a heading, list, quote, rule or table at the start of a line. */
function notAtStart(line: string): string {
  return line.replace(/^(?:[#+>=:-]|\d+(?=[.)]))/, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`))
}

/** A piece of a text with its emphasis. */
export interface Piece {
  text: string
  as: 'plain' | 'em' | 'strong' | 'both'
}

const KINDS = ['plain', 'em', 'strong', 'both'] as const

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
