import { MAX_LINK } from '../../src/core/template.js'

// What a launcher or a start page, the extension's script in it and the worker say to one another. The messages of the page are
// documented in docs/extension.md: both are to keep their version.

/** The version of the messages of pages. */
export const VERSION = 1

/** The most tabs of one opening: a rule can show more than a bundle has links. */
export const MAX_TABS = 100
/** The longest address of a tab: each character of a link may take twelve in an address. */
const MAX_ADDRESS = 12 * MAX_LINK
/** The longest name of a group that is kept; browsers show a few words. */
export const MAX_NAME = 200

/** A page asks to open tabs, because its button was pressed. */
export interface PageRequest {
  slug: string
  tabs: string[]
}

/** A tab to open, and the section that it is in; `''` for none. */
export interface AskedTab {
  url: string
  section: string
}

/** What the script in a page asks of the worker. */
export type Asked =
  | { type: 'handover:hello' }
  | { type: 'handover:open'; id: string; slug: string; title: string; isRow: boolean; tabs: AskedTab[] }
  | { type: 'handover:progress'; id: string }

/** What the worker says of the page: null if it belongs to no connected instance. */
export type Welcome = { opensAtOnce: boolean } | null

/** Whether the worker opens the tabs. Asked again with the same id, because it ended before it could say so, it says the same. */
export type Taken = { isTaken: boolean }

/** How far an opening is, by places among its tabs; null for an opening that the worker does not know. */
export type Progress = { opened: number[]; wereOpen: number[]; isDone: boolean } | null

/** The popup asks to open links in the group that was opened from their bundle. */
export interface OpenInGroup {
  type: 'group:open'
  groupId: number
  urls: string[]
}

/** Whether a message is from a page of the extension: a script of ours in a page shares its process with that page. */
export function isOwnPage({ id, url }: chrome.runtime.MessageSender): boolean {
  return id === chrome.runtime.id && url?.startsWith(chrome.runtime.getURL('')) === true
}

/** The request in a message of a page; null for any other message. */
export function requestIn(message: unknown): PageRequest | null {
  const { type, version, slug, tabs } = fieldsOf(message)
  if (type !== 'openall:open' || version !== VERSION || !isSlug(slug)) return null
  return isList(tabs) && tabs.every(isWebAddress) ? { slug, tabs: tabs.map(String) } : null
}

/** What a script in a page asks; null for what none of ours sends. A page may have taken over its process. */
export function askedIn(message: unknown): Asked | null {
  const { type, id, slug, title, isRow, tabs } = fieldsOf(message)
  if (type === 'handover:hello') return { type }
  if (typeof id !== 'string' || !/^[\da-f]{32}$/.test(id)) return null
  if (type === 'handover:progress') return { type, id }
  if (type !== 'handover:open' || !isSlug(slug) || typeof title !== 'string' || typeof isRow !== 'boolean') return null
  if (!isList(tabs)) return null
  const asked = tabs
    .map(fieldsOf)
    .flatMap(({ url, section }) =>
      isWebAddress(url) && typeof section === 'string' ? [{ url, section: section.slice(0, MAX_NAME) }] : [],
    )
  return asked.length === tabs.length ? { type, id, slug, title: title.slice(0, MAX_NAME), isRow, tabs: asked } : null
}

/** Whether an address may be opened: what the service itself takes for a link, and nothing of the browser or the computer. */
export function isWebAddress(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    text.length <= MAX_ADDRESS &&
    URL.canParse(text) &&
    /^https?:$/.test(new URL(text).protocol)
  )
}

const isSlug = (text: unknown): text is string => typeof text === 'string' && /^[\w-]{1,100}$/.test(text)

const isList = (some: unknown): some is unknown[] => Array.isArray(some) && some.length > 0 && some.length <= MAX_TABS

function fieldsOf(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
