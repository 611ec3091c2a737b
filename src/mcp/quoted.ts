import { parseJson, refuseLarger } from '../core/json.ts'
import { isObject } from '../core/untyped.ts'
import { meantIn } from '../operations/forms.ts'
import type { Operation } from '../operations/operation.ts'
import { allPlacesOf, fieldsOf, type Place, within } from '../operations/places.ts'
import { isSynonym, isWrapper } from '../operations/synonyms.ts'
import { MAX_SIZE } from '../operations/validate.ts'

/** Texts of one call that are parsed: more than any model quotes, and few enough to fail at all of them. */
const MAX_TEXTS = 1000

/** The kinds of values that models quote, with what their texts look like, before anything is parsed. */
const KINDS: Readonly<Record<string, { looks: RegExp; is: (value: unknown) => boolean }>> = {
  array: { looks: /^\s*\[/, is: Array.isArray },
  object: { looks: /^\s*\{/, is: isObject },
  integer: { looks: /^-?\d{1,15}(?:\.0{1,15})?$/, is: Number.isSafeInteger },
  number: { looks: /^-?\d{1,15}(?:\.\d{1,15})?$/, is: Number.isFinite },
  boolean: { looks: /^(?:true|yes|false|no)$/i, is: (value) => typeof value === 'boolean' },
  null: { looks: /^null$/, is: (value) => value === null },
}

/**
 * A tool’s arguments, in which models often send a list, an object or a number as a text: where the schema has no text, a
 * text that is JSON of the right type is read as that. Anything else stays as it is, for the schema to refuse.
 * @throws Problem BAD_REQUEST for JSON with more in it than any input has.
 */
export function unquoted(schema: Operation['input'], sent: Record<string, unknown>): Record<string, unknown> {
  return entriesOf(allPlacesOf(schema), sent, { texts: MAX_TEXTS }) as Record<string, unknown>
}

/**
 * A tool’s arguments under the names that it has for them: out of an object around all of them, and in the one way of writing
 * a name. What names a bundle, and the link of a claim, have their one field whatever they are called.
 * @param options call options, which are no part of the schema.
 */
export function unwrapped(
  schema: Operation['input'],
  options: readonly string[],
  sent: Record<string, unknown>,
): Record<string, unknown> {
  const [place] = allPlacesOf(schema)
  const fields = [...fieldsOf(allPlacesOf(schema)), ...options]
  const read = Object.fromEntries(
    Object.entries(sent).flatMap(([name, value]) => wrappedIn(fields, sent, name, value) ?? [[name, value]]),
  )
  const named = Object.fromEntries(Object.entries(read).map(([name, value]) => [nameIn(fields, read, name), value]))
  for (const field of ['slug', 'token']) {
    const isMissing = fields.includes(field) && !Object.hasOwn(named, field)
    const others = Object.keys(named).filter((name) => !fields.includes(name) && isSynonym(name, field))
    const [other] = others
    if (!isMissing || other === undefined || others.length > 1 || typeof named[other] !== 'string') continue
    if (field === 'slug' && place?.required?.includes(field) !== true) continue
    named[field] = named[other]
    delete named[other]
  }
  return named
}

/** The fields in an object around them, if it has nothing else and they are not sent beside it as well. */
function wrappedIn(
  fields: readonly string[],
  sent: Record<string, unknown>,
  name: string,
  value: unknown,
): [string, unknown][] | null {
  if (!isWrapper(name) || fields.includes(name)) return null
  const inner = typeof value === 'string' && KINDS.object?.looks.test(value) ? jsonIn(value) : value
  if (!isObject(inner)) return null
  const entries = Object.entries(inner)
  const areFields = entries.every(([key]) => fields.includes(nameIn(fields, inner, key)) && !Object.hasOwn(sent, key))
  return areFields ? entries : null
}

/** The field that a name is written like, save for capitals, `_` and `-`, if that is not sent as well; else the name. */
function nameIn(fields: readonly string[], sent: Record<string, unknown>, name: string): string {
  if (name.length > MAX_NAME || fields.includes(name)) return name
  const plain = plainName(name)
  const field = fields.find((one) => plainName(one) === plain)
  return field === undefined || Object.hasOwn(sent, field) ? name : field
}

/** Longer than any field’s. */
const MAX_NAME = 40

function plainName(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '')
}

/** The same for one value of a type of JSON Schema, as JSON has it: whether a call is only tried is not guessed. */
export function unquotedAs(type: string, value: unknown): unknown {
  if (typeof value === 'string' && /^(?:yes|no)$/i.test(value)) return value
  return read([{ type }], value, { texts: 1 })
}

function read(places: readonly Place[], value: unknown, left: { texts: number }): unknown {
  if (places.length === 0) return value
  const parsed = typeof value === 'string' ? parsedAs(places, value, left) : undefined
  const plain = parsed === undefined ? value : parsed
  const meant = meantIn(places, plain)
  return entriesOf(places, meant?.isCertain === true ? meant.value : plain, left)
}

function entriesOf(places: readonly Place[], value: unknown, left: { texts: number }): unknown {
  if (Array.isArray(value)) {
    const entry = within(places, 0)
    return value.map((one) => read(entry, one, left))
  }
  if (!isObject(value)) return value
  const fields = fieldsOf(places)
  return Object.fromEntries(
    Object.entries(value).map(([sent, one]) => {
      const name = nameIn(fields, value, sent)
      const inner = within(places, name)
      // Under a name of the sender's own, such as an order's number.
      const isNumber = typeof one === 'number' && inner.length > 0 && !fields.includes(name)
      return [name, isNumber && inner.every(({ type }) => type === 'string') ? String(one) : read(inner, one, left)]
    }),
  )
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

/** What models write for true and false. */
const YES = /^(?:true|yes)$/i
const NO = /^(?:false|no)$/i

function jsonIn(text: string): unknown {
  try {
    return YES.test(text) || NO.test(text) ? YES.test(text) : parseJson(text)
  } catch {
    return undefined
  }
}
