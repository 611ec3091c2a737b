import { inTurn } from './turns.ts'

// Groups of tabs, and the bundles that they were opened from. A group is known until it is removed, and no longer than the
// browser runs: it gives groups other numbers then.

/** The bundle that a group was opened from, as it was then. */
export interface GroupSource {
  origin: string
  slug: string
  /** The address of its launcher, with the values of its variables. */
  page: string
  /** What it opened, in this group and others. */
  urls: string[]
  /** The tabs of this group, each with the link that it was opened for. */
  tabs: [tabId: number, url: string][]
}

interface Kept extends GroupSource {
  groupId: number
}

/** The groups that are kept; the one kept longest is forgotten for another. */
const MOST = 100
const KEY = 'groups'

/** Keeps which bundle a group was opened from. */
export function keepGroup(groupId: number, source: GroupSource): Promise<void> {
  return change((groups) => [...groups.filter((one) => one.groupId !== groupId), { groupId, ...source }].slice(-MOST))
}

/** Keeps that links of its bundle were opened in a group too. */
export function keepInGroup(groupId: number, urls: readonly string[], tabs: GroupSource['tabs']): Promise<void> {
  return change((groups) =>
    groups.map((one) =>
      one.groupId === groupId
        ? { ...one, urls: [...new Set([...one.urls, ...urls])], tabs: [...one.tabs, ...tabs] }
        : one,
    ),
  )
}

/** The bundle that a group was opened from; null for a group of anything else, and for one that is shared with others. */
export async function groupOf(groupId: number): Promise<GroupSource | null> {
  const found = (await read()).find((one) => one.groupId === groupId)
  if (found === undefined || !(await isOwn(groupId))) return null
  const { groupId: _, ...source } = found
  return source
}

/** Forgets a group, once it is removed. */
export function forgetGroup(groupId: number): Promise<void> {
  return change((groups) => groups.filter((one) => one.groupId !== groupId))
}

/** Whether a group is there and its user's alone: one that is shared with others is never touched. */
export async function isOwn(groupId: number): Promise<boolean> {
  // Without the permission nothing tells.
  if (chrome.tabGroups === undefined) return false
  const group = await chrome.tabGroups.get(groupId).catch(() => null)
  return group !== null && group.shared !== true
}

/** The colours of groups, in the order of the hues of tiles. */
const COLORS = ['orange', 'yellow', 'green', 'green', 'cyan', 'blue', 'purple', 'pink'] as const

/** The colour of a group, by the class of a hue: `hue-3`. */
export function groupColor(hue: string): (typeof COLORS)[number] {
  return COLORS[Number(/^hue-(\d)$/.exec(hue)?.[1])] ?? 'blue'
}

async function read(): Promise<Kept[]> {
  const { [KEY]: groups = [] } = await chrome.storage.session.get<Record<string, Kept[]>>(KEY)
  return groups
}

function change(to: (before: Kept[]) => Kept[]): Promise<void> {
  return inTurn(KEY, async () => chrome.storage.session.set({ [KEY]: to(await read()) }))
}
