import type { Expectation } from './issue.ts'
import { DIRECTIONS, LATE_CONTROLS, MAX_LINK } from './template.js'

export { CONTROLS } from './template.js'

// Rules for accepted text. Imports no server code, so that clients can check before they send.

/** The longest accepted URL, in Unicode code points. */
export const MAX_URL = MAX_LINK

/** The longest possible email address (RFC 5321), in characters. */
export const MAX_EMAIL = 254

/** Characters not allowed in multi-line text. */
export const CONTROLS_SAVE_TAB_AND_NEWLINE = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f${LATE_CONTROLS}${DIRECTIONS}]`)
/** Characters not allowed in URLs; the URL parser percent-encodes all others. */
const URL_CONTROLS = /[\u0000-\u001f]/
const IS_DIRECTION = new RegExp(`[${DIRECTIONS}]`)

/** Why a text is not acceptable, or null. */
export function unfit(text: string, max: number, controls: RegExp): Expectation | null {
  // UTF-16 length first: it is free, and at most twice the number of code points.
  if (text.length > max && (text.length > max * 2 || [...text].length > max)) return { code: 'text_too_long', max }
  if (controls.test(text)) {
    // Often copied along with a title unnoticed, so these get their own message.
    const isDirection = IS_DIRECTION.test(text.match(controls)?.[0] ?? '')
    return { code: isDirection ? 'turning_marks' : 'control_characters' }
  }
  // A lone surrogate has no UTF-8 encoding and would come back changed.
  return text.isWellFormed() ? null : { code: 'not_unicode' }
}

/** Why a trimmed text is not acceptable as a URL, or null. */
export function unfitUrl(text: string): Expectation | null {
  // The length comes first, because parsing a long host takes more than linear time.
  if (text.length > MAX_URL * 2) return { code: 'url_too_long', max: MAX_URL }
  const isWeb = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  if (!isWeb) return { code: 'not_a_web_address' }
  const unfitText = unfit(text, MAX_URL, URL_CONTROLS)
  return unfitText?.code === 'text_too_long' ? { code: 'url_too_long', max: MAX_URL } : unfitText
}

const DIRECTION_MARKS = new RegExp(IS_DIRECTION, 'g')
const OTHER_CONTROLS = new RegExp(CONTROLS_SAVE_TAB_AND_NEWLINE, 'g')

/** Cleans imported single- or multi-line text: well-formed, without control characters and direction marks. */
export function sanitized(text: string): string {
  return text.toWellFormed().replace(DIRECTION_MARKS, '').replace(OTHER_CONTROLS, ' ')
}

/** Escapes control characters and direction marks as JSON does, for a terminal or log. Keeps newlines. */
export function escapeControls(text: string): string {
  return text.replace(OTHER_CONTROLS, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Whether a text is printable ASCII without spaces. */
export function isAscii(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text)
}
