import type { Content } from '../../db/schema.ts'
import type { Issue, Path } from '../core/issue.ts'
import { invalid, Problem } from '../core/problem.ts'
import { BOUNDS } from './bounds.ts'
import type { SentLinks } from './link-shapes.ts'
import { changesLinks } from './link-shapes.ts'

type Links = Pick<Content, 'urls' | 'urlMetadata'>

/**
 * An edit with the whole lists that its changes of single links make of a version: first links are removed, then metadata is
 * set, then links are added one after the other. An edit of a bundle that others edit meanwhile is made anew of their version.
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
    .map(({ url, metadata }) => ({ url, metadata: withoutNull(metadata) }))
  for (const { url, at = links.length, ...metadata } of addUrls) links.splice(at, 0, { url, metadata })
  return { ...rest, urls: links.map(({ url }) => url), urlMetadata: links.map(({ metadata }) => metadata) }
}

function withoutNull<Fields extends object>(fields: Fields) {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null),
  ) as Content['urlMetadata'][number]
}

/** What is wrong with changes of the links that there are. */
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

/** Runs checks of the content that an edit makes, which say of links that were sent one by one where that was. */
export function asSent({ addUrls = [], setMetadata = {} }: SentLinks, { urls }: Links, check: () => void): void {
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
