import type axe from 'axe-core'
import type { CDPSession, Page } from 'playwright-core'

/** Half the size of the module's own `source`, and every page has to parse it. */
const AXE = await Bun.file(Bun.fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))).text()

/** The rules of axe that look at colours: all that may turn out differently in a page's other colour scheme. */
const ABOUT_COLORS = ['color-contrast', 'link-in-text-block']

/** The rule of axe about targets under 24 px that stand too close together (WCAG 2.5.8), which it leaves out otherwise. */
const ABOUT_TARGETS = ['target-size']

/** What of a page axe looks at. */
interface Look {
  /** A selector; by default the whole page. */
  readonly part?: string | undefined
  /** Whether the rest has been looked at in the other colour scheme. */
  readonly colorsAlone?: boolean
  /** Whether it looks at the size and distance of targets instead. */
  readonly targetsAlone?: boolean
}

/** Gives the page of a session axe, for a third less than `axeViolations` does if it has to. */
export async function loadAxe(session: CDPSession): Promise<void> {
  await session.send('Runtime.evaluate', { expression: `${AXE};0` })
}

/** The axe violations of a page's current DOM. */
export async function axeViolations(
  page: Page,
  { part, colorsAlone = false, targetsAlone = false }: Look = {},
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  const asked = { part: part ?? 'html', rules: targetsAlone ? ABOUT_TARGETS : colorsAlone ? ABOUT_COLORS : null }
  return page.evaluate(async ({ part, rules }) => {
    const { run } = (globalThis as unknown as { axe: typeof axe }).axe
    // Without details of passed checks, which on a long page take longer than the checks, and without frames: the only one, of
    // the editor's preview, runs no script that could answer, and asking it leaves a complaint in the console.
    const { violations } = await run(part, {
      resultTypes: ['violations'],
      iframes: false,
      ...(rules === null ? {} : { runOnly: rules }),
    })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  }, asked)
}

const OVERFLOW = 'document.documentElement.scrollWidth - innerWidth'

/** How many pixels a page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(OVERFLOW)
}

/**
 * How many pixels the page of a session is wider than a window of this size. Half the work of `setViewportSize`, but
 * Playwright does not know of it: the size that it last set has to be the last here too, if the page is used again.
 */
export async function overflowAt(session: CDPSession, width: number, height: number): Promise<number> {
  const size = { width, height, screenWidth: width, screenHeight: height, deviceScaleFactor: 1, mobile: false }
  await session.send('Emulation.setDeviceMetricsOverride', size)
  const { result } = await session.send('Runtime.evaluate', { expression: OVERFLOW })
  return result.value as number
}
