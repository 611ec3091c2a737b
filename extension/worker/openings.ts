import type { AskedTab, Progress } from '../parts/handover.ts'

// The openings, in the memory of the browser's session: the worker may end at any moment, and goes on with them when it starts
// again. Only the queue changes them, under its lock.

/** A tab of an opening. */
export interface QueuedTab extends AskedTab {
  /**
   * `creating`: the browser was asked for it, and has not answered. `loading`: it is there. `open`: it has loaded, took too
   * long, or was closed. `was open`: it was there before. `lost`: the browser refused it, or its window is gone.
   */
  state: 'waiting' | 'creating' | 'loading' | 'open' | 'was open' | 'lost'
  tabId?: number
  /** While it is created: the tabs that were there before. */
  before?: number[]
  /** When it began to load, in milliseconds since 1970. */
  since?: number
  /** Whether it is in its group, or will be in none. */
  isGrouped?: true
}

/** Tabs that open in order. */
export interface Opening {
  id: string
  /** The instance and the bundle that they are of. */
  origin: string
  slug: string
  /** The address of its launcher, with the values of its variables. */
  page: string
  title: string
  windowId: number
  /** The tab of the page that asked. */
  openerTabId: number | null
  isIncognito: boolean
  sectionsAsGroups: boolean
  tabs: QueuedTab[]
  /** The groups, by section; by `''` where sections have none. */
  groups: Record<string, number>
  /** When all tabs were there; null until then. */
  endedAt: number | null
}

const KEY = 'openings'
/** Ended openings stay for the page to see how they ended. */
const KEPT_MS = 60_000

export async function readOpenings(): Promise<Opening[]> {
  const { [KEY]: openings = [] } = await chrome.storage.session.get<Record<string, Opening[]>>(KEY)
  return openings.filter(({ endedAt }) => endedAt === null || Date.now() - endedAt < KEPT_MS)
}

/** Stores an opening, new or changed. */
export async function keepOpening(opening: Opening): Promise<void> {
  const openings = await readOpenings()
  const at = openings.findIndex(({ id }) => id === opening.id)
  await chrome.storage.session.set({
    [KEY]: at === -1 ? [...openings, opening] : openings.with(at, opening),
  })
}

export async function progressOf(id: string): Promise<Progress> {
  const opening = (await readOpenings()).find((one) => one.id === id)
  if (opening === undefined) return null
  const placesOf = (...states: QueuedTab['state'][]) =>
    opening.tabs.flatMap(({ state }, at) => (states.includes(state) ? [at] : []))
  return {
    opened: placesOf('loading', 'open'),
    wereOpen: placesOf('was open'),
    isDone: placesOf('waiting', 'creating').length === 0,
  }
}

// Tabs that the extension has opened. A launcher among them does not open its own tabs at once: that could go on for ever.

const OPENED = 'opened'
/** Numbers of tabs rise, so the oldest go first. */
const MOST_OPENED = 1000

export async function keepOpened(tabId: number): Promise<void> {
  const { [OPENED]: tabs = [] } = await chrome.storage.session.get<Record<string, number[]>>(OPENED)
  if (!tabs.includes(tabId)) await chrome.storage.session.set({ [OPENED]: [...tabs, tabId].slice(-MOST_OPENED) })
}

export async function wasOpened(tabId: number): Promise<boolean> {
  const { [OPENED]: tabs = [] } = await chrome.storage.session.get<Record<string, number[]>>(OPENED)
  return tabs.includes(tabId)
}

// Tabs whose launcher is to open its tabs at once, because its user chose it in the address bar.

const CHOSEN = 'chosen'
/** A launcher may ask for a password or a sign-in first. */
const CHOSEN_MS = 60_000

interface Chosen {
  tabId: number
  /** The launcher's address. */
  url: string
  until: number
}

/** Lets the launcher that a tab is led to open its tabs without a press. */
export async function letOpen(tabId: number, url: string): Promise<void> {
  const chosen: Chosen = { tabId, url, until: Date.now() + CHOSEN_MS }
  await chrome.storage.session.set({ [CHOSEN]: chosen })
}

/** Whether the launcher in a tab was let open its tabs. It is so once, and no launcher but the chosen one. */
export async function takeLet(tabId: number, url: string): Promise<boolean> {
  const { [CHOSEN]: chosen } = await chrome.storage.session.get<Record<string, Chosen>>(CHOSEN)
  if (chosen?.tabId !== tabId) return false
  await chrome.storage.session.remove(CHOSEN)
  return chosen.until > Date.now() && isSameLauncher(chosen.url, url)
}

/** By the slug: a launcher has a long path, and may have a short one. */
function isSameLauncher(chosen: string, shown: string): boolean {
  const [from, to] = [new URL(chosen), new URL(shown)]
  const slug = from.pathname.split('/').at(-1) ?? ''
  return from.origin === to.origin && to.pathname.split('/').includes(slug)
}
