// @ts-check
// Texts and links with placeholders, and what may be filled in. Also part of the launcher's script, so that a link is
// filled there exactly as here: no imports, and nothing that browsers of docs/browsers.md lack.

/** DEL and the C1 controls, which terminals interpret like C0, in a class of a regular expression. */
export const LATE_CONTROLS = '\\u007f-\\u009f'
/** Invisible marks that change the direction of the surrounding text. No script’s letters are among them. */
export const DIRECTIONS = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'

/** Limits of a value and of a filled link, in code points. */
export const MAX_VALUE = 200
export const MAX_LINK = 2048
/** As many characters of an address as the largest QR code holds. */
const MAX_QR = 2953

/** @typedef {Readonly<Record<string, string>>} Values The value of each variable that has one. */
/** @typedef {{ name: string, default?: string, options?: readonly string[] }} Fillable What filling needs of a variable. */
/** @typedef {{ name: string, message: string }} Invalid A variable whose value is refused, and what to do about it. */
/**
 * @typedef {object} Filling What is filled in. A bundle is shown filled once nothing is missing or invalid.
 * @property {Values} values
 * @property {readonly string[]} missing Names of variables without a value.
 * @property {readonly Invalid[]} invalid
 * @property {Values} sent What was sent, as it was, so that a form loses nothing.
 */

/** Characters not allowed in single-line text. */
export const CONTROLS = new RegExp(`[\\u0000-\\u001f${LATE_CONTROLS}${DIRECTIONS}]`)
/** What variables can be called, as the source of a regular expression. */
export const NAME = '[a-z][a-z0-9_]{0,29}'
const PLACEHOLDER = new RegExp(`\\{(${NAME})\\}`)
const LONE_SURROGATE = /\p{Surrogate}/u

/**
 * A text in pieces: at odd places the names of its placeholders, at even places what stands around them. Braces around
 * other names are text.
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
 * A text with values in place of its placeholders; one without a value stays.
 * @param {string} text
 * @param {Values} values
 */
export function fillText(text, values) {
  return filled(text, values, (value) => value)
}

/**
 * A link with values in place of its placeholders, each encoded as by level 1 of RFC 6570.
 * @param {string} link
 * @param {Values} values
 */
export function fillLink(link, values) {
  return filled(link, values, encodeValue)
}

/**
 * What is sent for the variables of a bundle. Surrounding space is no part of a value, and an empty one is none.
 * @param {readonly Fillable[]} variables
 * @param {(name: string) => string | null | undefined} sent what was sent for a variable.
 * @returns {Filling}
 */
export function readValues(variables, sent) {
  // Without a prototype, because a variable may be called `constructor`.
  const [values, sentTexts] = [blank(), blank()]
  const [missing, invalid] = [/** @type {string[]} */ ([]), /** @type {Invalid[]} */ ([])]
  for (const { name, default: fallback, options } of variables) {
    const text = (sent(name) ?? '').trim()
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

/** @param {Filling} filling */
export function isComplete({ missing, invalid }) {
  return missing.length + invalid.length === 0
}

/**
 * The query that leads to a filled launcher; `''` where nothing is filled in.
 * @param {Pick<Filling, 'sent'>} filling
 */
export function queryOf({ sent }) {
  const query = Object.entries(sent).map(([name, value]) => `${name}=${encodeValue(value)}`)
  return query.length === 0 ? '' : `?${query.join('&')}`
}

/**
 * Why there is no QR code of an address; null if there is one.
 * @param {string} address
 */
export function qrProblem(address) {
  return address.length > MAX_QR ? 'These values are too long for a QR code. Copy the link instead.' : null
}

/**
 * @typedef {object} FixedLink A link with what no value may change in it.
 * @property {string} link
 * @property {readonly string[]} parts At odd places, what may be names of placeholders.
 * @property {number} steps
 * @property {string | null} place
 */

/**
 * For links that are checked again and again: with the values of each viewer of a page.
 * @param {string} link
 * @returns {FixedLink}
 */
export function fixedLink(link) {
  return { link, parts: link.split(PLACEHOLDER), steps: stepsIn(link), place: placeOf(link) }
}

/**
 * The same filling, with what is refused because of the links that it makes: those that lack no value.
 * @param {Filling} filling
 * @param {readonly (string | FixedLink)[]} links
 * @returns {Filling}
 */
export function checkLinks(filling, links) {
  const { values, missing, invalid } = filling
  const open = [...missing, ...invalid.map(({ name }) => name)]
  const encoded = blank()
  for (const name of Object.keys(values)) encoded[name] = encodeValue(values[name] ?? '')
  /** @type {Map<string, string>} */
  const found = new Map()
  for (const known of links) {
    const fixed = typeof known === 'string' ? fixedLink(known) : known
    const { link } = fixed
    if (open.length > 0 && namesIn(link, open).length > 0) continue
    const message = linkProblem(fixed, encoded)
    if (message === null) continue
    const names = namesIn(link, Object.keys(values))
    // Those that are refused whatever the others are.
    const alone = names.filter(
      (name) => linkProblem(fixed, Object.assign(plain(names), { [name]: encoded[name] })) !== null,
    )
    for (const name of alone.length > 0 ? alone : names) if (!found.has(name)) found.set(name, message)
  }
  if (found.size === 0) return filling
  const left = Object.entries(values).filter(([name]) => !found.has(name))
  const refused = [...found].map(([name, message]) => ({ name, message }))
  return { ...filling, values: Object.assign(blank(), Object.fromEntries(left)), invalid: [...invalid, ...refused] }
}

/**
 * Whether all values lead to the scheme, user, host and port of the link: its placeholders stand behind them.
 * @param {string} link
 * @param {readonly string[]} names
 */
export function isFixed(link, names) {
  const own = namesIn(link, names)
  const [one, other] = ['a', 'b'].map((value) => placeOf(fillLink(link, plain(own, value))))
  return one !== null && one === other
}

/** @returns {Record<string, string>} */
function blank() {
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

/** A value in a link: only unreserved characters stay as they are. @param {string} value */
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

/**
 * Why a filled link is refused; null if it is not.
 * @param {FixedLink} fixed
 * @param {Values} encoded values as they stand in links.
 */
function linkProblem({ link, parts, steps, place }, encoded) {
  let [href = ''] = parts
  // Content that is not saved yet may have hundreds of placeholders, which would make megabytes of each link, only to be
  // refused. A code point has at most two units.
  for (let at = 1; at < parts.length && href.length <= 2 * MAX_LINK; at += 2) {
    const name = parts[at] ?? ''
    href += (encoded[name] ?? `{${name}}`) + parts[at + 1]
  }
  if (href === link) return null
  if (href.length > MAX_LINK && [...href].length > MAX_LINK) {
    return `Use a shorter value: a link would have more than ${MAX_LINK} characters.`
  }
  // A step up or a step nowhere would lead to another page than the one that the link names.
  return stepsIn(href) === steps && placeOf(href) === place
    ? null
    : 'Use another value: with this one, a link would lead elsewhere.'
}

/** How a segment begins that may be one. */
const STEP = /(?:^|[/\\])(?:\.|%2e)/i

/** The number of segments `.` and `..`, also encoded, in the path of a link. @param {string} link */
function stepsIn(link) {
  if (!STEP.test(link)) return 0
  const [path = ''] = link.split(/[?#]/, 1)
  return path.split(/[/\\]/).filter((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)).length
}

/** The part of a link that no value may change: all before its path. Null for no web address. @param {string} link */
function placeOf(link) {
  try {
    const [place = null] = /^https?:\/\/[^/]*/.exec(new URL(link).href) ?? []
    return place
  } catch {
    return null
  }
}

/**
 * @param {readonly string[]} names
 * @param {string} value
 * @returns {Values}
 */
function plain(names, value = 'a') {
  return Object.assign(blank(), Object.fromEntries(names.map((name) => [name, value])))
}
