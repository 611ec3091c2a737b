import { isObject } from '../core/untyped.ts'
import { fieldsOf, type Place, within } from './places.ts'

/** The probable meaning of a value in the wrong form. */
export interface Meant {
  value: unknown
  /** Whether the meaning is unambiguous, so that it may be applied; otherwise it is only suggested. */
  isCertain: boolean
}

/**
 * Guesses the intended value by the schema of its place: from a list its only entry, from an object its only required field, from
 * a text an object that holds it. Null if the value already has the right form, or the intention is unclear.
 */
export function meantIn(all: readonly Place[], value: unknown): Meant | null {
  const places = all.filter(({ type }) => type !== 'null')
  if (places.length === 0 || value === undefined || value === null) return null
  if (places.every(({ type }) => type === 'array'))
    return Array.isArray(value) ? null : asList(within(places, 0), value)
  if (places.every(({ type }) => type === 'object')) return isObject(value) ? null : asObject(places, value)
  if (places.every(({ type }) => type === 'string')) return asText(value)
  const range = typeof value === 'number' ? rangeOf(places, value) : undefined
  return range === undefined ? null : { value: range, isCertain: true }
}

/** The option for a range of this many days, such as `7d`. */
export function rangeOf(places: readonly Place[], days: unknown): string | undefined {
  const ranges = places.flatMap(({ enum: options = [] }) => options).filter((option) => typeof option === 'string')
  return ranges.find((option) => option === `${days}d`)
}

function asList(items: readonly Place[], value: unknown): Meant | null {
  if (typeof value === 'string') return listIn(items, value)
  if (!isObject(value) || !items.every(({ type }) => type === 'object')) {
    const entry = meantIn(items, value)
    return entry === null ? null : { value: [entry.value], isCertain: false }
  }
  const fields = fieldsOf(items)
  if (Object.keys(value).some((name) => fields.includes(name))) return { value: [value], isCertain: true }
  // The entries as an object, keyed by their names.
  const name = onlyText(items)
  const entries = Object.entries(value)
  if (name === undefined || entries.length === 0 || !entries.every(([, inner]) => isObject(inner))) return null
  return { value: entries.map(([key, inner]) => ({ [name]: key, ...(inner as object) })), isCertain: false }
}

/** Splits a text into the entries of a list, or takes it as the only entry. */
function listIn(items: readonly Place[], text: string): Meant | null {
  const options = items.flatMap(({ enum: known = [] }) => known)
  const words = text.split(/[\s,;]+/).filter((word) => word !== '')
  if (options.length > 0) {
    return words.length > 0 && words.every((word) => options.includes(word)) ? { value: words, isCertain: true } : null
  }
  const isOfTexts = items.every(({ type }) => type === 'string')
  const pieces = words.every(isWebAddress) ? words : text.split(/[,\n]/).map((piece) => piece.trim())
  const found = pieces.filter((piece) => piece !== '')
  if (found.length === 0) return null
  if (isOfTexts) return { value: found, isCertain: false }
  const entries = found.map((piece) => meantIn(items, piece))
  if (entries.some((entry) => entry === null)) return null
  return { value: entries.map((entry) => entry?.value), isCertain: entries.every((entry) => entry?.isCertain) }
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}

function asObject(places: readonly Place[], value: unknown): Meant | null {
  if (typeof value === 'string') {
    const name = onlyText(places)
    if (name !== undefined) return { value: { [name]: value }, isCertain: true }
    const list = onlyList(places)
    const entries = list === undefined ? [] : within(within(places, list), 0)
    const isLinks = entries.length > 0 && entries.every(({ type }) => type === 'string') && isWebAddress(value)
    return isLinks ? { value: { [list as string]: [value] }, isCertain: false } : null
  }
  if (!Array.isArray(value) || value.length === 0 || !value.every(isObject)) return null
  const list = onlyList(places)
  if (list !== undefined) return { value: { ...fixedIn(places[0]!), [list]: value }, isCertain: false }
  const isMap = places.every(({ additionalProperties: entry }) => typeof entry === 'object')
  return isMap ? mapOf(value) : null
}

/** Turns entries with a name and a value, or with a URL and its notes, into an object with these as keys. */
function mapOf(list: readonly Record<string, unknown>[]): Meant | null {
  const entries = list.map(({ url, name, value, ...rest }): [unknown, unknown] =>
    url === undefined ? [name, value] : [url, rest],
  )
  if (entries.some(([key, value]) => typeof key !== 'string' || value === undefined)) return null
  return { value: Object.fromEntries(entries as [string, unknown][]), isCertain: false }
}

function asText(value: unknown): Meant | null {
  if (typeof value === 'number' || typeof value === 'boolean') return { value: String(value), isCertain: false }
  if (!isObject(value) || typeof value.url !== 'string') return null
  return Object.keys(value).length === 1
    ? { value: value.url, isCertain: true }
    : { value: value.url, isCertain: false }
}

/** The fields of an object that allow a single value, such as its type. */
export function fixedIn({ properties = {} }: Place): Record<string, unknown> {
  const fixed = Object.entries(properties).filter(([, place]) => place.const !== undefined)
  return Object.fromEntries(fixed.map(([name, place]) => [name, place.const]))
}

/** The only field that an object requires besides fixed ones; undefined if there are none or several. */
function onlyRequired(places: readonly Place[]): [string, Place] | undefined {
  const [place] = places
  if (place === undefined || places.length > 1) return undefined
  const { required = [], properties = {} } = place
  const [name, another] = required.filter((field) => properties[field]?.const === undefined)
  const found = name === undefined || another !== undefined ? undefined : properties[name]
  return found === undefined ? undefined : [name as string, found]
}

function onlyText(places: readonly Place[]): string | undefined {
  const [name, place] = onlyRequired(places) ?? []
  return place?.type === 'string' ? name : undefined
}

function onlyList(places: readonly Place[]): string | undefined {
  const [name, place] = onlyRequired(places) ?? []
  return place?.type === 'array' ? name : undefined
}
