import { type } from 'arktype'
import { said } from './shape.ts'
import { CONTROLS, CONTROLS_SAVE_TAB_AND_NEWLINE, MAX_URL, unfit, unfitUrl } from './text.ts'

/** Where a check says what would be right. */
interface Checked {
  mustBe(expected: string): false
}

/** The same as a check of a schema. */
const fit = (max: number, controls: RegExp) =>
  said({ maxLength: max, pattern: `^[^${controls.source.slice(1, -1)}]*$` }, (text: string, ctx: Checked) => {
    const reason = unfit(text, max, controls)
    return reason === null || ctx.mustBe(reason)
  })

/** Refuses a text of nothing but space. */
export const withText = (expected: string) =>
  said({ pattern: '\\S' }, (text: string, ctx: Checked) => text.trim() !== '' || ctx.mustBe(expected))

/** A text of one line, at most `max` code points. */
export const line = (max: number) => type('string').narrow(fit(max, CONTROLS))
/** The same with tabs and newlines. */
export const lines = (max: number) => type('string').narrow(fit(max, CONTROLS_SAVE_TAB_AND_NEWLINE))

/** One destination: http: or https:, at most `MAX_URL` characters as sent, kept as sent save for space around it. */
export const Url = type('string')
  .narrow(
    said(
      { maxLength: MAX_URL, pattern: '^\\s*[hH][tT][tT][pP][sS]?:' },
      (text: string, ctx: Checked) =>
        text.length <= MAX_URL || [...text].length <= MAX_URL || ctx.mustBe(`at most ${MAX_URL} characters`),
    ),
  )
  .pipe((text) => text.trim())
  .to(
    type('string').narrow((text, ctx) => {
      const reason = unfitUrl(text)
      return reason === null || ctx.mustBe(reason)
    }),
  )
