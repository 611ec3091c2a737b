import type { Page } from 'playwright-core'

/**
 * Waits until nothing is under way: the page has come whole, and htmx is done with what it asked for. It moves the focus,
 * and takes presses on what is new, a moment after that can be seen.
 */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState()
  await page.waitForFunction(
    () => document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling, .htmx-added') === null,
  )
}

/** Waits until an element holds a text, which an answer of the server brings about. */
export async function shows(page: Page, selector: string, text: string | RegExp): Promise<void> {
  await page.locator(selector).filter({ hasText: text }).first().waitFor()
  await settled(page)
}

/** Presses a button, and waits for what comes of it. */
export async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name }).click()
  await settled(page)
}

/** Follows a link, and waits for what it leads to. */
export async function follow(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('link', { name }).click()
  await settled(page)
}
