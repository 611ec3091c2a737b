import { type } from 'arktype'
import { withJsonSchema } from './shape.ts'
import { CONTROLS, CONTROLS_SAVE_TAB_AND_NEWLINE, MAX_URL, unfit, unfitUrl } from './text.ts'

/** The part of arktype’s context used here: reports what was expected. */
interface Checked {
  mustBe(expected: string): false
}

/** `unfit` as a check of a schema. */
const fit = (max: number, controls: RegExp) =>
  withJsonSchema({ maxLength: max, pattern: `^[^${controls.source.slice(1, -1)}]*$` }, (text: string, ctx: Checked) => {
    const reason = unfit(text, max, controls)
    return reason === null || ctx.mustBe(reason)
  })

/** Refuses a string of whitespace only. */
export const withText = (expected: string) =>
  withJsonSchema({ pattern: '\\S' }, (text: string, ctx: Checked) => text.trim() !== '' || ctx.mustBe(expected))

/** A single-line string of at most `max` code points. */
export const line = (max: number) => type('string').narrow(fit(max, CONTROLS))
/** The same with tabs and newlines. */
export const lines = (max: number) => type('string').narrow(fit(max, CONTROLS_SAVE_TAB_AND_NEWLINE))

/** An http: or https: URL of at most `MAX_URL` characters, kept as sent except for surrounding space. */
export const Url = type('string')
  .narrow(
    withJsonSchema(
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
