import type axe from 'axe-core'
import { type ConfigData, HtmlValidate } from 'html-validate'
import type { Page } from 'playwright-core'

/** Half the size of the module's own `source`, and every page has to parse it. */
const AXE = await Bun.file(Bun.fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))).text()

const RULES: ConfigData = {
  root: true,
  extends: ['html-validate:standard', 'html-validate:a11y', 'html-validate:document'],
  // Our scripts and styles are same-origin, where an integrity hash protects against nothing.
  rules: { 'require-sri': ['error', { target: 'crossorigin' }] },
}
const sentHtml = new HtmlValidate(RULES)
const serializedDom = new HtmlValidate({
  ...RULES,
  rules: {
    ...RULES.rules,
    // The browser, not the service, decides how the DOM is serialized.
    'doctype-style': 'off',
    'attr-quotes': 'off',
    'void-style': 'off',
    'no-raw-characters': 'off',
    'attribute-boolean-style': 'off',
    'attribute-empty-style': 'off',
    'no-trailing-whitespace': 'off',
  },
})

const checked = new Map<string, string[]>()

/** The html-validate errors of a document as sent; checked once if it is sent again. */
export async function htmlErrorsOf(html: string): Promise<string[]> {
  const errors = checked.get(html) ?? messagesOf(await sentHtml.validateString(html))
  checked.set(html, errors)
  return errors
}

/** The html-validate errors of a page's current DOM. */
export async function htmlErrorsIn(page: Page): Promise<string[]> {
  return messagesOf(await serializedDom.validateString(await page.content()))
}

function messagesOf({ results }: Awaited<ReturnType<HtmlValidate['validateString']>>): string[] {
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, line, message }) => `${ruleId} in line ${line}: ${message}`),
  )
}

/** The axe violations of a page's current DOM. */
export async function axeViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { run } = (globalThis as unknown as { axe: typeof axe }).axe
    // Without details of passed checks, which on a long page take longer than the checks.
    const { violations } = await run({ resultTypes: ['violations'] })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  })
}

/** How many pixels a page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
}
