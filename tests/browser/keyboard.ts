import type { Page } from 'playwright-core'
import { settled } from './waiting.ts'

/** The id of the focused element. */
export const focusedId = (page: Page) => page.evaluate(() => document.activeElement?.id ?? '')

/** The text of the focused element. */
export const focusedText = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')

/** Presses Tab until an element is focused whose label or text begins with `name`. */
export async function reach(page: Page, name: string): Promise<void> {
  await settled(page)
  for (let presses = 0; presses < 60; presses += 1) {
    const isFocused = await page.evaluate((name) => {
      const at = document.activeElement
      const labels = at instanceof HTMLInputElement || at instanceof HTMLSelectElement ? [...(at.labels ?? [])] : []
      const texts = [at?.getAttribute('aria-label'), at?.textContent, ...labels.map((label) => label.textContent)]
      return texts.some((text) => text?.trim().startsWith(name))
    }, name)
    if (isFocused) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${name}`)
}
