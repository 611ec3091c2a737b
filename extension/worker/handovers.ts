import { randomId } from '../../src/core/random-id.ts'
import { routes } from '../../src/core/routes.ts'
import { groupOf } from '../parts/groups.ts'
import {
  type Asked,
  type AskedTab,
  askedIn,
  isOwnPage,
  isWebAddress,
  MAX_NAME,
  type OpenInGroup,
  type Progress,
  type Taken,
  type Welcome,
} from '../parts/handover.ts'
import { type Instance, instanceOf } from '../parts/instances.ts'
import { readSettings } from '../parts/settings.ts'
import { shownAt } from '../parts/shown.ts'
import { progressOf, readOpenings, takeLet, wasOpened } from './openings.ts'
import { beginOpening, goOn, listen } from './queue.ts'

// Answers the script in the pages of connected instances, and the popup.

/** Listens to pages, and goes on with what an earlier worker had begun. */
export function takeHandovers(): void {
  chrome.runtime.onMessage.addListener((message: unknown, sender, respond) => {
    const asked = askedIn(message)
    if (asked === null) return false
    answer(asked, sender).then(respond, () => respond(null))
    return true
  })
  chrome.runtime.onMessage.addListener((message: Partial<OpenInGroup> | null, sender, respond) => {
    if (message?.type !== 'group:open' || !isOwnPage(sender)) return false
    openInGroup(message as OpenInGroup).finally(() => respond(null))
    return true
  })
  listen()
  void goOn()
}

/** A page that asks, in a tab of its own. */
interface Page {
  instance: Instance
  tab: chrome.tabs.Tab & { id: number }
  url: string
}

async function answer(asked: Asked, sender: chrome.runtime.MessageSender): Promise<Welcome | Taken | Progress> {
  const page = await pageOf(sender)
  if (page === null) return null
  if (asked.type === 'handover:hello') {
    const { id } = page.tab
    return { opensAtOnce: (await takeLet(id, page.url)) || (page.instance.opensAtOnce && !(await wasOpened(id))) }
  }
  if (asked.type === 'handover:progress') {
    void goOn()
    return (await isOf(page, asked.id)) ? progressOf(asked.id) : null
  }
  return open(asked, page)
}

/** The page that sent a message; null unless it is the document of a tab, of a connected instance. */
async function pageOf({ id, origin, url, tab, frameId }: chrome.runtime.MessageSender): Promise<Page | null> {
  if (id !== chrome.runtime.id || frameId !== 0 || tab?.id === undefined || url === undefined) return null
  // Patterns of scripts have no port: the script runs on all ports of an instance's host.
  const instance = await instanceOf(origin ?? url)
  return instance === null ? null : { instance, tab: { ...tab, id: tab.id }, url }
}

async function isOf({ instance, tab }: Page, openingId: string): Promise<boolean> {
  const opening = (await readOpenings()).find(({ id }) => id === openingId)
  return opening?.origin === instance.origin && opening.openerTabId === tab.id
}

async function open(asked: Asked & { type: 'handover:open' }, { instance, tab }: Page): Promise<Taken> {
  const { id, slug, isRow, tabs } = asked
  const { origin } = instance
  const title = isRow ? await titleOf(origin, slug, tabs) : asked.title
  if (title === null) return { isTaken: false }
  const { sectionsAsGroups } = await readSettings()
  const isTaken = await beginOpening({
    id,
    origin,
    slug,
    page: isRow
      ? origin + routes.launcher.page.href({ slug })
      : (pageAt(tab.url) ?? origin + routes.launcher.page.href({ slug })),
    title,
    tabs,
    sectionsAsGroups,
    groups: {},
    windowId: tab.windowId,
    openerTabId: tab.id,
    isIncognito: tab.incognito,
  })
  return { isTaken }
}

/** The address of a launcher, without the place in it. */
function pageAt(url: string | undefined): string | null {
  return url === undefined ? null : url.replace(/#.*$/s, '')
}

/** Opens links that a bundle got since in the group that was opened from it. */
async function openInGroup({ groupId, urls }: OpenInGroup): Promise<void> {
  const source = await groupOf(groupId)
  const [tab] = await chrome.tabs.query({ groupId })
  if (source === null || tab === undefined) return
  const { origin, slug, page } = source
  const tabs = urls.filter(isWebAddress).map((url) => ({ url, section: '' }))
  await beginOpening({
    id: randomId(),
    origin,
    slug,
    page,
    title: '',
    tabs,
    sectionsAsGroups: false,
    groups: { '': groupId },
    windowId: tab.windowId,
    openerTabId: null,
    isIncognito: tab.incognito,
  })
}

const TIMEOUT_MS = 5000

/** The title of a launcher; null unless tabs are those that it opens for this viewer. A start page does not show them. */
async function titleOf(origin: string, slug: string, tabs: readonly AskedTab[]): Promise<string | null> {
  try {
    const shown = await shownAt(origin + routes.launcher.json.href({ slug }), TIMEOUT_MS)
    if (shown === null) return null
    const { title, urls } = shown
    if (urls.length !== tabs.length || urls.some((url, at) => url !== tabs[at]?.url)) return null
    return title?.slice(0, MAX_NAME) ?? slug
  } catch {
    return null
  }
}
