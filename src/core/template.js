// @ts-check
// Texts and links with placeholders, and their values. Also part of the launcher's script, so that a link is
// filled there exactly as here: no imports, and nothing that browsers of docs/browsers.md lack.

/** DEL and the C1 controls, which terminals interpret like C0, in a class of a regular expression. */
export const LATE_CONTROLS = '\\u007f-\\u009f'
/** Invisible marks that change the direction of the surrounding text; no script uses them as letters. */
export const DIRECTIONS = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'

/** Limits of a value and of a filled link, in code points. */
export const MAX_VALUE = 200
export const MAX_LINK = 2048
/** Maximum characters of an address in the largest QR code. */
const MAX_QR = 2953

/** @typedef {Readonly<Record<string, string>>} Values The value of each variable that has one. */
/** @typedef {{ name: string, default?: string, options?: readonly string[] }} Fillable The fields of a variable that filling needs. */
/** @typedef {{ name: string, message: string }} Invalid A variable whose value is refused, and what to do about it. */
/**
 * @typedef {object} Filling The values filled in. A bundle is shown filled once nothing is missing or invalid.
 * @property {Values} values
 * @property {readonly string[]} missing Names of variables without a value.
 * @property {readonly Invalid[]} invalid
 * @property {Values} sent The values as sent, so that a form loses nothing.
 */

/** Characters not allowed in single-line text. */
export const CONTROLS = new RegExp(`[\\u0000-\\u001f${LATE_CONTROLS}${DIRECTIONS}]`)
/** Space, zero-width characters and soft hyphens, which chats and word processors put into addresses. */
export const UNSEEN = /[\s\u00ad\u200b-\u200d\u2060]/
/** Names of variables, as the source of a regular expression. */
export const NAME = '[a-z][a-z0-9_]{0,29}'
export const PLACEHOLDER = new RegExp(`\\{(${NAME})\\}`)
const LONE_SURROGATE = /\p{Surrogate}/u

/**
 * A text in pieces: names of placeholders at odd indices, the text around them at even ones. Braces around other names are text.
 * @param {string} text
 * @param {readonly string[]} names
 * @returns {string[]}
 */
export function piecesOf(text, names) {
  const pieces = ['']
  for (const [at, part] of text.split(PLACEHOLDER).entries()) {
    if (at % 2 === 1 && names.includes(part)) pieces.push(part, '')
    else pieces[pieces.length - 1] += at % 2 === 1 ? `{${part}}` : part
  }
  return pieces
}

/**
 * The names of a text’s placeholders, each once.
 * @param {string} text
 * @param {readonly string[]} names
 */
export function namesIn(text, names) {
  return [...new Set(piecesOf(text, names).filter((_, at) => at % 2 === 1))]
}

/**
 * A text with values in place of its placeholders; a placeholder without a value stays.
 * @param {string} text
 * @param {Values} values
 */
export function fillText(text, values) {
  return filled(text, values, (value) => value)
}

/**
 * A link with values in place of its placeholders, each encoded by level 1 of RFC 6570.
 * @param {string} link
 * @param {Values} values
 */
export function fillLink(link, values) {
  return filled(link, values, encodeValue)
}

/**
 * Reads the values sent for a bundle's variables. Surrounding space, visible or not, is dropped, and an empty value counts as
 * none.
 * @param {readonly Fillable[]} variables
 * @param {(name: string) => string | null | undefined} sent the value sent for a variable.
 * @returns {Filling}
 */
export function readValues(variables, sent) {
  const [values, sentTexts] = [blank(), blank()]
  const [missing, invalid] = [/** @type {string[]} */ ([]), /** @type {Invalid[]} */ ([])]
  for (const { name, default: fallback, options } of variables) {
    const text = trimmed(sent(name) ?? '')
    if (text !== '') sentTexts[name] = text
    const value = text || fallback
    if (value === undefined) {
      missing.push(name)
      continue
    }
    const message = problemOf(value, options)
    if (message === null) values[name] = value
    else invalid.push({ name, message })
  }
  return { values, missing, invalid, sent: sentTexts }
}

/** A regular expression for the end would take quadratic time on a long run of spaces. @param {string} text */
function trimmed(text) {
  let [from, to] = [0, text.length]
  while (from < to && UNSEEN.test(text.charAt(from))) from += 1
  while (to > from && UNSEEN.test(text.charAt(to - 1))) to -= 1
  return text.slice(from, to)
}

/** @param {Filling} filling */
export function isComplete({ missing, invalid }) {
  return missing.length + invalid.length === 0
}

/**
 * The query of a filled launcher; `''` if nothing is filled in.
 * @param {Pick<Filling, 'sent'>} filling
 */
export function queryOf({ sent }) {
  const query = Object.entries(sent).map(([name, value]) => `${name}=${encodeValue(value)}`)
  return query.length === 0 ? '' : `?${query.join('&')}`
}

/**
 * Why an address has no QR code; null if it has one.
 * @param {string} address
 */
export function qrProblem(address) {
  return address.length > MAX_QR ? 'These values are too long for a QR code. Copy the link instead.' : null
}

/**
 * The intended parameter of a key in a query: mails and pages copied with their escapes have `&amp;region=eu`, and phones
 * capitalise words. Names of variables have no capitals.
 * @param {string} key
 */
export function meantBy(key) {
  return key.replace(/^(?:amp;)+/i, '').toLowerCase()
}

/**
 * The first value of a variable in a query. A key that only resembles the name counts if the name itself is missing. Null for
 * none.
 * @param {URLSearchParams} query
 * @param {string} name
 */
export function askedIn(query, name) {
  const value = query.get(name)
  if (value !== null) return value
  for (const [key, other] of query) if (meantBy(key) === name) return other
  return null
}

/** Without a prototype, because a variable may be called `constructor`. @returns {Record<string, string>} */
export function blank() {
  return Object.create(null)
}

/**
 * @param {string} text
 * @param {Values} values
 * @param {(value: string) => string} as
 */
function filled(text, values, as) {
  if (!text.includes('{')) return text
  return piecesOf(text, Object.keys(values))
    .map((piece, at) => (at % 2 === 1 ? as(values[piece] ?? '') : piece))
    .join('')
}

/** Encodes a value for a link: only unreserved characters stay unchanged. @param {string} value */
export function encodeValue(value) {
  return encodeURIComponent(value).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

/**
 * Why a value is refused; null if it is not.
 * @param {string} value
 * @param {readonly string[] | undefined} options
 */
function problemOf(value, options) {
  if (value.length > MAX_VALUE && [...value].length > MAX_VALUE) return `Use at most ${MAX_VALUE} characters.`
  if (CONTROLS.test(value) || LONE_SURROGATE.test(value)) return 'Leave out line breaks and invisible characters.'
  return options === undefined || options.includes(value) ? null : `Choose one of: ${options.join(', ')}.`
}
