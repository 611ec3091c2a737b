import type { ListedLink, Listing } from '../../views/home/form.ts'
import { BOUNDS } from '../bundles/bounds.ts'
import { ABOUT_NAMES, each } from '../bundles/content.ts'
import { onOneLine } from '../imports/clean.ts'
import { readList, splitList } from '../imports/import.ts'
import type { FoundList, ImportedLink } from '../imports/plan.ts'
import { readText } from '../imports/reading.ts'

// The list of the home page. Its form has the pasted text, and below it a row for each link: its address in `url`, its
// title in `note`, the title that was found in `was`, and in `removed` its address if it is to be left out. So whatever was
// typed into a row stays when the text is read again.

/** Maximum bundles that a long list is split into here; longer lists go through the import. */
const MAX_PARTS = 4

/** More can be made by no button of the form. */
const MAX_LISTED = MAX_PARTS * BOUNDS.urls

/** Rows of a form, those of removed links among them: more than anybody removes one by one. */
const MAX_ROWS = 1_000

/** The fields that the page writes itself. */
export const WRITTEN = ['url', 'note', 'was', 'removed', ...ABOUT_NAMES.map((name) => `found-${name}`)]

/** What the form says of a link. */
interface Row {
  /** Undefined if it says nothing. */
  title: string | undefined
  found: string
}

function rowsIn(sent: URLSearchParams): Map<string, Row> {
  const [titles, found] = [sent.getAll('note'), sent.getAll('was')]
  return new Map(sent.getAll('url').map((url, at) => [url, { title: titles[at], found: found[at] ?? '' }]))
}

/** A text of the form, as bundles store it. */
export function typedText(sent: URLSearchParams, name: string): string {
  return (sent.get(name) ?? '').replaceAll('\r\n', '\n').trim()
}

/** The links of the form's text as they are listed below it, with what was typed there. */
export async function readListing(sent: URLSearchParams): Promise<Listing> {
  const read = await readText(sent.getAll('urls').join('\n'), 'list')
  const rows = rowsIn(sent)
  const removed = new Set(sent.getAll('removed'))
  const listed = read.links.map((link) => {
    const [row, found] = [rows.get(link.url), onOneLine(link.metadata.note ?? '')]
    const title = row?.title === undefined || row.title === row.found ? found : row.title
    return { link, isRemoved: removed.has(link.url), title, found }
  })
  const kept = listed.filter(({ isRemoved }) => !isRemoved)
  const last = kept[MAX_LISTED - 1]
  const end = last === undefined ? listed.length : listed.indexOf(last) + 1
  const shown = listed.slice(0, Math.min(end, MAX_ROWS))
  const list: FoundList = {
    ...read,
    ...each(ABOUT_NAMES, (name) => {
      const typed = typedText(sent, name)
      return (typed === typedText(sent, `found-${name}`) ? read[name] : typed) || null
    }),
    links: kept.map(({ link, title, found }) => titled(link, title.trim(), found)),
  }
  const parts = splitList(list).length
  return {
    list,
    links: shown.map(({ link: { url }, title, found, isRemoved }) => ({ url, title, found, isRemoved })),
    count: kept.length,
    removed: listed.length - kept.length,
    found: each(ABOUT_NAMES, (name) => read[name] ?? ''),
    hasNew: kept.some(({ link: { url } }) => !rows.has(url)),
    parts: parts <= MAX_PARTS ? parts : 0,
  }
}

/** The list of a form that is not read: its rows as they were sent. */
export function unreadListing(sent: URLSearchParams): Listing {
  const removed = new Set(sent.getAll('removed'))
  const links = [...rowsIn(sent)].slice(0, MAX_ROWS).map(([url, { title = '', found }]): ListedLink => {
    return { url, title, found, isRemoved: removed.has(url) }
  })
  const count = links.filter(({ isRemoved }) => !isRemoved).length
  const list = { ...readList(''), ...each(ABOUT_NAMES, (name) => typedText(sent, name)) }
  const found = each(ABOUT_NAMES, (name) => typedText(sent, `found-${name}`))
  return { list, links, count, removed: links.length - count, found, hasNew: false, parts: 0 }
}

function titled(link: ImportedLink, title: string, found: string): ImportedLink {
  if (title === found) return link
  const { note: _, ...metadata } = link.metadata
  return { ...link, metadata: title === '' ? metadata : { ...metadata, note: title } }
}
