import { isNear } from '../core/distance.ts'
import type { Hint, Issue, Path, Reason } from '../core/issue.ts'
import { isObject } from '../core/untyped.ts'
import { fixedIn, meantIn, rangeOf } from './forms.ts'
import type { Operation } from './operation.ts'
import { fieldsOf, isLeftOut, type Place, placesAt, takesNull, within } from './places.ts'
import { isSynonym, isWrapper, optionMeantBy } from './synonyms.ts'

/** Longer values are not quoted: their senders know what they sent. */
const MAX_QUOTED = 100
/** So are longer lists and objects. */
const MAX_SHOWN = 500

/** What a sender of JSON over HTTP puts into a header, by what tools call it. */
const HEADERS = { expectedVersion: 'If-Match', idempotencyKey: 'Idempotency-Key' } as const

type Flags = Pick<Operation, 'versioned' | 'idempotent'>

/**
 * What the sender of a wrong field probably meant, if it can be told.
 * @param sent the whole input. @param flags of the operation, if it is that of a call.
 */
export function hintFor(
  { path, reason }: Issue,
  schema: Operation['input'],
  sent: unknown,
  flags: Flags = {},
): Hint | undefined {
  const name = String(path.at(-1))
  const above = path.slice(0, -1)
  const parent = above.reduce(valueIn, sent)
  if (reason.code === 'missing') return isObject(parent) ? forMissing(name, parent) : undefined
  const value = valueIn(parent, path.at(-1) ?? '')
  if (reason.code === 'unknown_field') return forUnknown(name, value, placesAt(schema, above), flags)
  if (reason.code === 'not_a_web_address') {
    const text = String(value).trim()
    return text.length > MAX_QUOTED ? undefined : { code: 'instead_of', sent: text, meant: addressIn(text) }
  }
  const places = placesAt(schema, path)
  if (value === '' && isOptional(placesAt(schema, above), name))
    return { code: 'left_out', orNull: places.some(takesNull) }
  const isReceiver = path[0] === 'to' && places.every(({ type }) => type !== 'string')
  if (isReceiver && typeof valueIn(sent, 'to') === 'string') return { code: 'by_receiver' }
  return named(path, value, places) ?? chosen({ path, reason }, value, places) ?? formed(path, reason, value, places)
}

function isOptional(parents: readonly Place[], name: string): boolean {
  return isLeftOut(parents, name) || within(parents, name).some(takesNull)
}

/** What has a name other than the one that was sent. */
function named(path: Path, value: unknown, places: readonly Place[]): Hint | undefined {
  const [first] = path
  if (first === 'removeUrls' && typeof value === 'number') return { code: 'by_link' }
  if (typeof value !== 'string' || path.length > 1) return undefined
  return first === 'id' && places.every(({ type }) => type === 'integer') ? { code: 'by_listed_id' } : undefined
}

/** One of the options of a place, by another word. */
function chosen({ path, reason }: Issue, value: unknown, places: readonly Place[]): Hint | undefined {
  const listed = places.flatMap(({ enum: options = [], const: only }) => (only === undefined ? options : [only]))
  const options = reason.code === 'no_option' ? reason.options : listed.filter((option) => typeof option === 'string')
  if (options.length === 0 || (typeof value !== 'string' && typeof value !== 'number')) return undefined
  const text = String(value).slice(0, MAX_QUOTED)
  const group = /^(\w+)\.\*$/.exec(text)?.[1]
  if (group !== undefined && !options.includes(group)) {
    const values = options.filter((option) => option.startsWith(`${group}.`))
    return values.length === 0 ? undefined : { code: 'meant_each', values }
  }
  const meant = group ?? optionMeantBy(text, options)
  if (meant !== undefined) return { code: 'meant', value: meant }
  return path.at(-1) === 'access' ? { code: 'by_access' } : undefined
}

/** A value in another form than its place takes. */
function formed(path: Path, reason: Reason, value: unknown, places: readonly Place[]): Hint | undefined {
  if (reason.code === 'not_texts' && typeof value === 'string') return shortly([value])
  if (reason.code === 'not_a_day' && typeof value === 'string') {
    const [, day] = /^(\d{4}-\d\d-\d\d)[T ]/.exec(value) ?? []
    return day === undefined ? undefined : { code: 'meant', value: day }
  }
  if (reason.code !== 'type' && reason.code !== 'either' && reason.code !== 'not_a_condition') return undefined
  if (typeof value === 'string' && /^\s*[[{]/.test(value)) return { code: 'meant_json' }
  if (typeof value === 'number' && TIME_FIELD.test(String(path.at(-1)))) return shortly(instantOf(value))
  const isLink = isObject(value) && typeof value.url === 'string'
  if (isLink && path[0] === 'urls' && path.length === 2 && (value.url as string).length <= MAX_QUOTED)
    return { code: 'meant_text', link: value.url as string }
  return shortly(meantIn(places, value)?.value)
}

/** The names of fields that take a time. */
const TIME_FIELD = /(?:At|^since|^until)$/

/** The time of a count of seconds, or milliseconds, since 1970, in this century. */
function instantOf(count: number): string | undefined {
  const at = new Date(count < 1e11 ? count * 1000 : count)
  return count > 1e9 && at.getTime() < Date.UTC(2100, 0) ? at.toISOString() : undefined
}

function shortly(value: unknown): Hint | undefined {
  if (value === undefined) return undefined
  const isLong = typeof value === 'string' ? value.length > MAX_QUOTED : JSON.stringify(value).length > MAX_SHOWN
  return isLong ? undefined : { code: 'meant', value }
}

function valueIn(value: unknown, key: string | number): unknown {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined
}

/** A required field that was sent under another name: `url` or `links` for `urls`. */
function forMissing(name: string, beside: Record<string, unknown>): Hint | undefined {
  const names = Object.keys(beside)
  const other = names.find((key) => isNear(key, name)) ?? names.find((key) => isSynonym(key, name))
  return other === undefined ? undefined : { code: 'sent_as', name: other }
}

function forUnknown(name: string, value: unknown, places: readonly Place[], flags: Flags): Hint | undefined {
  const fields = fieldsOf(places)
  if (isObject(value) && isWrapper(name) && Object.keys(value).some((key) => fields.includes(key)))
    return { code: 'wrapped' }
  if (name === 'keyPrefix' && fields.includes('id')) return { code: 'by_listed_id' }
  if (name === 'expectedVersion' && flags.versioned) return { code: 'as_header', header: HEADERS[name] }
  if (name === 'idempotencyKey' && flags.idempotent) return { code: 'as_header', header: HEADERS[name] }
  const near = fields.find((field) => isNear(name, field)) ?? fields.find((field) => isSynonym(name, field))
  const range = near === undefined ? undefined : rangeOf(within(places, near), value)
  if (near !== undefined) return { code: 'near', name: near, ...(range === undefined ? {} : { value: range }) }
  return deeper(name, value, places)
}

/** A field that belongs one level deeper: into an object, or into each entry of the metadata of links. */
function deeper(name: string, value: unknown, places: readonly Place[]): Hint | undefined {
  if ((typeof value === 'string' ? value : JSON.stringify(value)).length > MAX_QUOTED) return undefined
  for (const field of fieldsOf(places)) {
    const inner = within(places, field)
    const own = inner.find(({ properties = {} }) => Object.hasOwn(properties, name))
    if (own !== undefined) return { code: 'near', name: field, value: { ...fixedIn(own), [name]: value } }
    const isOfLinks = field === 'urlMetadata' && fieldsOf(within(inner, 0)).includes(name)
    if (isOfLinks) return { code: 'near', name: field, value: [{ [name]: value }] }
  }
  return undefined
}

function addressIn(text: string): string | null {
  const address = `https://${text}`
  const isHost = /^[^\s:/?#@]+\.[^\s:/?#@]+(?::\d+)?(?:[/?#]\S*)?$/.test(text) && URL.canParse(address)
  return isHost ? address : null
}
