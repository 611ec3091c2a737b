// What texts may be kept: rules that import nothing, for whoever must know them before the service is asked.

/** The longest URL that is kept, in Unicode code points (spec 8). */
export const MAX_URL = 2048

/** What no text of one line may hold. */
export const CONTROLS = /[\u0000-\u001f]/
/** The same of several lines. */
export const CONTROLS_SAVE_TAB_AND_NEWLINE = /[\u0000-\u0008\u000b-\u001f]/

/** Why a text cannot be kept, as the end of "it must be …", or null. */
export function unfit(text: string, max: number, controls: RegExp): string | null {
  // UTF-16 length first: it is free, and at most twice the number of code points.
  if (text.length > max && (text.length > max * 2 || [...text].length > max)) return `at most ${max} characters`
  if (controls.test(text)) return 'free of control characters'
  // A lone surrogate has no UTF-8 and would come back as another text.
  if (!text.isWellFormed()) return 'well-formed Unicode'
  return null
}

/** Why a text, without the space around it, cannot be kept as a destination, as the end of "it must be …", or null. */
export function unfitUrl(text: string): string | null {
  const isWeb = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  return isWeb ? unfit(text, MAX_URL, CONTROLS) : 'an http: or https: URL'
}
