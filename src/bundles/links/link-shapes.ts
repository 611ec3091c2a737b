import { type Type, type } from 'arktype'
import type { Content, UrlMetadata as StoredMetadata } from '../../../db/schema.ts'
import type { Issue, Path } from '../../core/issue.ts'
import { invalid, Problem } from '../../core/problem.ts'
import { type Checked, object, refuse, refusing, says } from '../../core/shape.ts'
import { line, lines, Url, withText } from '../../core/text-shapes.ts'
import { BOUNDS, each } from '../content/content.ts'
import { LINK_DOCS } from '../content/field-docs.ts'
import { LINK_NAMES, type LinkName, linkField } from './link-fields.ts'

// The input about links: their metadata, and changes to single links.

/** Makes all shapes optional. */
export function optional<Shapes extends object>(shapes: Shapes) {
  const entries = Object.entries(shapes).map(([name, shape]) => [`${name}?`, shape])
  return Object.fromEntries(entries) as { [Name in keyof Shapes & string as `${Name}?`]: Shapes[Name] }
}

const metadata = each(LINK_NAMES, (name) => shapeOf(linkField(name)))

/** The fields of a link, all optional. */
const described = optional(each(LINK_NAMES, (name) => says(metadata[name], ...LINK_DOCS[name])))

/** The metadata of a URL: any of the fields of a link. */
export const UrlMetadata = object(described, 'UrlMetadata') as unknown as Type<StoredMetadata>

function shapeOf(field: ReturnType<typeof linkField>): Type<unknown> {
  switch (field.kind) {
    case 'text':
      return field.lines === 'many' ? lines(field.max) : line(field.max).narrow(withText)
    case 'tags':
      return line(field.max).narrow(withText).array().atMostLength(field.most)
    case 'choice':
      return type.enumerated(...field.options)
    case 'switch':
      return type('boolean')
  }
}

const AddedLink = object(
  {
    url: says(Url, 'Its URL: http: or https:.', 'https://example.com/chat'),
    'at?': says(`0 <= number.integer <= ${BOUNDS.urls - 1}`, 'Its place, counted from 0; by default the last.', 0),
    ...described,
  },
  'AddedLink',
) as unknown as Type<{ url: string; at?: number } & StoredMetadata>

/** A change to a link’s metadata; null removes a field. */
const MetadataChange = object(
  optional(each(LINK_NAMES, (name) => says(metadata[name].or('null'), ...LINK_DOCS[name]))),
  'MetadataChange',
) as unknown as Type<{ [Name in LinkName]?: StoredMetadata[Name] | null }>

/** Changes to single links, by URL. */
export const linkChanges = optional({
  addUrls: says(
    AddedLink.array().atLeastLength(1).atMostLength(BOUNDS.urls),
    'Links to add, one after the other. Never with `urls` or `urlMetadata`.',
    [{ url: 'https://example.com/chat', note: 'Say hello', at: 0 }],
  ),
  removeUrls: says(
    Url.array().atLeastLength(1).atMostLength(BOUNDS.urls),
    'The URLs of links to remove, before any is added.',
    ['https://example.com/plan'],
  ),
  setMetadata: says(
    type({ '[string]': MetadataChange }).narrow(
      refusing({ minProperties: 1, maxProperties: BOUNDS.urls }, (changes: object) => {
        const { length } = Object.keys(changes)
        if (length === 0) return { code: 'too_few', limit: 1, of: 'entry' }
        return length > BOUNDS.urls ? { code: 'too_many', limit: BOUNDS.urls, of: 'entry' } : null
      }),
    ),
    'Metadata to change, by URL: fields that are not sent stay, and null removes one.',
    { 'https://example.com/status': { note: 'Read this last', section: null } },
  ),
})

const NAMES = ['addUrls', 'removeUrls', 'setMetadata'] as const

/** The fields of an edit that concern links. */
export interface SentLinks {
  urls?: string[]
  urlMetadata?: StoredMetadata[]
  addUrls?: (typeof AddedLink.infer)[]
  removeUrls?: string[]
  setMetadata?: Record<string, typeof MetadataChange.infer>
}

export function changesLinks(edit: SentLinks): boolean {
  return NAMES.some((name) => edit[name] !== undefined)
}

/** Changes to single links must not be sent together with whole lists. */
export const isEitherWay = (edit: SentLinks, ctx: Checked) => {
  const name = NAMES.find((name) => edit[name] !== undefined)
  const isWhole = edit.urls !== undefined || edit.urlMetadata !== undefined
  return name === undefined || !isWhole || refuse(ctx, { code: 'beside_whole_lists' }, name)
}

type Links = Pick<Content, 'urls' | 'urlMetadata'>

/**
 * Replaces an edit’s changes to single links by the whole lists that they make of a version: links are removed, then metadata is
 * set, then links are added one after the other. After a concurrent edit, this is repeated with the newer version.
 * @throws Problem INVALID_URLS, BAD_REQUEST.
 */
export function withWholeLists<Edit extends SentLinks>(
  before: Links,
  edit: Edit,
): Omit<Edit, 'addUrls' | 'removeUrls' | 'setMetadata'> & Partial<Links> {
  const { addUrls = [], removeUrls = [], setMetadata = {}, ...rest } = edit
  if (!changesLinks(edit)) return rest
  const issues = unfit(before, { addUrls, removeUrls, setMetadata })
  if (issues.length > 0) throw invalid(issues)
  const links = before.urls
    .map((url, at) => ({ url, metadata: before.urlMetadata[at] ?? {} }))
    .filter(({ url }) => !removeUrls.includes(url))
    .map(({ url, metadata }) => ({
      url,
      metadata: Object.hasOwn(setMetadata, url) ? { ...metadata, ...setMetadata[url] } : metadata,
    }))
    .map(({ url, metadata }) => ({ url, metadata: dropNulls(metadata) }))
  for (const { url, at = links.length, ...metadata } of addUrls) links.splice(at, 0, { url, metadata })
  return { ...rest, urls: links.map(({ url }) => url), urlMetadata: links.map(({ metadata }) => metadata) }
}

function dropNulls<Fields extends object>(fields: Fields) {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null),
  ) as Content['urlMetadata'][number]
}

/** The issues with changes to single links, given the current ones. */
function unfit(
  { urls }: Links,
  { addUrls, removeUrls, setMetadata }: Required<Pick<SentLinks, 'addUrls' | 'removeUrls' | 'setMetadata'>>,
): Issue[] {
  const gone = removeUrls.flatMap((url, at): Issue[] =>
    urls.includes(url) && removeUrls.indexOf(url) === at
      ? []
      : [{ path: ['removeUrls', at], reason: { code: 'no_link_of_it' } }],
  )
  const kept = urls.filter((url) => !removeUrls.includes(url))
  const unset = Object.keys(setMetadata).flatMap((url): Issue[] =>
    kept.includes(url) ? [] : [{ path: ['setMetadata', url], reason: { code: 'no_link_of_it' } }],
  )
  const twice = addUrls.flatMap(({ url }, at): Issue[] => {
    const path: Path = ['addUrls', at, 'url']
    if (kept.includes(url)) return [{ path, reason: { code: 'a_link_already' } }]
    const isFirst = addUrls.findIndex((link) => link.url === url) === at
    return isFirst ? [] : [{ path, reason: { code: 'link_sent_twice' } }]
  })
  const issues = [...gone, ...unset, ...twice]
  if (issues.length > 0) return issues
  const links = kept.length + addUrls.length
  if (links === 0) return [{ path: ['removeUrls'], reason: { code: 'no_link_left' } }]
  return links > BOUNDS.urls ? [{ path: ['addUrls'], reason: { code: 'too_many_links', links, max: BOUNDS.urls } }] : []
}

/** Runs a check of the edited content. Issues about links that were sent one by one get the paths of the input. */
export function checkSentLinks(
  { addUrls = [], setMetadata = {} }: SentLinks,
  { urls }: Links,
  check: () => void,
): void {
  const sentAt = ([field, at, ...rest]: Path): Path | null => {
    const isOfLink = (field === 'urls' || field === 'urlMetadata') && typeof at === 'number'
    const url = isOfLink ? urls[at] : undefined
    if (url === undefined) return null
    const added = addUrls.findIndex((link) => link.url === url)
    if (added !== -1) return ['addUrls', added, ...(field === 'urls' ? ['url'] : rest)]
    return field === 'urlMetadata' && Object.hasOwn(setMetadata, url) ? ['setMetadata', url, ...rest] : null
  }
  try {
    check()
  } catch (error) {
    if (!(error instanceof Problem) || error.issues.length === 0) throw error
    throw invalid(error.issues.map((issue) => ({ ...issue, path: sentAt(issue.path) ?? issue.path })))
  }
}
