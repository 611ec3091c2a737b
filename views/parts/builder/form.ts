import { ABOUT_NAMES, type AboutName, BOUNDS, each, NOTHING } from '../../../src/bundles/content/content.ts'
import type { NewBundle } from '../../../src/bundles/content/shapes.ts'
import type { Said } from '../../../src/bundles/list/found.ts'
import {
  declaredBy,
  isDeclaration,
  type Offer,
  offersIn,
  taken,
  usesOf,
} from '../../../src/bundles/variables/placeholders.ts'
import { onOneLine } from '../../../src/imports/clean.ts'
import { readList } from '../../../src/imports/import.ts'
import type { FoundList, ImportedLink } from '../../../src/imports/plan.ts'
import { readText } from '../../../src/imports/reading.ts'
import { splitList } from '../../../src/imports/split.ts'
import { writtenIn } from '../found.tsx'
import type { NamesInLinks } from '../names-in-links.tsx'

/** A link in the list before publishing. */
export interface ListedLink {
  url: string
  /** The typed title or else the one in the text. */
  title: string
  /** The title in the pasted text. */
  found: string
  /** Its section, named by a heading in the text; `''` for none. */
  section: string
  isRemoved: boolean
  /** Whether its address is the one in the text instead of the corrected one. */
  isKept: boolean
  /** Remarks of the parser about it. */
  said: readonly Said[]
  /** The error of its title. */
  error?: string | undefined
}

/** The links in a pasted text, with all edits so far. */
export interface Listing {
  /** The links and texts to publish: without removed links, and with typed texts. */
  list: FoundList
  /** The displayed links, including removed ones; only the first of a very long list. */
  links: readonly ListedLink[]
  /** How many links are to be published, and how many were removed. */
  count: number
  removed: number
  /** The title and description in the pasted text. */
  found: Record<AboutName, string>
  /** Whether there are links that the submitted form did not show. */
  hasNew: boolean
  /** How many bundles the list could be split into; 0 or 1 if splitting is not offered. */
  parts: number
}

export interface PasteForm extends Record<AboutName, string> {
  /** The pasted text. */
  text: string
  /** The links in the text; null if nothing has been pasted. */
  listing: Listing | null
  /** The link to focus; null for none. */
  focus: string | null
  /** The treatment of the names in braces in its links. */
  names: NamesInLinks
  /** Parts of its links that could become variables. */
  offers: readonly Offer[]
  /** Whether publishing was requested: taking the last offer then publishes. */
  isWanted: boolean
  /** Whether the page asks for a review because publishing was requested before the list was seen. */
  isAsked: boolean
  /** Errors by field; `urls` is for the whole list, `form` for errors without a field. */
  errors: Partial<Record<AboutName | 'urls' | 'slug' | 'form', string>>
  /** The page with the bundles that were created before one was refused; null if none was. */
  made: string | null
}

// The list of links before publishing. Its form has the pasted text, and below it a row for each link: its address in `url`, its title in
// `note`, the title from the text in `was`, and its address in `removed` if it is to be left out. So typed edits survive when the
// text is parsed again. `kept` has the addresses from the text that replace their corrections.

/** Maximum number of bundles into which a list is split here; longer lists need the import. */
const MAX_PARTS = 4

/** The buttons of the form cannot publish more links. */
const MAX_LISTED = MAX_PARTS * BOUNDS.urls

/** Rows of a form, including removed links: more than anybody removes one by one. */
const MAX_ROWS = 1_000

/** The fields that the page itself writes. */
export const WRITTEN = ['url', 'note', 'was', 'removed', 'kept', ...ABOUT_NAMES.map((name) => `found-${name}`)]

/** A link's row in the submitted form. */
interface Row {
  /** Undefined if it was not sent. */
  title: string | undefined
  found: string
}

function rowsIn(sent: URLSearchParams): Map<string, Row> {
  const [titles, found] = [sent.getAll('note'), sent.getAll('was')]
  return new Map(sent.getAll('url').map((url, at) => [url, { title: titles[at], found: found[at] ?? '' }]))
}

/** A text from the form, normalised as bundles store it. */
export function typedText(sent: URLSearchParams, name: string): string {
  return (sent.get(name) ?? '').replaceAll('\r\n', '\n').trim()
}

/** Parses the form's text, and merges the links with the edits in their rows. */
async function readListing(sent: URLSearchParams): Promise<Listing> {
  const read = await readText(sent.getAll('urls').join('\n'), 'list')
  const rows = rowsIn(sent)
  const removed = new Set(sent.getAll('removed'))
  const asWritten = new Set(sent.getAll('kept'))
  const listed = read.links.map((made) => {
    const written = writtenIn(made.said ?? [])
    const isKept = written !== undefined && asWritten.has(written)
    const link = isKept ? { ...made, url: written } : made
    // An edit belongs to the link under either address.
    const row = rows.get(link.url) ?? rows.get(made.url) ?? rows.get(written ?? '')
    const found = onOneLine(link.metadata.note ?? '')
    const title = row?.title === undefined || row.title === row.found ? found : row.title
    return { link, isRemoved: removed.has(link.url), isKept, title, found }
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
    links: shown.map(({ link: { url, said = [], metadata }, ...row }) => {
      return { url, said, section: metadata.section ?? '', ...row }
    }),
    count: kept.length,
    removed: listed.length - kept.length,
    found: each(ABOUT_NAMES, (name) => read[name] ?? ''),
    hasNew: kept.some(({ link: { url } }) => !rows.has(url)),
    parts: parts <= MAX_PARTS ? parts : 0,
  }
}

/** The list of a form whose text is not parsed: its rows as sent. */
export function unreadListing(sent: URLSearchParams): Listing {
  const removed = new Set(sent.getAll('removed'))
  const links = [...rowsIn(sent)].slice(0, MAX_ROWS).map(([url, { title = '', found }]): ListedLink => {
    return { url, title, found, section: '', isRemoved: removed.has(url), isKept: false, said: [] }
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

// Effects of the form's buttons, with and without the script. The field `plain` has the names in braces that
// stay text; `offered` has the offers already made.

/** A form after a button was pressed. */
export interface Pressed {
  fields: URLSearchParams
  listing: Listing
  names: NamesInLinks
  /** Parts of its links that could become variables. */
  offers: readonly Offer[]
  /** Whether publishing was requested, by this button or an earlier one. */
  isWanted: boolean
  /** The link to focus; null for none. */
  focus: string | null
  /** Whether to publish now: nothing is published before it was shown, and no question is repeated. */
  isReady: boolean
}

const BUTTON = /^(declare|plain|remove|back|keep|change)-(.+)$/s

/** Applies the pressed button to the form's list and variables. */
export async function pressed(sent: URLSearchParams): Promise<Pressed> {
  const [, button, about = ''] = BUTTON.exec(sent.get('do') ?? '') ?? []
  if (button === undefined) {
    const listing = await readListing(sent)
    const names = namesIn(listing, sent)
    const offers = offersOf(listing, names)
    const known = sent.getAll('offered')
    const isAsked = offers.every(({ written }) => known.includes(written))
    const isSplit = sent.get('do') === 'split' && listing.parts > 1
    // A list that cannot be published is refused at once; the resulting page also shows it.
    const isRefused = listing.count === 0 || (listing.count > BOUNDS.urls && !isSplit)
    const isReady = isRefused || (isAsked && !listing.hasNew)
    return { fields: sent, listing, names, offers, isWanted: true, focus: null, isReady }
  }
  const fields = new URLSearchParams(sent)
  fields.delete('do')
  if (button === 'plain') fields.append('plain', about)
  if (button === 'back' || button === 'remove') without(fields, 'removed', about)
  if (button === 'remove') fields.append('removed', about)
  if (button === 'keep' || button === 'change') without(fields, 'kept', about)
  if (button === 'keep') fields.append('kept', about)
  const isDeclared = button === 'declare' && (await declare(fields, about))
  const listing = await readListing(fields)
  const names = namesIn(listing, fields)
  const offers = offersOf(listing, names)
  const isWanted = sent.has('wanted')
  // Taking the last offer also publishes, so that it takes two presses with and without the script.
  const isReady = isWanted && isDeclared && offers.length === 0 && !listing.hasNew
  return { fields, listing, names, offers, isWanted, focus: button === 'plain' ? `{${about}}` : about, isReady }
}

function without(fields: URLSearchParams, name: string, value: string) {
  const others = fields.getAll(name).filter((one) => one !== value)
  fields.delete(name)
  for (const one of others) fields.append(name, one)
}

/** Makes a variable of each occurrence of `written` in the links. Returns false if it is neither offered nor kept as text. */
async function declare(fields: URLSearchParams, written: string): Promise<boolean> {
  const kept = fields.getAll('plain').find((name) => written === `{${name}}`)
  if (kept !== undefined) without(fields, 'plain', kept)
  const listing = await readListing(fields)
  const offer = offersOf(listing, namesIn(listing, fields)).find((one) => one.written === written)
  if (offer === undefined) return kept !== undefined
  for (const name of ['urls', ...ABOUT_NAMES, ...WRITTEN]) {
    const texts = fields.getAll(name)
    fields.delete(name)
    for (const text of texts) fields.append(name, taken(text, offer))
  }
  return true
}

const urlsOf = ({ links }: Listing) => links.filter(({ isRemoved }) => !isRemoved).map(({ url }) => url)

function namesIn(listing: Listing, fields: URLSearchParams): NamesInLinks {
  const { variables, plain, left } = declaredBy({ ...NOTHING, urls: urlsOf(listing) }, new Set(fields.getAll('plain')))
  return { declared: variables.map(({ name }) => name), plain, left }
}

/** Parts of links that could become variables, except names in braces. */
function offersOf(listing: Listing, { declared }: NamesInLinks): Offer[] {
  return offersIn(urlsOf(listing), declared, BOUNDS.variables).filter((offer) => !isDeclaration(offer))
}

/** The declared variables that a bundle uses. */
export function variablesIn(
  { urls, urlMetadata = [], title = null, description = null }: NewBundle,
  declared: readonly string[],
) {
  const variables = declared.map((name) => ({ name }))
  const uses = usesOf({ urls, urlMetadata, title, description, variables, resolutionPolicy: null })
  return variables.filter(({ name }) => {
    const used = uses.get(name)
    return used !== undefined && used.links + used.texts.length > 0
  })
}
