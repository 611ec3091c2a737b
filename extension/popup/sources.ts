import { type Draft, newDraft, type Source } from '../parts/draft.ts'
import { bookmarksFound, type Found, listOf, proposedTitle, tabsFound } from '../parts/tab-list.ts'

/** The window that the popup is for. */
export interface Place {
  windowId: number
  tabs: readonly chrome.tabs.Tab[]
  /** Permissions that were given already. */
  given: ReadonlySet<string>
}

/** A source that its user can choose. */
export interface Choice {
  source: Source
  label: string
  /** How many tabs it has; null where that is not known yet. */
  tabs: number | null
}

/** A permission to ask for, and why. */
export interface Ask {
  permissions: Permission[]
  reason: string
}

type Permission = 'tabs' | 'tabGroups' | 'bookmarks'

const UNGROUPED = -1
const MAX_FOLDERS = 500

/**
 * Reads the tabs of the window that the popup was opened in, or of that in its address.
 * Their addresses are missing without the permission, except that of the current tab.
 */
export async function readPlace(windowId: number | null): Promise<Place> {
  const [tabs, { permissions = [] }] = await Promise.all([
    chrome.tabs.query(windowId === null ? { currentWindow: true } : { windowId }),
    chrome.permissions.getAll(),
  ])
  return { windowId: tabs[0]?.windowId ?? windowId ?? 0, tabs, given: new Set<string>(permissions) }
}

/** Opens the page where a service is connected, with the address of the current page: it may be one. */
export function openConnect({ tabs }: Place): void {
  const { url: address = '' } = tabs.find(({ active }) => active) ?? {}
  const query = /^https?:/.test(address) ? `?${new URLSearchParams({ address })}` : ''
  void chrome.tabs.create({ url: chrome.runtime.getURL(`options.html${query}`) })
}

/** What can be saved: the window, its selected tabs, the group of its current tab, a folder of bookmarks. */
export function choicesIn({ tabs, windowId }: Place): Choice[] {
  const selected = tabs.filter(({ highlighted }) => highlighted)
  const groupId = tabs.find(({ active }) => active)?.groupId ?? UNGROUPED
  const grouped = tabs.filter((tab) => groupId !== UNGROUPED && tab.groupId === groupId)
  return [
    { source: { kind: 'window', id: windowId }, label: 'Window', tabs: tabs.length },
    selected.length > 1
      ? { source: { kind: 'selected', id: windowId }, label: 'Selected', tabs: selected.length }
      : { source: { kind: 'selected', id: windowId }, label: 'Tab', tabs: null },
    ...(grouped.length === 0
      ? []
      : [{ source: { kind: 'group', id: String(groupId) } as const, label: 'Group', tabs: grouped.length }]),
    { source: { kind: 'folder', id: '' }, label: 'Bookmarks', tabs: null },
  ]
}

/** The source that is chosen at first: the selected tabs if there are several, else the window. */
export function firstSource(choices: readonly Choice[]): Source {
  return (choices.find(({ label }) => label === 'Selected') ?? choices[0]!).source
}

/** What must be asked for before a source can be read; null for nothing. */
export function askFor(source: Source, place: Place): Ask | null {
  if (source.kind === 'link') return null
  if (source.kind === 'folder') return missing(['bookmarks'], READS_BOOKMARKS, place)
  const tabs = tabsOf(source, place)
  const isGrouped = tabs.length > 1 && tabs.some(({ groupId }) => groupId !== UNGROUPED)
  // The browser shows the current tab to an extension whose button is pressed.
  const isShown = tabs.length === 1 && tabs[0]?.url !== undefined
  if (isShown) return null
  return missing(isGrouped ? ['tabs', 'tabGroups'] : ['tabs'], isGrouped ? READS_GROUPS : READS_TABS, place)
}

const READS_TABS =
  'To list your tabs, Openall needs their titles and addresses. It reads them when you open this, and sends only what you save.'
const READS_GROUPS =
  'To list your tabs, Openall needs their titles, addresses and groups. It reads them when you open this, and sends only what you save.'
const READS_BOOKMARKS =
  'To list a folder, Openall needs your bookmarks. It reads them when you choose one, and sends only what you save.'

function missing(wanted: Permission[], reason: string, { given }: Place): Ask | null {
  const permissions = wanted.filter((name) => !given.has(name))
  return permissions.length === 0 ? null : { permissions, reason }
}

function tabsOf(source: Source, { tabs }: Place): readonly chrome.tabs.Tab[] {
  if (source.kind === 'selected') return tabs.filter(({ highlighted }) => highlighted)
  if (source.kind === 'group') return tabs.filter(({ groupId }) => String(groupId) === source.id)
  return tabs
}

/** A new draft of a source whose permissions are given. */
export async function draftOf(source: Source, place: Place, origins: readonly string[]): Promise<Draft> {
  const { found, title } = await foundIn(source, place)
  const list = listOf(found, origins)
  return newDraft(source, list, title || proposedTitle(list.links, new Date()))
}

async function foundIn(source: Source, place: Place): Promise<{ found: Found[]; title: string }> {
  if (source.kind === 'folder') {
    const [folder] = source.id === '' ? [] : await chrome.bookmarks.getSubTree(source.id)
    return { found: folder === undefined ? [] : bookmarksFound(folder), title: folder?.title ?? '' }
  }
  const tabs = tabsOf(source, place)
  const isGrouped = tabs.some(({ groupId }) => groupId !== UNGROUPED) && place.given.has('tabGroups')
  const groups = isGrouped ? await chrome.tabGroups.query({ windowId: place.windowId }) : []
  const group = source.kind === 'group' ? groups.find(({ id }) => String(id) === source.id) : undefined
  return { found: tabsFound(tabs, groups), title: group?.title ?? '' }
}

/** A folder of bookmarks with its path, and how many bookmarks it and the folders below it have. */
export interface Folder {
  id: string
  path: string
  bookmarks: number
}

/** The folders that have bookmarks. */
export async function readFolders(): Promise<Folder[]> {
  const folders: Folder[] = []
  const visit = (node: chrome.bookmarks.BookmarkTreeNode, above: readonly string[]): number => {
    const path = node.title === '' ? above : [...above, node.title]
    const at = folders.length
    let bookmarks = 0
    for (const child of node.children ?? []) bookmarks += child.url === undefined ? visit(child, path) : 1
    if (path.length > 0 && bookmarks > 0) folders.splice(at, 0, { id: node.id, path: path.join(' / '), bookmarks })
    return bookmarks
  }
  for (const root of await chrome.bookmarks.getTree()) visit(root, [])
  return folders.slice(0, MAX_FOLDERS)
}
