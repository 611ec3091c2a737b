import { sanitized } from '../core/text.ts'

// Texts of files in the form that bundles accept.

/** A text without the characters that bundles do not accept, its lines ended by newlines. */
export function clean(text: string): string {
  return sanitized(text.replace(/\r\n?/g, '\n')).trim()
}

/** The same on one line. */
export function onOneLine(text: string): string {
  return clean(text).replace(/[\t\n]/g, ' ')
}

/** The same with single spaces, as browsers show a text. */
export function withSingleSpaces(text: string): string {
  return onOneLine(text).replace(/\s+/g, ' ').trim()
}

/** A text cut to `max` code points, ending in `…` if it was longer. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text
  const points = [...text.slice(0, max * 2 + 2)]
  return points.length <= max ? text : `${points.slice(0, max - 1).join('')}…`
}
