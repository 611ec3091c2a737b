import type { AskedTab } from '../parts/handover.ts'
import { inTurn } from '../parts/turns.ts'
import { createTab, findCreated, focus, groupTab, hasLoaded, tabsOpenNow } from './browser-tabs.ts'
import { keepOpened, keepOpening, type Opening, type QueuedTab, readOpenings } from './openings.ts'

// Opens tabs in order: at most four load at once, and at most three of them from one host, so that neither the browser nor a
// site is overrun. Each step is stored before and after it is taken.

const AT_ONCE = 4
const AT_ONCE_OF_A_HOST = 3
/** A tab that takes longer makes room for the next. */
const LOADING_MS = 10_000

type NewOpening = Omit<Opening, 'tabs' | 'endedAt'>

/** Begins to open tabs, unless the same page still has another opening. @returns whether it has, or had, begun. */
export async function beginOpening(asked: NewOpening & { tabs: AskedTab[] }): Promise<boolean> {
  const isTaken = await inTurn('openings', async () => {
    const isBusy = (one: Opening) =>
      one.endedAt === null && one.openerTabId === asked.openerTabId && one.slug === asked.slug
    const openings = await readOpenings()
    const known = openings.find(({ id }) => id === asked.id)
    if (known !== undefined) return known.origin === asked.origin && known.openerTabId === asked.openerTabId
    if (openings.some(isBusy)) return false
    const open = await tabsOpenNow(asked.isIncognito)
    const tabs = asked.tabs.map(({ url, section }): QueuedTab => {
      // The same link twice is two tabs: each of them may be open.
      const tabId = open.get(new URL(url).href)?.shift()
      return tabId === undefined ? { url, section, state: 'waiting' } : { url, section, state: 'was open', tabId }
    })
    const opening: Opening = { ...asked, tabs, endedAt: null }
    await keepOpening(opening)
    if (tabs.every(({ state }) => state === 'was open') && tabs[0]?.tabId !== undefined) await focus(tabs[0].tabId)
    return true
  })
  if (!isTaken) return false
  listen()
  void goOn()
  return true
}

/** The next turn, until it begins. */
let coming: Promise<void> | undefined
let timer: ReturnType<typeof setTimeout> | undefined

/** Takes the steps that can be taken now. Call it whenever something has happened, and once the worker has started. */
export function goOn(): Promise<void> {
  coming ??= inTurn('openings', async () => {
    coming = undefined
    await seeLoaded()
    for (const opening of await readOpenings()) if (opening.endedAt === null) await take(opening)
    clearTimeout(timer)
    if ((await readOpenings()).some(hasWork)) timer = setTimeout(goOn, LOADING_MS)
    else {
      // Else the worker would start for every tab of the browser.
      chrome.tabs.onUpdated.removeListener(onUpdated)
      chrome.tabs.onRemoved.removeListener(onRemoved)
    }
  })
  return coming
}

/** Follows the tabs of the browser. At the start of the worker, because these events wake it. */
export function listen(): void {
  chrome.tabs.onUpdated.addListener(onUpdated)
  chrome.tabs.onRemoved.addListener(onRemoved)
}

function onUpdated(_: number, { status }: chrome.tabs.OnUpdatedInfo): void {
  if (status === 'complete') void goOn()
}

function onRemoved(): void {
  void goOn()
}

const hasWork = ({ endedAt, tabs }: Opening) => endedAt === null || tabs.some(({ state }) => state === 'loading')

/** Takes the steps of one opening. */
async function take(opening: Opening): Promise<void> {
  const { tabs } = opening
  const save = () => keepOpening(opening)
  // A worker before this one ended before it knew the tab.
  for (const tab of tabs.filter(({ state }) => state === 'creating')) {
    const tabId = await findCreated(opening, tab)
    await settle(opening, tab, tabId)
  }
  for (const tab of tabs) if (tab.tabId !== undefined && tab.state !== 'was open') await group(opening, tab)
  for (;;) {
    await seeLoaded(opening)
    const next = tabs.find(({ state }) => state === 'waiting')
    if (next === undefined || !(await hasRoom(opening, next))) break
    next.state = 'creating'
    next.before = (await chrome.tabs.query({})).flatMap(({ id }) => id ?? [])
    await save()
    await create(opening, next)
    await group(opening, next)
  }
  if (tabs.some(({ state }) => state === 'waiting' || state === 'creating')) return
  opening.endedAt = Date.now()
  await save()
}

async function create(opening: Opening, tab: QueuedTab): Promise<void> {
  const isFirst = !opening.tabs.some(({ state }) => state === 'loading' || state === 'open')
  try {
    await settle(opening, tab, await createTab(opening, tab.url, isFirst))
  } catch {
    tab.state = 'lost'
    // Its user has closed the window, and so wants none of the rest.
    const isThere = await chrome.windows.get(opening.windowId).catch(() => null)
    if (isThere === null) for (const one of opening.tabs) if (one.state === 'waiting') one.state = 'lost'
    await keepOpening(opening)
  }
}

/** Stores what became of a tab that was asked for. */
async function settle(opening: Opening, tab: QueuedTab, tabId: number | null): Promise<void> {
  delete tab.before
  if (tabId === null) tab.state = 'waiting'
  else {
    Object.assign(tab, { state: 'loading', tabId, since: Date.now() })
    await keepOpened(tabId)
  }
  await keepOpening(opening)
}

async function group(opening: Opening, tab: QueuedTab): Promise<void> {
  if (tab.tabId === undefined || tab.isGrouped) return
  await groupTab(opening, tab, tab.tabId)
  tab.isGrouped = true
  await keepOpening(opening)
}

/** Notes which tabs have loaded, of all openings: they share the room. */
async function seeLoaded(current?: Opening): Promise<void> {
  for (const opening of await openingsWith(current)) {
    let isChanged = false
    for (const tab of opening.tabs) {
      if (tab.state !== 'loading' || tab.tabId === undefined) continue
      if (Date.now() - (tab.since ?? 0) < LOADING_MS && !(await hasLoaded(tab.tabId))) continue
      tab.state = 'open'
      isChanged = true
    }
    if (isChanged) await keepOpening(opening)
  }
}

async function hasRoom(current: Opening, next: QueuedTab): Promise<boolean> {
  const openings = await openingsWith(current)
  const loading = openings.flatMap(({ tabs }) => tabs.filter(({ state }) => state === 'loading'))
  const { host } = new URL(next.url)
  return loading.length < AT_ONCE && loading.filter(({ url }) => new URL(url).host === host).length < AT_ONCE_OF_A_HOST
}

/** All openings, with the one that is being changed in place of what is stored of it. */
async function openingsWith(current: Opening | undefined): Promise<Opening[]> {
  return (await readOpenings()).map((one) => (one.id === current?.id ? current : one))
}
