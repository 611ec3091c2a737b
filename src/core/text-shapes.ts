import { type } from 'arktype'
import { refusing } from './shape.ts'
import { CONTROLS, CONTROLS_SAVE_TAB_AND_NEWLINE, MAX_EMAIL, MAX_URL, unfit, unfitUrl } from './text.ts'

/** Makes `unfit` a check of a schema. */
const fit = (max: number, controls: RegExp) =>
  refusing({ maxLength: max, pattern: `^[^${controls.source.slice(1, -1)}]*$` }, (text: string) =>
    unfit(text, max, controls),
  )

/** Refuses a string of whitespace only. */
export const withText = refusing({ pattern: '\\S' }, (text: string) => (text.trim() === '' ? { code: 'blank' } : null))

/** A single-line string of at most `max` code points. */
export const line = (max: number) => type('string').narrow(fit(max, CONTROLS))
/** A string of at most `max` code points, which may contain tabs and newlines. */
export const lines = (max: number) => type('string').narrow(fit(max, CONTROLS_SAVE_TAB_AND_NEWLINE))

/**
 * One email address, as accounts and `<input type="email">` accept it. Mail headers allow more forms, some of which
 * (`group:a@b.example;`) address someone other than they seem to.
 */
const EMAIL = /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+$/

/** One email address, as above. */
export const Email = type('string').narrow(
  refusing(
    { maxLength: MAX_EMAIL, pattern: EMAIL.source },
    (email: string) =>
      unfit(email, MAX_EMAIL, CONTROLS) ?? (EMAIL.test(email) ? null : { code: 'not_an_email_address' }),
  ),
)

/** An http: or https: URL of at most `MAX_URL` characters, kept as sent except for surrounding space. */
export const Url = type('string')
  .narrow(
    refusing({ maxLength: MAX_URL, pattern: '^\\s*[hH][tT][tT][pP][sS]?:' }, (text: string) =>
      text.length > MAX_URL && [...text].length > MAX_URL
        ? { code: 'url_too_long', max: MAX_URL }
        : unfitUrl(text.trim()),
    ),
  )
  .pipe((text) => text.trim())
