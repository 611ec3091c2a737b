import type { Condition, Day, Leaf, TimeWindow } from '../../../db/policy.ts'
import { listed } from '../../../src/core/words.ts'
import { DAYS } from '../../../src/policies/conditions.ts'
import { wallTimeOf } from '../../../src/policies/instants.ts'

// What a condition says, in plain words and short: "Signed in with an address at acme.com, on a phone". To the
// letter it is told by condition-words.ts.

const MAX_VALUE = 48
const MAX_VALUES = 3
const MAX_PARTS = 8

/** A condition as a sentence without its full stop. */
export function sentenceOf(condition: Condition): string {
  const words = wordsOf(condition)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A condition as the words of a sentence. Long lists are told in part. */
function wordsOf(condition: Condition, depth = 0): string {
  if (!('of' in condition)) return leafWords(condition)
  if (condition.op === 'not') return notWords(condition.of[0], depth)
  const parts = condition.of.slice(0, MAX_PARTS).map((part) => wordsOf(part, depth + 1))
  const more = condition.of.length - parts.length
  if (more > 0) parts.push(`${more} more`)
  if (parts.length === 1) return parts[0]!
  if (condition.op === 'and') return bracketed(signedInFirst(parts), depth > 0 && parts.length > 1)
  const either = `${parts.length === 2 ? 'either ' : ''}${listed(parts, 'or')}`
  return bracketed(either, depth > 1 || (depth > 0 && parts.length > 2))
}

function bracketed(words: string, isInside: boolean): string {
  return isInside ? `(${words})` : words
}

/** Being signed in and the address are told in one breath. */
function signedInFirst(parts: readonly string[]): string {
  return parts.join(', ').replace(/^signed in, (?=with an address|as )/, 'signed in ')
}

function notWords(condition: Condition | undefined, depth: number): string {
  if (condition === undefined) return 'not …'
  if ('of' in condition) {
    const inner = wordsOf(condition, 0)
    return condition.op === 'not' ? `not (${inner})` : `not ${bracketed(inner, condition.of.length > 1 || depth > 0)}`
  }
  if (condition.op === 'before') return `from ${timeWords(condition.value)} on`
  if (condition.op === 'after') return `before ${timeWords(condition.value)}`
  const words = leafWords(condition)
  return words.startsWith('with ') ? `without ${words.slice('with '.length)}` : `not ${words}`
}

function leafWords(leaf: Leaf): string {
  switch (leaf.op) {
    case 'signedIn':
      return 'signed in'
    case 'before':
      return `before ${timeWords(leaf.value)}`
    case 'after':
      return `from ${timeWords(leaf.value)} on`
    case 'timeWindow':
      return windowWords(leaf)
    default:
      return factWords(leaf)
  }
}

type OfFact = Exclude<Leaf, { op: 'signedIn' | 'before' | 'after' | 'timeWindow' }>

/** How each fact is told: what goes before a value, what a value is called, and how to say that there is one. */
const FACTS: Record<string, { at: string; the: string; any: string; name?: (value: string) => string }> = {
  emailDomain: { at: 'with an address at ', the: 'with an address whose domain', any: 'with a confirmed address' },
  orgRole: { at: 'as ', the: 'with a role that', any: 'as a member of the organisation', name: roleName },
  language: {
    at: 'reading ',
    the: 'with a browser language that',
    any: 'with a known language',
    name: (value) => languageName(value),
  },
  device: { at: 'on ', the: 'on a device that', any: 'on a known kind of device', name: deviceName },
  os: { at: 'on ', the: 'on a system that', any: 'on a known system', name: (value) => named(SYSTEMS, value) },
  browser: { at: 'in ', the: 'in a browser that', any: 'in a known browser', name: (value) => named(BROWSERS, value) },
  country: { at: 'in ', the: 'in a country that', any: 'in a known country', name: countryName },
  referrerDomain: { at: 'coming from ', the: 'coming from a site that', any: 'coming from a known site' },
}

function factWords(leaf: OfFact): string {
  if (leaf.field.startsWith('query.')) return queryWords(leaf)
  const { at, the, any, name = shown } = FACTS[leaf.field] ?? { at: `${leaf.field} `, the: leaf.field, any: leaf.field }
  if (leaf.op === 'exists') return any
  if (leaf.op === 'equals') return at + name(leaf.value)
  if (leaf.op === 'in') return at + valuesWords(leaf.values, name)
  if (leaf.field === 'language' && leaf.op === 'startsWith') return at + languageName(leaf.value, '…')
  return `${the} ${VERBS[leaf.op]} ${shown(leaf.value)}`
}

export const VERBS = { startsWith: 'begins with', endsWith: 'ends with', contains: 'contains' } as const

function queryWords(leaf: OfFact): string {
  const name = shown(`?${leaf.field.slice('query.'.length)}`)
  if (leaf.op === 'exists') return `with ${name} in the link`
  if (leaf.op === 'equals') return `with ${name} = ${shown(leaf.value)} in the link`
  if (leaf.op === 'in') return `with ${name} = ${valuesWords(leaf.values, shown)} in the link`
  return `with ${name} in the link that ${VERBS[leaf.op]} ${shown(leaf.value)}`
}

function valuesWords(values: readonly string[], name: (value: string) => string): string {
  const first = values.slice(0, MAX_VALUES).map(name)
  const more = values.length - first.length
  return listed(more > 0 ? [...first, `${more} more`] : first, 'or')
}

/** A text of the rule's author, kept apart from the words around it whatever its direction. */
function shown(value: string): string {
  const letters = [...value]
  const text = letters.length > MAX_VALUE ? `${letters.slice(0, MAX_VALUE).join('')}…` : value
  const isPlain = text !== '' && /^[^\s,;()“”]+$/u.test(text)
  return `\u2068${isPlain ? text : `“${text}”`}\u2069`
}

function named(names: Record<string, string>, value: string): string {
  return Object.hasOwn(names, value.toLowerCase()) ? names[value.toLowerCase()]! : shown(value)
}

const SYSTEMS = {
  windows: 'Windows',
  macos: 'macOS',
  ios: 'iOS',
  android: 'Android',
  linux: 'Linux',
  'chrome os': 'ChromeOS',
}
const BROWSERS = { chrome: 'Chrome', firefox: 'Firefox', safari: 'Safari', edge: 'Edge', opera: 'Opera' }

function deviceName(value: string): string {
  return named({ mobile: 'a phone', tablet: 'a tablet', desktop: 'a computer' }, value)
}

function roleName(value: string): string {
  const roles = { viewer: 'viewer', editor: 'editor', admin: 'admin' }
  return Object.hasOwn(roles, value.toLowerCase()) ? `${value.toLowerCase()} of the organisation` : shown(value)
}

const languages = new Intl.DisplayNames('en-GB', { type: 'language', fallback: 'none' })
const countries = new Intl.DisplayNames('en-GB', { type: 'region', fallback: 'none' })

/** @param more what stands for the rest of a tag of which only the beginning is known. */
function languageName(value: string, more: '…' | '' = ''): string {
  const name = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,2}$/i.test(value) ? languages.of(value) : undefined
  return name === undefined ? shown(value + more) : `${name} (${value}${more})`
}

function countryName(value: string): string {
  return (/^[a-z]{2}$/i.test(value) ? countries.of(value.toUpperCase()) : undefined) ?? shown(value)
}

function timeWords(value: string): string {
  const { wall, zone } = wallTimeOf(value)
  if (wall === '') return shown(value)
  const [date = '', time = ''] = wall.split('T')
  return `${day.format(Date.parse(`${date}T00:00:00Z`))}, ${time} ${zone === 'UTC' ? zone : `(UTC${zone})`}`
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

export const DAY_NAMES: Record<Day, string> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
}

function windowWords({ days, from, to, timeZone }: TimeWindow): string {
  const isNextDay = to < from && to !== '00:00'
  const hours = from === to || (from === '00:00' && to === '24:00') ? 'all day' : `${from} to ${to}`
  return `${daysWords(days)}, ${hours}${isNextDay ? ' the next day' : ''} (${timeZone.replaceAll('_', ' ')})`
}

/** Days as people say them: a run of three or more by its ends. */
function daysWords(days: readonly Day[]): string {
  const inWeek = DAYS.filter((day) => days.includes(day))
  if (inWeek.length === DAYS.length) return 'every day'
  const first = DAYS.indexOf(inWeek[0] ?? 'mon')
  const isRun = inWeek.every((day, index) => DAYS[first + index] === day)
  const [start, end] = [inWeek[0], inWeek.at(-1)]
  if (isRun && inWeek.length > 2 && start !== undefined && end !== undefined) {
    return `${DAY_NAMES[start]} to ${DAY_NAMES[end]}`
  }
  return `on ${listed(
    inWeek.map((day) => DAY_NAMES[day]),
    'and',
  )}`
}
