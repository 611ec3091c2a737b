import { type } from 'arktype'

/** The longest URL that is kept, in Unicode code points (spec 8). */
export const MAX_URL = 2048

/** What no text of one line may hold. */
export const CONTROLS = /[\u0000-\u001f]/
const CONTROLS_SAVE_TAB_AND_NEWLINE = /[\u0000-\u0008\u000b-\u001f]/

/** Why a text cannot be kept, as the end of "it must be …", or null. */
export function unfit(text: string, max: number, controls: RegExp): string | null {
  // UTF-16 length first: it is free, and at most twice the number of code points.
  if (text.length > max && (text.length > max * 2 || [...text].length > max)) return `at most ${max} characters`
  if (controls.test(text)) return 'free of control characters'
  // A lone surrogate has no UTF-8 and would come back as another text.
  if (!text.isWellFormed()) return 'well-formed Unicode'
  return null
}

/** The same as a check of a schema. */
export const fit = (max: number, controls: RegExp) => (text: string, ctx: { mustBe(expected: string): false }) => {
  const reason = unfit(text, max, controls)
  return reason === null || ctx.mustBe(reason)
}

/** A text of one line, at most `max` code points. */
export const line = (max: number) => type('string').narrow(fit(max, CONTROLS))
/** The same with tabs and newlines. */
export const lines = (max: number) => type('string').narrow(fit(max, CONTROLS_SAVE_TAB_AND_NEWLINE))

/** One destination: http: or https:, at most `MAX_URL` characters as sent, kept as sent save for space around it. */
export const Url = type('string')
  .narrow(
    (text, ctx) => text.length <= MAX_URL || [...text].length <= MAX_URL || ctx.mustBe(`at most ${MAX_URL} characters`),
  )
  .pipe((text) => text.trim())
  .to(
    type('string').narrow((text, ctx) => {
      const web = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
      const reason = web ? unfit(text, MAX_URL, CONTROLS) : 'an http: or https: URL'
      return reason === null || ctx.mustBe(reason)
    }),
  )
