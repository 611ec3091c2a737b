import { isNear } from '../core/distance.ts'
import type { Hint, Issue, Path, Reason } from '../core/issue.ts'
import { isObject } from '../core/untyped.ts'
import { fixedIn, meantIn, rangeOf } from './forms.ts'
import type { Operation } from './operation.ts'
import { fieldsOf, isLeftOut, type Place, placesAt, takesNull, within } from './places.ts'

/** Longer values are not quoted: their senders know what they sent. */
const MAX_QUOTED = 100
/** So are longer lists and objects. */
const MAX_SHOWN = 500

/** Fields of tools that are headers over HTTP. */
const HEADERS = { expectedVersion: 'If-Match', idempotencyKey: 'Idempotency-Key' } as const

/** Properties of the operation that an input is for. */
export type Flags = Pick<Operation, 'versioned' | 'idempotent'> & {
  /** Set if the input is one of several in a call. */
  isEntry?: true
}

/**
 * The probable intention behind a wrong field, if it is clear.
 * @param sent the whole input. @param flags of the operation, if the input is a call's.
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
    const isQuoted = text.length <= MAX_QUOTED && !CREDENTIALS.test(text)
    return isQuoted ? { code: 'instead_of', sent: text, meant: addressIn(text) } : undefined
  }
  const places = placesAt(schema, path)
  if (value === '' && isOptional(placesAt(schema, above), name))
    return { code: 'left_out', orNull: places.some(takesNull) }
  if (path.some(isSecret)) return undefined
  const isReceiver = path[0] === 'to' && places.every(({ type }) => type !== 'string')
  if (isReceiver && typeof valueIn(sent, 'to') === 'string') return { code: 'by_receiver' }
  return named(path, value, places) ?? chosen({ path, reason }, value, places) ?? formed(path, reason, value, places)
}

/** Names of secrets, whose values an error must not repeat: errors end up in logs, and in models' contexts. */
const SECRET = /password|secret|token|credential|key$/i
/** A user name or a password before the host of an address. */
const CREDENTIALS = /(?:\/\/|:)[^/\s]*@/

function isSecret(name: string | number): boolean {
  return typeof name === 'string' && SECRET.test(name)
}

function isOptional(parents: readonly Place[], name: string): boolean {
  return isLeftOut(parents, name) || within(parents, name).some(takesNull)
}

/** A field sent under another name. */
function named(path: Path, value: unknown, places: readonly Place[]): Hint | undefined {
  const [first] = path
  if (first === 'removeUrls' && typeof value === 'number') return { code: 'by_link' }
  if (typeof value !== 'string' || path.length > 1) return undefined
  return first === 'id' && places.every(({ type }) => type === 'integer') ? { code: 'by_listed_id' } : undefined
}

/** An option of a place, sent as a synonym. */
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

/** A value sent in another form than its place takes. */
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

/** Matches the names of time fields. */
const TIME_FIELD = /(?:At|^since|^until)$/

/** Interprets a number as seconds or milliseconds since 1970, within this century. */
function instantOf(count: number): string | undefined {
  const at = new Date(count < 1e11 ? count * 1000 : count)
  return count > 1e9 && at.getTime() < Date.UTC(2100, 0) ? at.toISOString() : undefined
}

function shortly(value: unknown): Hint | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string') return value.length > MAX_QUOTED ? undefined : { code: 'meant', value }
  const text = JSON.stringify(value)
  return text.length > MAX_SHOWN || hasSecret(text) ? undefined : { code: 'meant', value }
}

/** Whether JSON contains a field named like a secret, or an address with credentials. */
function hasSecret(json: string): boolean {
  return CREDENTIALS.test(json) || Array.from(json.matchAll(/"(\w+)":/g), ([, name = '']) => name).some(isSecret)
}

function valueIn(value: unknown, key: string | number): unknown {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined
}

/** More fields than any object has; further ones are not compared, at 5 µs each. */
const MAX_NAMES = 100

/** A required field that was sent under another name: `url` or `links` for `urls`. */
function forMissing(name: string, beside: Record<string, unknown>): Hint | undefined {
  const names = Object.keys(beside).slice(0, MAX_NAMES)
  const other = names.find((key) => isNear(key, name)) ?? names.find((key) => isSynonym(key, name))
  return other === undefined ? undefined : { code: 'sent_as', name: other }
}

function forUnknown(name: string, value: unknown, places: readonly Place[], flags: Flags): Hint | undefined {
  const fields = fieldsOf(places)
  if (isObject(value) && isWrapper(name) && Object.keys(value).some((key) => fields.includes(key)))
    return { code: 'wrapped' }
  if (name === 'keyPrefix' && fields.includes('id')) return { code: 'by_listed_id' }
  if (name === 'expectedVersion' && flags.versioned) return { code: 'as_header', header: HEADERS[name] }
  if (name === 'idempotencyKey' && flags.isEntry) return { code: 'of_call' }
  if (name === 'idempotencyKey' && flags.idempotent) return { code: 'as_header', header: HEADERS[name] }
  const near = fields.find((field) => isNear(name, field)) ?? fields.find((field) => isSynonym(name, field))
  const range = near === undefined ? undefined : rangeOf(within(places, near), value)
  if (near !== undefined) return { code: 'near', name: near, ...(range === undefined ? {} : { value: range }) }
  return deeper(name, value, places)
}

/** Lists whose entries a misplaced field may be intended for. */
const LISTS: readonly string[] = ['urlMetadata', 'bundles', 'edits']

/** A field that belongs one level deeper: in an object, or in each entry of a list. */
function deeper(name: string, value: unknown, places: readonly Place[]): Hint | undefined {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length > MAX_QUOTED || isSecret(name) || hasSecret(text)) return undefined
  for (const field of fieldsOf(places)) {
    const inner = within(places, field)
    const own = inner.find(({ properties = {} }) => Object.hasOwn(properties, name))
    if (own !== undefined) return { code: 'near', name: field, value: { ...fixedIn(own), [name]: value } }
    const isOfEntries = LISTS.includes(field) && fieldsOf(within(inner, 0)).includes(name)
    if (isOfEntries) return { code: 'near', name: field, value: [{ [name]: value }] }
  }
  return undefined
}

function addressIn(text: string): string | null {
  const address = `https://${text}`
  const isHost = /^[^\s:/?#@]+\.[^\s:/?#@]+(?::\d+)?(?:[/?#]\S*)?$/.test(text) && URL.canParse(address)
  return isHost ? address : null
}

/**
 * Names that people and other services use for the API's fields: no typing mistakes, but nearly as frequent. In lower case,
 * without `_`.
 */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  urls: ['links', 'tabs', 'bookmarks', 'pages', 'addresses', 'websites', 'uris', 'items'],
  url: ['link', 'href', 'uri', 'address', 'callback', 'endpoint', 'target'],
  addUrls: ['addlinks', 'add', 'append'],
  removeUrls: ['removelinks', 'remove', 'deleteurls', 'deletelinks'],
  urlMetadata: ['linkmetadata', 'notes', 'annotations', 'urlnotes'],
  setMetadata: ['updatemetadata'],
  title: ['name', 'headline', 'label', 'heading'],
  name: ['title', 'label'],
  description: ['summary', 'subtitle', 'text', 'body', 'about'],
  note: ['comment', 'caption', 'title', 'description', 'label', 'text'],
  tags: ['labels', 'keywords', 'categories'],
  section: ['group', 'heading', 'folder', 'category'],
  openPolicy: ['open', 'policy', 'mode'],
  range: ['days', 'period', 'timeframe', 'interval'],
  bundles: ['items', 'links', 'entries'],
  edits: ['items', 'updates', 'changes', 'bundles'],
  when: ['if', 'condition', 'conditions', 'where'],
  op: ['operator'],
  tabs: ['urls', 'links'],
  token: ['claimurl', 'claimtoken'],
  slug: ['bundle', 'bundleid', 'alias', 'shortcode', 'id', 'key', 'link', 'url'],
  newSlug: ['alias', 'slug'],
  resolutionPolicy: ['policy', 'rules', 'targeting', 'personalization'],
  variables: ['params', 'parameters', 'placeholders'],
  values: ['variables', 'params', 'parameters'],
  opensAt: ['startsat', 'startat', 'start', 'validfrom', 'publishat'],
  closesAt: ['endsat', 'endat', 'end', 'expiresat', 'expires', 'expiration', 'validuntil'],
  access: ['visibility', 'privacy'],
  externalId: ['foreignid', 'reference', 'ref', 'customid'],
  metadata: ['custom', 'properties', 'attributes', 'extra'],
  versionNumber: ['version', 'revision'],
  q: ['query', 'search', 'filter', 'text'],
  limit: ['pagesize', 'perpage', 'count', 'max', 'size'],
  offset: ['skip', 'start'],
  cursor: ['after', 'pagetoken', 'nextcursor', 'startingafter'],
  sort: ['orderby', 'order', 'sortby'],
  scopes: ['permissions', 'rights'],
  events: ['eventtypes', 'types', 'topics'],
  reason: ['message', 'why', 'comment'],
}

/** Synonyms for values of the API, in lower case. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  link: ['public', 'anyone', 'everyone', 'everybody', 'open', 'unlisted'],
  'links:read': ['read', 'readonly', 'read-only'],
  '*': ['all', 'any', 'everything'],
  equals: ['eq', 'is', '=', '==', '===', 'equal'],
  in: ['oneof', 'one_of', 'anyof'],
  startsWith: ['prefix', 'beginswith', 'starts_with'],
  endsWith: ['suffix', 'ends_with'],
  contains: ['includes', 'like'],
  exists: ['isset', 'present'],
  before: ['lt', '<'],
  after: ['gt', '>'],
  '7d': ['7', 'week', 'last week', 'last 7 days', '1w'],
  '30d': ['30', 'month', 'last month', 'last 30 days', '1m'],
  '90d': ['90', 'quarter', 'last quarter', 'last 90 days', '3m'],
  auto: ['automatic', 'automatically'],
  active: ['open', 'current'],
  deleted: ['trash', 'archived'],
}

/** Shorter options resemble too many words. */
const NEAR_FROM = 4

/** The option that a text probably means. */
function optionMeantBy(text: string, options: readonly string[]): string | undefined {
  const word = text.trim().toLowerCase()
  return (
    options.find((option) => option.toLowerCase() === word) ??
    options.find((option) => Object.hasOwn(OPTIONS, option) && OPTIONS[option]?.includes(word)) ??
    options.find((option) => option.length >= NEAR_FROM && word.length >= NEAR_FROM && isNear(word, option))
  )
}

/** Names of objects in which some clients wrap all fields. */
const WRAPPERS: readonly string[] = [
  ...['input', 'body', 'params', 'parameters', 'arguments', 'args', 'data', 'payload', 'json', 'request', 'options'],
  ...['bundle', 'changes', 'fields', 'query', 'webhook', 'key'],
]

/** Whether a name is such a wrapper. Callers except fields that really have that name. */
export function isWrapper(name: string): boolean {
  return WRAPPERS.includes(name)
}

/** Whether a name is a synonym for a field. */
export function isSynonym(name: string, field: string): boolean {
  const words = Object.hasOwn(SYNONYMS, field) ? SYNONYMS[field] : undefined
  return words?.includes(name.slice(0, MAX_WORD).toLowerCase().replace(/[-_]/g, '')) ?? false
}

/** Longer than any known synonym. */
const MAX_WORD = 40
