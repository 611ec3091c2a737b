import type { Page, Request } from 'playwright-core'
import { eventually } from '../eventually.ts'

/**
 * Waits until the page has loaded and htmx is idle. htmx moves the focus and attaches handlers a moment after new content
 * becomes visible.
 */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState()
  await page.waitForFunction(
    () => document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling, .htmx-added') === null,
  )
}

/** Waits until an element has a text. */
export async function shows(page: Page, selector: string, text: string | RegExp): Promise<void> {
  await page.locator(selector).filter({ hasText: text }).first().waitFor()
  await settled(page)
}

/** Presses a button and waits for the result. */
export async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name }).click()
  await settled(page)
}

/** Follows a link and waits for its page. */
export async function follow(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('link', { name }).click()
  await settled(page)
}

const QUIET_MS = 500

/**
 * Watches the requests of a page from now on. @returns waits until there was none for half a second. Playwright's own
 * `networkidle` never comes (1.65) once a page that was idle has sent another request and then replaced a frame, as the
 * editor does with its preview.
 */
export function watchRequests(page: Page): () => Promise<void> {
  const open = new Set<Request>()
  let last = performance.now()
  const ended = (request: Request) => {
    open.delete(request)
    last = performance.now()
  }
  page.on('request', (request) => open.add(request))
  page.on('requestfinished', ended)
  page.on('requestfailed', ended)
  return () => eventually(() => open.size === 0 && performance.now() - last >= QUIET_MS, 'no more requests')
}
