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

/** Whether a name is another word for a field. */
export function isSynonym(name: string, field: string): boolean {
  const words = Object.hasOwn(SYNONYMS, field) ? SYNONYMS[field] : undefined
  return words?.includes(name.slice(0, MAX_WORD).toLowerCase().replace(/[-_]/g, '')) ?? false
}

/** Longer than any of the words. */
const MAX_WORD = 40
