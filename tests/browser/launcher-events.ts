import type { Page } from 'playwright-core'

/** What a page of a launcher sends: clicks on Open all, and the links of tabs that were opened. */
export interface LauncherEvents {
  events: unknown[]
  opens: string[]
  /** The texts of all. */
  sent: string[]
}

/** Notes what a page sends of a launcher from now on. */
export function noteEvents(page: Page, slug: string): LauncherEvents {
  const noted: LauncherEvents = { events: [], opens: [], sent: [] }
  page.on('request', (request) => {
    if (!request.url().endsWith(`/api/links/${slug}/events`)) return
    const event = request.postDataJSON() as { kind: string; urls?: string[] }
    noted.sent.push(request.postData() ?? '')
    if (event.kind === 'open_tabs') noted.opens.push(...(event.urls ?? []))
    else noted.events.push(event)
  })
  return noted
}
