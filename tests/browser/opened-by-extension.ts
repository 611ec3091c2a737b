import type { BrowserContext, Page } from 'playwright-core'

// What tests of the extension in launchers share.

/** A tab that the browser has. */
interface SeenTab {
  url: string
  active: boolean
  /** Its title and colour; null for none. */
  group: string | null
}

/** The tabs whose address begins so, in their order. @param own a page of the extension. */
export function tabsOf(own: Page, start: string): Promise<SeenTab[]> {
  return own.evaluate(async (start) => {
    const groups = new Map((await chrome.tabGroups.query({})).map(({ id, title, color }) => [id, `${title}, ${color}`]))
    return (await chrome.tabs.query({})).flatMap(({ url, pendingUrl, active, groupId }) => {
      const address = pendingUrl || url || ''
      return address.startsWith(start) ? [{ url: address, active, group: groups.get(groupId) ?? null }] : []
    })
  }, start)
}

/** Closes the tabs whose address begins so. */
export function closeTabs(own: Page, start: string): Promise<void> {
  return own.evaluate(async (start) => {
    const tabs = await chrome.tabs.query({})
    const closing = tabs.filter(({ url, pendingUrl }) => (pendingUrl || url || '').startsWith(start))
    await chrome.tabs.remove(closing.flatMap(({ id }) => id ?? []))
  }, start)
}

/** Opens a page of a connected instance, and waits until it knows the extension. */
export async function openKnown(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  await knowsExtension(page)
  return page
}

/** Waits until a page knows the extension. */
export async function knowsExtension(page: Page): Promise<void> {
  await page.locator('html[data-openall]').waitFor({ state: 'attached' })
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('/static/handover.')),
  )
}

/** Changes a stored instance, as its user does on the page of options. */
export function changeInstance(own: Page, origin: string, fields: object): Promise<void> {
  return own.evaluate(
    async ([origin, fields]) => {
      const { instances } = await chrome.storage.local.get<{ instances: Record<string, object> }>('instances')
      await chrome.storage.local.set({ instances: { ...instances, [origin]: { ...instances[origin], ...fields } } })
    },
    [origin, fields] as const,
  )
}
