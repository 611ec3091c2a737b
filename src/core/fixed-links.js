// @ts-check
// The parts of a link that no value may change. Also in the launcher's script, after template.js, so that a value is refused there
// exactly as here: no other imports, and nothing that browsers of docs/browsers.md lack.
import { blank, encodeValue, fillLink, MAX_LINK, namesIn, PLACEHOLDER } from './template.js'

/** @typedef {import('./template.js').Values} Values */
/** @typedef {import('./template.js').Filling} Filling */
/**
 * @typedef {object} FixedLink A link with its fixed parts.
 * @property {string} link
 * @property {readonly string[]} parts At odd places, possible names of placeholders.
 * @property {number} steps
 * @property {string | null} place
 */

/**
 * Prepares a link that is checked repeatedly: with the values of each viewer of a page.
 * @param {string} link
 * @returns {FixedLink}
 */
export function fixedLink(link) {
  return { link, parts: link.split(PLACEHOLDER), steps: stepsIn(link), place: placeOf(link) }
}

/**
 * The filling, with those values marked invalid that filled links refuse.
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
    // Values that are refused whatever the others are.
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
 * Whether no value can change the scheme, user, host and port of the link, because its placeholders come after them.
 * @param {string} link
 * @param {readonly string[]} names
 */
export function isFixed(link, names) {
  const own = namesIn(link, names)
  const [one, other] = ['a', 'b'].map((value) => placeOf(fillLink(link, plain(own, value))))
  return one !== null && one === other
}

/**
 * Why a filled link is refused; null if it is not.
 * @param {FixedLink} fixed
 * @param {Values} encoded values as they stand in links.
 */
function linkProblem({ link, parts, steps, place }, encoded) {
  let [href = ''] = parts
  // Unsaved content may have hundreds of placeholders, which would make each link megabytes long, only to be refused. A code
  // point has at most two units.
  for (let at = 1; at < parts.length && href.length <= 2 * MAX_LINK; at += 2) {
    const name = parts[at] ?? ''
    href += (encoded[name] ?? `{${name}}`) + parts[at + 1]
  }
  if (href === link) return null
  if (href.length > MAX_LINK && [...href].length > MAX_LINK) {
    return `Use a shorter value: a link would have more than ${MAX_LINK} characters.`
  }
  // Another `..` or `.` segment would lead to another page than the link names.
  return stepsIn(href) === steps && placeOf(href) === place
    ? null
    : 'Use another value: with this one, a link would lead elsewhere.'
}

/** The beginning of a segment that may be `.` or `..`. */
const STEP = /(?:^|[/\\])(?:\.|%2e)/i

/** The number of segments `.` and `..`, also encoded, in the path of a link. @param {string} link */
function stepsIn(link) {
  if (!STEP.test(link)) return 0
  const [path = ''] = link.split(/[?#]/, 1)
  return path.split(/[/\\]/).filter((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)).length
}

/** The part of a link that no value may change: all before its path. Null if it is no web address. @param {string} link */
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
