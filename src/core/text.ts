// What texts may be kept: rules that import nothing, for whoever must know them before the service is asked.

/** The longest URL that is kept, in Unicode code points (spec 8). */
export const MAX_URL = 2048

/** The longest e-mail address that there can be (RFC 5321), in characters. */
export const MAX_EMAIL = 254

/** What mail programs make a link of, which no name of a person or an organisation may hold: both are put into mails. */
const LINK = /:\/\/|\bwww\.|[\p{L}\p{N}-]\.\p{L}{2,}(?:[/?#]|:\d)/iu

/** Whether a name would lead somewhere in a mail. A mere `Example.com` may be what somebody is called. */
export function hasLink(name: string): boolean {
  return LINK.test(name.normalize('NFKC'))
}
/** DEL and the C1 controls, which terminals obey as they obey C0. */
const LATE_CONTROLS = '\\u007f-\\u009f'
/** Marks nobody sees that turn the direction of the text round them. Letters of any script are none of these. */
const DIRECTIONS = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'

/** What no text of one line may hold. */
export const CONTROLS = new RegExp(`[\\u0000-\\u001f${LATE_CONTROLS}${DIRECTIONS}]`)
/** The same of several lines. */
export const CONTROLS_SAVE_TAB_AND_NEWLINE = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f${LATE_CONTROLS}${DIRECTIONS}]`)
/** What no address may hold: of others the parser of URLs makes percent signs. */
const URL_CONTROLS = /[\u0000-\u001f]/
const IS_DIRECTION = new RegExp(`[${DIRECTIONS}]`)

/** Why a text cannot be kept, as the end of "it must be …", or null. */
export function unfit(text: string, max: number, controls: RegExp): string | null {
  // UTF-16 length first: it is free, and at most twice the number of code points.
  if (text.length > max && (text.length > max * 2 || [...text].length > max)) return `at most ${max} characters`
  if (controls.test(text)) {
    // These come along unseen where somebody copies a title, so they are told from what is plainly broken.
    const isDirection = IS_DIRECTION.test(text.match(controls)?.[0] ?? '')
    return isDirection ? 'free of invisible marks that turn the direction of text' : 'free of control characters'
  }
  // A lone surrogate has no UTF-8 and would come back as another text.
  if (!text.isWellFormed()) return 'well-formed Unicode'
  return null
}

/** Why a text, without the space around it, cannot be kept as a destination, as the end of "it must be …", or null. */
export function unfitUrl(text: string): string | null {
  // First, for parsing a long host takes more than its length.
  if (text.length > MAX_URL * 2) return `at most ${MAX_URL} characters`
  const isWeb = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  return isWeb ? unfit(text, MAX_URL, URL_CONTROLS) : 'an http: or https: URL'
}

const DIRECTION_MARKS = new RegExp(IS_DIRECTION, 'g')
const OTHER_CONTROLS = new RegExp(CONTROLS_SAVE_TAB_AND_NEWLINE, 'g')

/** A text from elsewhere as it may be kept, of one or several lines: well-formed, without controls and marks of direction. */
export function fitted(text: string): string {
  return text.toWellFormed().replace(DIRECTION_MARKS, '').replace(OTHER_CONTROLS, ' ')
}

/** A text for a terminal or a log: what it would obey, or would turn the line round, as JSON escapes it. Lines stay. */
export function visible(text: string): string {
  return text.replace(OTHER_CONTROLS, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Whether a text is printable ASCII alone, without space. */
export function isAscii(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text)
}
