import axe from 'axe-core'
import { type ConfigData, HtmlValidate } from 'html-validate'
import type { Page } from 'playwright-core'

const SOUND: ConfigData = {
  root: true,
  extends: ['html-validate:standard', 'html-validate:a11y', 'html-validate:document'],
  // The scripts and styles are of the page's own origin, where an integrity hash guards against nobody.
  rules: { 'require-sri': ['error', { target: 'crossorigin' }] },
}
const asSent = new HtmlValidate(SOUND)
const asShown = new HtmlValidate({
  ...SOUND,
  rules: {
    ...SOUND.rules,
    // How a page is written out is then the browser's, not the service's.
    'doctype-style': 'off',
    'attr-quotes': 'off',
    'void-style': 'off',
    'no-raw-characters': 'off',
    'attribute-boolean-style': 'off',
    'attribute-empty-style': 'off',
    'no-trailing-whitespace': 'off',
  },
})

/** What is wrong with a document as it was sent. */
export async function flawsOf(html: string): Promise<string[]> {
  return told(await asSent.validateString(html))
}

/** What is wrong with the document of a page as it stands. */
export async function flawsIn(page: Page): Promise<string[]> {
  return told(await asShown.validateString(await page.content()))
}

function told({ results }: Awaited<ReturnType<HtmlValidate['validateString']>>): string[] {
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, line, message }) => `${ruleId} in line ${line}: ${message}`),
  )
}

/** What axe objects to in a page as it stands. */
export async function objectionsTo(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { run } = (globalThis as unknown as { axe: typeof axe }).axe
    // What passes is not told in full: on a long page that takes longer than the checks.
    const { violations } = await run({ resultTypes: ['violations'] })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  })
}

/** By how many pixels a page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
}
