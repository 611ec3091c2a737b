import { BOUNDS } from '../../src/bundles/content/content.ts'
import type { Said } from '../../src/bundles/list/found.ts'
import { routes } from '../../src/core/routes.ts'
import { unfitUrl } from '../../src/core/text.ts'
import { count, joinList } from '../../src/core/words.ts'
import { siteNameOf } from '../../src/icons/site.ts'
import { clip, onOneLine } from '../../src/imports/clean.ts'
import { settled } from '../../src/imports/settled.ts'
import { titleOfSections } from '../../src/imports/split.ts'
import { titleIn } from '../../src/imports/titles.ts'

// What the browser has open or has stored, as the links of a bundle. All rules of links and titles are the service's own.

/** A tab or a bookmark. */
export interface Found {
  url: string
  title: string
  /** The name of its group or folder; `''` for none. */
  section: string
}

/** A link to save. */
export interface Link extends Found {
  /** What its user should know about it: unwrapped, holds a password. */
  said: readonly Said[]
  isRemoved: boolean
}

/** Why something is left out. */
export type Reason = keyof typeof LEFT_OUT

interface LeftOut {
  title: string
  reason: Reason
}

export interface TabList {
  links: Link[]
  left: LeftOut[]
  /** How many more there are after as many links as one list takes. */
  beyond: number
}

const LEFT_OUT = {
  browser: ['browser page', 'browser pages'],
  extension: ['extension page', 'extension pages'],
  file: ['local file', 'local files'],
  launcher: ['launcher', 'launchers'],
  twice: ['duplicate', 'duplicates'],
  long: ['address that is too long', 'addresses that are too long'],
  other: ['address that can’t be shared', 'addresses that can’t be shared'],
} as const

/** The most links of one list: more than ten bundles are an import. */
export const MAX_LINKS = 10 * BOUNDS.urls
/** The most tabs or bookmarks that are looked at. */
const MAX_LOOKED = 2_000

/**
 * The distinct links among tabs or bookmarks, and what is left out.
 * @param origins the connected instances, whose launchers are left out.
 */
export function listOf(found: readonly Found[], origins: readonly string[]): TabList {
  const [links, left]: [Link[], LeftOut[]] = [[], []]
  const seen = new Set<string>()
  let looked = 0
  for (const one of found) {
    if (links.length === MAX_LINKS || looked === MAX_LOOKED) break
    looked += 1
    const title = titleFor(one.title)
    const { url, note = '', said = [] } = settled({ line: 0, url: one.url, note: title })
    const unfit = unfitUrl(url.trim())
    const reason = unfit === null ? reasonAgainst(url, origins, seen) : reasonOf(url, unfit.code)
    if (reason !== null) left.push({ title: title || one.url, reason })
    else
      links.push({ url: url.trim(), title: titleFor(note), section: sectionFor(one.section), said, isRemoved: false })
  }
  // One section around everything says no more than the title does.
  const sections = new Set(links.map(({ section }) => section))
  const isNamed = sections.size > 1
  return {
    links: isNamed ? links : links.map((link) => ({ ...link, section: '' })),
    left,
    beyond: found.length - looked,
  }
}

/** Why a link that could be shared is left out; else null, and it is marked as seen. */
function reasonAgainst(url: string, origins: readonly string[], seen: Set<string>): Reason | null {
  const { href, origin, pathname } = new URL(url)
  if (origins.includes(origin) && pathname.startsWith(routes.launcher.page.start)) return 'launcher'
  if (seen.has(href)) return 'twice'
  seen.add(href)
  return null
}

function reasonOf(url: string, code: string): Reason {
  if (code === 'url_too_long') return 'long'
  const [, scheme = ''] = /^\s*([a-z][a-z0-9+.-]*):/i.exec(url) ?? []
  if (/^file$/i.test(scheme)) return 'file'
  if (/extension$/i.test(scheme)) return 'extension'
  // A tab without an address is one that the browser fills.
  return scheme === '' || /^(?:about|chrome|edge|brave|opera|vivaldi|devtools|resource|view-source|read)/i.test(scheme)
    ? 'browser'
    : 'other'
}

function titleFor(text: string): string {
  return clip(onOneLine(titleIn(text, 'field')), BOUNDS.note)
}

function sectionFor(text: string): string {
  return clip(onOneLine(titleIn(text, 'field')), BOUNDS.section)
}

/** `2 left out: 1 browser page and 1 duplicate`; `''` for nothing. */
export function leftOutWords({ left, beyond }: Pick<TabList, 'left' | 'beyond'>): string {
  const kinds = [...Map.groupBy(left, ({ reason }) => reason)].map(([reason, { length }]) => {
    const [one, many] = LEFT_OUT[reason]
    return count(length, one, many)
  })
  const words = [...kinds, ...(beyond === 0 ? [] : [`${beyond} after the first ${MAX_LINKS} links`])]
  return words.length === 0 ? '' : `${left.length + beyond} left out: ${joinList(words, 'and')}`
}

/** `browser page`, for one that is left out. */
export function reasonWords(reason: Reason): string {
  return LEFT_OUT[reason][0]
}

type Tab = Pick<chrome.tabs.Tab, 'url' | 'pendingUrl' | 'title' | 'pinned' | 'index' | 'groupId'>
type Group = Pick<chrome.tabGroups.TabGroup, 'id' | 'title'>

/** Tabs in their order, pinned ones first. */
export function tabsFound(tabs: readonly Tab[], groups: readonly Group[]): Found[] {
  const names = new Map(groups.map(({ id, title = '' }) => [id, title]))
  return tabs
    .toSorted((one, other) => Number(other.pinned) - Number(one.pinned) || one.index - other.index)
    .map(({ url, pendingUrl, title = '', groupId }) => ({
      url: url || pendingUrl || '',
      title,
      section: names.get(groupId) ?? '',
    }))
}

type Folder = Pick<chrome.bookmarks.BookmarkTreeNode, 'title' | 'url'> & { children?: readonly Folder[] }

/** The bookmarks in a folder, those of each folder below it under that one's name. */
export function bookmarksFound({ children = [] }: Folder, section = ''): Found[] {
  const own = children.flatMap(({ url, title }) => (url === undefined ? [] : [{ url, title, section }]))
  const below = children.filter(({ url }) => url === undefined)
  return [...own, ...below.flatMap((folder) => bookmarksFound(folder, folder.title))]
}

const DATE = { day: 'numeric', month: 'long', year: 'numeric' } as const

/** A title as somebody would write it: of its groups, of the only link, of the site of most, or else of the day. */
export function proposedTitle(links: readonly Found[], now: Date): string {
  const [first, ...others] = links
  if (first !== undefined && others.length === 0) return first.title || siteNameOf(first.url)
  const sections = links.map(({ section }) => section)
  const named = titleOfSections(sections)
  if (named !== null && sections.filter((section) => section !== '').length * 2 >= links.length) return named
  const date = now.toLocaleDateString('en-GB', DATE)
  const hosts = Map.groupBy(links, ({ url }) => siteNameOf(url))
  const [host, { length }] = [...hosts].reduce((most, one) => (one[1].length > most[1].length ? one : most), [
    '',
    [],
  ] as [string, Found[]])
  return length > 2 && length * 2 > links.length ? `${host}, ${date}` : `Tabs of ${date}`
}

/** A link as the browser writes addresses; one that is none yet, for its placeholders, as it is. */
export function hrefOf(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url
}
