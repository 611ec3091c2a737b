import type axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Half the size of the module's own `source`, and every page has to parse it. */
const AXE = await Bun.file(Bun.fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))).text()

/** The axe violations of a page's current DOM. */
export async function axeViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { run } = (globalThis as unknown as { axe: typeof axe }).axe
    // Without details of passed checks, which on a long page take longer than the checks, and without frames: the only one, of
    // the editor's preview, runs no script that could answer, and asking it leaves a complaint in the console.
    const { violations } = await run({ resultTypes: ['violations'], iframes: false })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  })
}

/** How many pixels a page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
}
