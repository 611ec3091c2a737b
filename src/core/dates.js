// @ts-check
// Defaults of variables that stand for a date. Also in the launcher's script, so that a date is the same there: no imports, and
// nothing that browsers of docs/browsers.md lack.

const DAY_MS = 86_400_000

/** @typedef {{ default?: string, options?: readonly string[] }} Dateable The fields of a variable that decide whether its default is a date. */

/**
 * Each date by the default that stands for it, from midnight UTC of the current day.
 * @type {ReadonlyMap<string, (day: number) => string>}
 */
const DATES = new Map([
  ['=today', dayOf],
  ['=yesterday', (day) => dayOf(day - DAY_MS)],
  ['=week', weekOf],
  ['=month', (day) => dayOf(day).slice(0, 7)],
  // The day before the first of the month.
  ['=last-month', (day) => dayOf(day - new Date(day).getUTCDate() * DAY_MS).slice(0, 7)],
])

/** The defaults that stand for a date. Any other text with `=` stands for itself. */
export const DATE_DEFAULTS = [...DATES.keys()]

/**
 * Whether a variable's default stands for a date. Not where it is one of the options, which are all texts.
 * @param {Dateable} variable
 */
export function isDated({ default: text, options }) {
  return options === undefined && text !== undefined && DATES.has(text)
}

/**
 * The date that a default stands for; any other text as it is.
 * @param {string} text
 * @param {string} zone a time zone that `zoneOf` accepts.
 * @param {number} [now]
 */
export function dateOf(text, zone, now = Date.now()) {
  return DATES.get(text)?.(midnightOf(now, zone)) ?? text
}

/**
 * Variables with the dates that their defaults stand for.
 * @template {Dateable} V
 * @param {readonly V[]} variables
 * @param {string | null | undefined} zone UTC unless this is a time zone.
 * @param {number} [now]
 * @returns {readonly V[]}
 */
export function withDates(variables, zone, now) {
  if (!variables.some(isDated)) return variables
  const known = zoneOf(zone)
  return variables.map((one) => (isDated(one) ? { ...one, default: dateOf(one.default ?? '', known, now) } : one))
}

/** A time zone by its IANA name; UTC for anything else. @param {string | null | undefined} name */
export function zoneOf(name) {
  return knownZone(name) ?? 'UTC'
}

/**
 * A time zone as the runtime calls it, by its IANA name; null for anything else. Offsets such as +02:00 are no zones, and not
 * every browser knows them.
 * @param {string | null | undefined} name
 */
export function knownZone(name) {
  if (!name || !/^[A-Za-z][\w+/-]{0,63}$/.test(name)) return null
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

/** Midnight UTC of the day that a zone has. @param {number} now @param {string} zone */
function midnightOf(now, zone) {
  if (zone === 'UTC') return now - (now % DAY_MS)
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, year: 'numeric', month: 'numeric', day: 'numeric' })
  const [day = 1, month = 1, year = 1970] = format.format(now).split('/').map(Number)
  return Date.UTC(year, month - 1, day)
}

/** @param {number} day */
function dayOf(day) {
  return new Date(day).toISOString().slice(0, 10)
}

/** The ISO week, which belongs to the year of its Thursday. @param {number} day */
function weekOf(day) {
  const thursday = new Date(day + (3 - ((new Date(day).getUTCDay() + 6) % 7)) * DAY_MS)
  const year = thursday.getUTCFullYear()
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY_MS))
  return `${year}-W${String(week).padStart(2, '0')}`
}
