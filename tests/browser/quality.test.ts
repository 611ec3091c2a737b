import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { MATRIX } from '../server.ts'
import { openChromium } from './chromium.ts'
import { flawsOf, objectionsTo, overflowOf } from './flaws.ts'
import { prepareWorld, scenes, type World } from './scenes.ts'
import { listen, setStage } from './stage.ts'
import { shownFrom, WIDTHS } from './windows.ts'

const NAMES = Object.keys(scenes) as (keyof typeof scenes)[]
/** What only a whole Chromium shows, which has a pop-up blocker. */
const BLOCKED: (typeof NAMES)[number][] = ['launcher-blocked']

const stage = setStage()
let world: World
let blocking: Browser
beforeAll(async () => {
  blocking = await openChromium({ popups: 'blocked' })
  world = await prepareWorld(stage.server)
})
afterAll(async () => {
  await blocking?.close()
})

test.each(NAMES)(
  'the page %s is sound HTML that axe does not object to, and breaks nothing: no error, no refused content, no other origin asked, no shift of the layout, nothing wider than the window or than one of 320 pixels',
  async (name) => {
    const seen = await Promise.all(WIDTHS.map((width) => look(name, width)))
    for (const { page, width, documents, ...rest } of seen) {
      expect({ width, ...rest.seen }).toEqual({
        width,
        violations: [],
        shift: 0,
        complaints: [],
        refused: [],
        elsewhere: [],
        overflow: 0,
      })
      if (width < SMALLEST * 2) expect(await overflowAt(page, SMALLEST)).toBe(0)
      const html = (await documents.at(-1)) ?? ''
      expect(html).toStartWith('<!doctype html>')
      // The same HTML at every width: seen in the usual run.
      if (MATRIX !== 'rest') expect(await flawsOf(html)).toEqual([])
      await expectNoObjections(page, shownFrom(width))
      await page.context().close()
    }
  },
)

/** A phone of the smallest kind, and a window of 1280 pixels enlarged four times (WCAG 1.4.10). */
const SMALLEST = 320

async function overflowAt(page: Page, width: number): Promise<number> {
  const { height = 844 } = page.viewportSize() ?? {}
  await page.setViewportSize({ width, height })
  return Math.max(0, await overflowOf(page))
}

/** What can be seen of a scene in a window of one width, once nothing comes any more. */
async function look(name: (typeof NAMES)[number], width: number) {
  const { page, documents, complaints, refusals, elsewhere } = await open(name, { viewport: { width, height: 844 } })
  await page.waitForLoadState('networkidle')
  const { shift, violations } = await page.evaluate(() => (globalThis as unknown as { observed: Observed }).observed)
  // That the page itself came with a 4xx is meant here.
  const refused = refusals.filter((url) => url !== page.url())
  const overflow = Math.max(0, await overflowOf(page))
  return { page, documents, width, seen: { violations, shift, complaints, refused, elsewhere, overflow } }
}

async function expectNoObjections(page: Page, shown: ReturnType<typeof shownFrom>): Promise<void> {
  // A colour that is still on its way from one scheme to the other has too little contrast.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const { colorScheme, width } of shown) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 844 })
    expect(await objectionsTo(page), `${colorScheme}, ${width}`).toEqual([])
  }
}

interface Observed {
  shift: number
  violations: string[]
}

/** A scene in a context of its own, watched from its first byte. */
async function open(name: (typeof NAMES)[number], options: BrowserContextOptions = {}) {
  const context = await (BLOCKED.includes(name) ? blocking : stage.browser).newContext(options)
  const page = await context.newPage()
  const watched = { page, ...listen(page), ...listenToNetwork(page) }
  await observe(page)
  await scenes[name](page, world)
  return watched
}

/** Requests to other origins, and the documents as they were sent. */
function listenToNetwork(page: Page) {
  const elsewhere: string[] = []
  const documents: Promise<string>[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(`${stage.server.origin}/`)) elsewhere.push(request.url())
  })
  page.on('response', (response) => {
    if (response.request().isNavigationRequest()) documents.push(response.text().catch(() => ''))
  })
  return { elsewhere, documents }
}

async function observe(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const observed: Observed = { shift: 0, violations: [] }
    Object.assign(globalThis, { observed })
    document.addEventListener('securitypolicyviolation', (event) => observed.violations.push(event.violatedDirective))
    // What moves right after a press has been asked for, says the browser; here also what an answer moves that was asked for
    // by a press or by typing, for that may take any time on a busy machine.
    let isAsked = false
    let isAnswered = false
    for (const type of ['pointerdown', 'input'])
      document.addEventListener(type, () => (isAsked = true), { capture: true })
    const { fetch } = globalThis
    globalThis.fetch = Object.assign((...request: Parameters<typeof fetch>) => {
      isAnswered ||= isAsked
      return fetch(...request)
    }, fetch)
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
        if (!entry.hadRecentInput && !isAnswered) observed.shift += entry.value
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
}
