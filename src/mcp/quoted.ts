import { parseJson, refuseLarger } from '../core/json.ts'
import { isObject } from '../core/untyped.ts'
import type { Operation } from '../operations/operation.ts'
import { type Place, placesOf, within } from '../operations/places.ts'
import { MAX_SIZE } from '../operations/validate.ts'

/** Texts of one call that are parsed: more than any model quotes, and few enough to fail at all of them. */
const MAX_TEXTS = 1000

/** The kinds of values that models quote, with what their texts look like, before anything is parsed. */
const KINDS: Readonly<Record<string, { looks: RegExp; is: (value: unknown) => boolean }>> = {
  array: { looks: /^\s*\[/, is: Array.isArray },
  object: { looks: /^\s*\{/, is: isObject },
  integer: { looks: /^-?\d{1,15}$/, is: Number.isSafeInteger },
  number: { looks: /^-?\d{1,15}(?:\.\d{1,15})?$/, is: Number.isFinite },
  boolean: { looks: /^(?:true|false)$/, is: (value) => typeof value === 'boolean' },
  null: { looks: /^null$/, is: (value) => value === null },
}

/**
 * A tool’s arguments, in which models often send a list, an object or a number as a text: where the schema has no text, a
 * text that is JSON of the right type is read as that. Anything else stays as it is, for the schema to refuse.
 * @throws Problem BAD_REQUEST for JSON with more in it than any input has.
 */
export function unquoted(schema: Operation['input'], sent: Record<string, unknown>): Record<string, unknown> {
  const left = { texts: MAX_TEXTS }
  const places = placesOf(schema)
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, read(within(places, name), value, left)]),
  )
}

/** The same for one value of a type of JSON Schema. */
export function unquotedAs(type: string, value: unknown): unknown {
  return read([{ type }], value, { texts: 1 })
}

function read(places: readonly Place[], value: unknown, left: { texts: number }): unknown {
  if (places.length === 0) return value
  if (typeof value === 'string') {
    const parsed = parsedAs(places, value, left)
    return parsed === undefined ? value : entriesOf(places, parsed, left)
  }
  return entriesOf(places, value, left)
}

function entriesOf(places: readonly Place[], value: unknown, left: { texts: number }): unknown {
  if (Array.isArray(value)) {
    const entry = within(places, 0)
    return value.map((one) => read(entry, one, left))
  }
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, read(within(places, name), one, left)]))
}

/** What a text is as JSON of a type that may be in its place; undefined if it is a text after all. */
function parsedAs(places: readonly Place[], text: string, left: { texts: number }): unknown {
  const kinds = places.map((place) => KINDS[place.type ?? (typeof place.const === 'number' ? 'integer' : '')])
  // Undefined for texts, and for what may be of any type.
  if (kinds.includes(undefined) || !kinds.some((kind) => kind?.looks.test(text)) || left.texts === 0) return undefined
  left.texts -= 1
  const value = jsonIn(text)
  if (!kinds.some((kind) => kind?.is(value))) return undefined
  refuseLarger(value, MAX_SIZE)
  return value
}

function jsonIn(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
