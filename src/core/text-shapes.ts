import { type } from 'arktype'
import { refusing } from './shape.ts'
import { CONTROLS, CONTROLS_SAVE_TAB_AND_NEWLINE, MAX_URL, unfit, unfitUrl } from './text.ts'

/** `unfit` as a check of a schema. */
const fit = (max: number, controls: RegExp) =>
  refusing({ maxLength: max, pattern: `^[^${controls.source.slice(1, -1)}]*$` }, (text: string) =>
    unfit(text, max, controls),
  )

/** Refuses a string of whitespace only. */
export const withText = refusing({ pattern: '\\S' }, (text: string) => (text.trim() === '' ? { code: 'blank' } : null))

/** A single-line string of at most `max` code points. */
export const line = (max: number) => type('string').narrow(fit(max, CONTROLS))
/** The same with tabs and newlines. */
export const lines = (max: number) => type('string').narrow(fit(max, CONTROLS_SAVE_TAB_AND_NEWLINE))

/** An http: or https: URL of at most `MAX_URL` characters, kept as sent except for surrounding space. */
export const Url = type('string')
  .narrow(
    refusing({ maxLength: MAX_URL, pattern: '^\\s*[hH][tT][tT][pP][sS]?:' }, (text: string) =>
      text.length > MAX_URL && [...text].length > MAX_URL
        ? { code: 'text_too_long', max: MAX_URL }
        : unfitUrl(text.trim()),
    ),
  )
  .pipe((text) => text.trim())
