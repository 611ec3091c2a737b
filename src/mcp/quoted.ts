import { parseJson } from '../core/json.ts'
import { isObject } from '../core/untyped.ts'
import { meantIn } from '../operations/forms.ts'
import { isSynonym, isWrapper } from '../operations/hints.ts'
import type { Operation } from '../operations/operation.ts'
import { allPlacesOf, fieldsOf, type Place, within } from '../operations/places.ts'
import { MAX_SIZE, refuseLarger } from '../operations/validate.ts'

/** Texts that are parsed in one call: more than any model quotes, and few enough to try all of them in vain. */
const MAX_TEXTS = 1000

/** The kinds of values that models quote, each with a pattern of its text that is tested before parsing. */
const KINDS: Readonly<Record<string, { looks: RegExp; is: (value: unknown) => boolean }>> = {
  array: { looks: /^\s*\[/, is: Array.isArray },
  object: { looks: /^\s*\{/, is: isObject },
  integer: { looks: /^-?\d{1,15}(?:\.0{1,15})?$/, is: Number.isSafeInteger },
  number: { looks: /^-?\d{1,15}(?:\.\d{1,15})?$/, is: Number.isFinite },
  boolean: { looks: /^(?:true|yes|false|no)$/i, is: (value) => typeof value === 'boolean' },
  null: { looks: /^null$/, is: (value) => value === null },
}

/**
 * Parses quoted values in a tool’s arguments: models often send a list, an object or a number as text. Where the schema allows
 * no text, JSON text of the right type is parsed. Anything else stays as it is, for the schema to refuse.
 * @throws Problem BAD_REQUEST for JSON that is larger than any input.
 */
export function unquoted(schema: Operation['input'], sent: Record<string, unknown>): Record<string, unknown> {
  return entriesOf(allPlacesOf(schema), sent, { texts: MAX_TEXTS }) as Record<string, unknown>
}

/**
 * Renames a tool’s arguments to its fields: takes them out of a wrapping object, and ignores capitals, `_` and `-` in names.
 * Synonyms of `slug` and `token` become these fields.
 * @param options call options, which are not in the schema.
 */
export function unwrapped(
  schema: Operation['input'],
  options: readonly string[],
  sent: Record<string, unknown>,
): Record<string, unknown> {
  const [place] = allPlacesOf(schema)
  const fields = byPlainName([...fieldsOf(allPlacesOf(schema)), ...options])
  const read = Object.fromEntries(
    Object.entries(sent).flatMap(([name, value]) => wrappedIn(fields, sent, name, value) ?? [[name, value]]),
  )
  const named = Object.fromEntries(Object.entries(read).map(([name, value]) => [nameIn(fields, read, name), value]))
  for (const field of ['slug', 'token']) {
    if (!isField(fields, field) || Object.hasOwn(named, field)) continue
    const others = Object.keys(named).filter((name) => !isField(fields, name) && isSynonym(name, field))
    const [other] = others
    if (other === undefined || others.length > 1 || typeof named[other] !== 'string') continue
    if (field === 'slug' && place?.required?.includes(field) !== true) continue
    named[field] = named[other]
    delete named[other]
  }
  return named
}

/** The fields in a wrapping object, if it contains nothing else and none of them is also sent beside it; else null. */
function wrappedIn(
  fields: Fields,
  sent: Record<string, unknown>,
  name: string,
  value: unknown,
): [string, unknown][] | null {
  if (!isWrapper(name) || isField(fields, name)) return null
  const inner = typeof value === 'string' && KINDS.object?.looks.test(value) ? jsonIn(value) : value
  if (!isObject(inner)) return null
  const entries = Object.entries(inner)
  const areFields = entries.every(([key]) => isField(fields, nameIn(fields, inner, key)) && !Object.hasOwn(sent, key))
  return areFields ? entries : null
}

/** The names of fields by their plain form: calls may have thousands of names, and each is looked up. */
type Fields = ReadonlyMap<string, string>

function byPlainName(fields: readonly string[]): Fields {
  return new Map(fields.map((field) => [plainName(field), field]))
}

function isField(fields: Fields, name: string): boolean {
  return fields.get(plainName(name)) === name
}

/** The field whose name differs only in capitals, `_` and `-`, unless that field is sent as well; else the name. */
function nameIn(fields: Fields, sent: Record<string, unknown>, name: string): string {
  if (name.length > MAX_NAME) return name
  const field = fields.get(plainName(name))
  return field === undefined || Object.hasOwn(sent, field) ? name : field
}

/** Longer than any field’s. */
const MAX_NAME = 40

function plainName(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '')
}

/** Parses one quoted value of a JSON Schema type. `yes` and `no` stay text: whether a call is a dry run is not guessed. */
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
  const fields = byPlainName(fieldsOf(places))
  return Object.fromEntries(
    Object.entries(value).map(([sent, one]) => {
      const name = nameIn(fields, value, sent)
      const inner = within(places, name)
      // Under a name of the sender's own, a number may be meant as text, such as an order's number.
      const isNumber = typeof one === 'number' && inner.length > 0 && !isField(fields, name)
      return [name, isNumber && inner.every(({ type }) => type === 'string') ? String(one) : read(inner, one, left)]
    }),
  )
}

/** The value of JSON text of an allowed type; undefined if the text is only text. */
function parsedAs(places: readonly Place[], text: string, left: { texts: number }): unknown {
  const kinds = places.map((place) => KINDS[place.type ?? (typeof place.const === 'number' ? 'integer' : '')])
  // Undefined for text, and for values of any type.
  if (kinds.includes(undefined) || !kinds.some((kind) => kind?.looks.test(text)) || left.texts === 0) return undefined
  left.texts -= 1
  const value = jsonIn(text)
  if (!kinds.some((kind) => kind?.is(value))) return undefined
  refuseLarger(value, MAX_SIZE)
  return value
}

/** Words that models write for true and false. */
const YES = /^(?:true|yes)$/i
const NO = /^(?:false|no)$/i

function jsonIn(text: string): unknown {
  try {
    return YES.test(text) || NO.test(text) ? YES.test(text) : parseJson(text)
  } catch {
    return undefined
  }
}
