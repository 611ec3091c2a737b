import { isNear } from '../core/distance.ts'

/** What people and other services call fields of ours: no typing mistakes, but nearly as frequent. In lower case, without `_`. */
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

/** What people and other services call values of ours. In lower case. */
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

/** Shorter options are near too many words. */
const NEAR_FROM = 4

/** The option that a text probably stands for. */
export function optionMeantBy(text: string, options: readonly string[]): string | undefined {
  const word = text.trim().toLowerCase()
  return (
    options.find((option) => option.toLowerCase() === word) ??
    options.find((option) => Object.hasOwn(OPTIONS, option) && OPTIONS[option]?.includes(word)) ??
    options.find((option) => option.length >= NEAR_FROM && word.length >= NEAR_FROM && isNear(word, option))
  )
}

/** Names under which others send all fields in an object of their own. */
const WRAPPERS: readonly string[] = [
  ...['input', 'body', 'params', 'parameters', 'arguments', 'args', 'data', 'payload', 'json', 'request', 'options'],
  ...['bundle', 'changes', 'fields', 'query', 'webhook', 'key'],
]

/** Whether a name is one of those; of a field of the same name it is not asked. */
export function isWrapper(name: string): boolean {
  return WRAPPERS.includes(name)
}

/** Whether a name is another word for a field. */
export function isSynonym(name: string, field: string): boolean {
  const words = Object.hasOwn(SYNONYMS, field) ? SYNONYMS[field] : undefined
  return words?.includes(name.slice(0, MAX_WORD).toLowerCase().replace(/[-_]/g, '')) ?? false
}

/** Longer than any of the words. */
const MAX_WORD = 40
