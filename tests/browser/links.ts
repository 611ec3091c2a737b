import type { Locator, Page } from 'playwright-core'

/** The links of the editor that would be sent. */
export const rowsOf = (page: Page) => page.locator('#links > .link-row:not(.removed)')

/** Which links are open. */
export const openRows = (page: Page) =>
  rowsOf(page)
    .locator('details.link-fold')
    .evaluateAll((folds) => folds.map((fold) => fold.hasAttribute('open')))

/** Opens a link's line to its fields, or closes it. */
export const toggle = (page: Page, index: number) => rowsOf(page).nth(index).locator('.link-fold > summary').click()

/** Opens links to their fields, all of them if none is named. */
export async function expand(page: Page, ...which: number[]): Promise<void> {
  for (const [index, isOpen] of (await openRows(page)).entries()) {
    if (!isOpen && (which.length === 0 || which.includes(index))) await toggle(page, index)
  }
}

/** Opens what a link, or the form, keeps under More. */
export const openMore = (within: Locator) => within.locator('.rest:not([open]) > summary').click()
