import type { Page } from 'playwright-core'

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
