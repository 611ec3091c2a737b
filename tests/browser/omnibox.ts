import type { BrowserContext } from 'playwright-core'

/** Asks Chromium what its address bar would show. */
interface Omnibox {
  type(text: string): Promise<void>
  /** All that its page says of the last text. */
  read(): Promise<string>
}

/** Nothing types into the bar itself; this page of Chromium's asks what the bar asks, and shows where it would go. */
export async function openOmnibox(context: BrowserContext): Promise<Omnibox> {
  const page = await context.newPage()
  await page.goto('chrome://chrome-urls')
  const [enables, disables] = ['Enable', 'Disable'].map((verb) =>
    page.getByText(`${verb} internal debugging pages`).first(),
  )
  await enables!.or(disables!).waitFor()
  if (await enables!.isVisible()) await page.locator('chrome-urls-app cr-button').first().click()
  await disables!.waitFor()
  await page.goto('chrome://omnibox')
  return {
    type: (text) => page.locator('#input-text').fill(text),
    read: async () => String(await page.evaluate(TEXT)),
  }
}

/** The text of a page with that of its components. */
const TEXT = `(function text(node) {
  return [...(node.shadowRoot ?? node).childNodes]
    .map((child) => (child.nodeType === Node.TEXT_NODE ? child.data : /STYLE|TEMPLATE/.test(child.tagName) ? '' : text(child)))
    .join(' ')
})(document.body)`
