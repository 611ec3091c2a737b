import { tileOf } from '../../views/parts/hues.ts'
import { isFirefox } from '../parts/browser.ts'
import { groupColor, isOwn, keepGroup, keepInGroup } from '../parts/groups.ts'
import type { Opening, QueuedTab } from './openings.ts'

// What an opening asks of the browser.

/** The tabs that are open, by address; without the permission to see addresses, none. */
export async function tabsOpenNow(isIncognito: boolean): Promise<Map<string, number[]>> {
  const open = new Map<string, number[]>()
  for (const { id, url, pendingUrl, incognito } of await chrome.tabs.query({})) {
    const address = pendingUrl || url
    if (id === undefined || !address || incognito !== isIncognito) continue
    open.set(address, [...(open.get(address) ?? []), id])
  }
  return open
}

/** Creates a tab in the background, the first one in front. @throws if the browser refuses. */
export async function createTab(opening: Opening, url: string, isFirst: boolean): Promise<number> {
  const { windowId } = opening
  // Firefox forgets the order of a page's tabs once another tab is looked at, and puts them into the group of the page's own.
  const isBehind = isFirefox() && !isFirst
  const index = isBehind ? await placeIn(opening) : null
  const openerTabId = index === null ? await openerOf(opening) : null
  const tab = await chrome.tabs.create({
    url,
    windowId,
    active: isFirst,
    ...(openerTabId === null ? {} : { openerTabId }),
    ...(index === null ? {} : { index }),
    // Firefox loads it when it is looked at.
    ...(isBehind ? { discarded: true } : {}),
  })
  if (tab.id === undefined) throw new Error('The browser created a tab without a number.')
  return tab.id
}

/** The place behind the last tab of an opening; null if all of them are gone from its window. */
async function placeIn({ tabs, windowId }: Opening): Promise<number | null> {
  for (const { tabId, state } of tabs.toReversed()) {
    if (tabId === undefined || state === 'was open') continue
    const tab = await chrome.tabs.get(tabId).catch(() => null)
    if (tab?.windowId === windowId) return tab.index + 1
  }
  return null
}

/** The tab of the page that asked, as long as it is in its window. */
async function openerOf({ openerTabId, windowId }: Opening): Promise<number | null> {
  if (openerTabId === null) return null
  const opener = await chrome.tabs.get(openerTabId).catch(() => null)
  return opener?.windowId === windowId ? openerTabId : null
}

/** The tab that an earlier worker has asked for, and not heard of; null if the browser had not created it. */
export async function findCreated(opening: Opening, { url, before = [] }: QueuedTab): Promise<number | null> {
  const { windowId, openerTabId } = opening
  const known = new Set([...before, ...opening.tabs.map(({ tabId }) => tabId)])
  const created = (await chrome.tabs.query({ windowId })).filter(
    (tab) => !known.has(tab.id) && (tab.openerTabId === undefined || tab.openerTabId === openerTabId),
  )
  // Its address may have led elsewhere since, or be unknown for lack of the permission.
  const found = created.find((tab) => (tab.pendingUrl || tab.url) === new URL(url).href) ?? created[0]
  return found?.id ?? null
}

/** Whether a tab has loaded, or is no more. */
export async function hasLoaded(tabId: number): Promise<boolean> {
  const tab = await chrome.tabs.get(tabId).catch(() => null)
  return tab === null || tab.discarded || (tab.status === 'complete' && !tab.pendingUrl)
}

/** Shows a tab. */
export async function focus(tabId: number): Promise<void> {
  const tab = await chrome.tabs.update(tabId, { active: true }).catch(() => undefined)
  if (tab !== undefined) await chrome.windows.update(tab.windowId, { focused: true }).catch(() => {})
}

/** Whether an earlier worker has made a group, and not heard of it: not another section's, nor that of the page's own tab. */
async function isMade({ tabs, groups }: Opening, groupId: number): Promise<boolean> {
  if (Object.values(groups).includes(groupId)) return false
  const made = new Set(tabs.map(({ tabId }) => tabId))
  return (await chrome.tabs.query({ groupId })).every(({ id }) => made.has(id))
}

/** Puts a tab into the group of its bundle or section, where the browser has groups and may name them. */
export async function groupTab(opening: Opening, { section, url }: QueuedTab, tabId: number): Promise<void> {
  if (chrome.tabGroups === undefined || chrome.tabs.group === undefined) return
  const name = opening.sectionsAsGroups ? section : ''
  try {
    const { groupId: present } = await chrome.tabs.get(tabId)
    const known = opening.groups[name]
    if (known !== undefined && (present === known || (await isOwn(known)))) {
      // The browser may have put it there, or an earlier worker.
      if (present !== known) await chrome.tabs.group({ tabIds: [tabId], groupId: known })
      await keepInGroup(known, [url], [[tabId, url]])
      return
    }
    // Its user has closed the group, or shared it: what is still to come stays outside.
    if (known !== undefined) return
    const groupId =
      present !== -1 && (await isMade(opening, present))
        ? present
        : await chrome.tabs.group({ tabIds: [tabId], createProperties: { windowId: opening.windowId } })
    opening.groups[name] = groupId
    const { origin, slug, page, title } = opening
    const urls = opening.tabs.map((tab) => tab.url)
    await chrome.tabGroups.update(groupId, { title: name || title, color: groupColor(tileOf(url).hue) })
    await keepGroup(groupId, { origin, slug, page, urls, tabs: [[tabId, url]] })
  } catch {
    // The tab or its group is gone meanwhile.
  }
}
