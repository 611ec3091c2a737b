import { type Piece, piecesIn } from './emphasis.ts'

// Text that a user wrote, for Markdown.

/** A text of several lines, without empty ones, each of which stays a line of text. */
export function lines(text: string): string[] {
  return text
    .split('\n')
    .map(inline)
    .filter((line) => line !== '')
}

const STARS = { plain: '', em: '*', strong: '**', both: '***' } as const satisfies Record<Piece['as'], string>

/**
 * The same of a text that may stress words.
 * @param fill puts values in place of placeholders, which stress nothing.
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

/** Text of one line that no reader takes for Markdown or HTML, nor for an address, which some would make a link. */
export function inline(text: string): string {
  return notAtStart(escaped(text.trim()))
}

function escaped(text: string): string {
  return (
    text
      .replace(/[\\`*_~[\]<|@]|!(?=\[)|:(?=\/\/)|(?<=\bwww)\./gi, '\\$&')
      // Only these are more than an ampersand.
      .replace(/&(?=#|\w+;)/g, '\\&')
  )
}

/** What begins a heading, a list, a quote, a rule or a table at the start of a line. */
function notAtStart(line: string): string {
  return line.replace(/^(?:[#+>=:-]|\d+(?=[.)]))/, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`))
}
