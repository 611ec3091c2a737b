import { sanitized } from '../core/text.ts'

// Converts texts from files to the form that bundles accept.

/** A trimmed text without the characters that bundles do not accept; its lines end with newlines. */
export function clean(text: string): string {
  return sanitized(text.replace(/\r\n?/g, '\n')).trim()
}

/** A text like that of `clean`, on one line. */
export function onOneLine(text: string): string {
  return clean(text).replace(/[\t\n]/g, ' ')
}

/** A text like that of `onOneLine`, with single spaces, as browsers show a text. */
export function withSingleSpaces(text: string): string {
  return onOneLine(text).replace(/\s+/g, ' ').trim()
}

/** A text cut to `max` code points; ends in `…` if it was longer. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text
  const points = [...text.slice(0, max * 2 + 2)]
  return points.length <= max ? text : `${points.slice(0, max - 1).join('')}…`
}
