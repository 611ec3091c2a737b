import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { openChromium } from '../browser/chromium.ts'
import { axeViolations, loadAxe, overflowAt } from '../browser/flaws.ts'
import { prepareWorld, scenes, type World } from '../browser/scenes.ts'
import { listen } from '../browser/stage.ts'
import { watchRequests } from '../browser/waiting.ts'
import { startInProcess } from '../in-process.ts'
import type { Server } from '../server.ts'
import { htmlErrorsOf } from '../valid-html.ts'

const NAMES = Object.keys(scenes) as (keyof typeof scenes)[]
/** Scenes that need full Chromium, which has a pop-up blocker. */
const BLOCKED: (typeof NAMES)[number][] = ['launcher-blocked']

/** Of scenes that change a part of a large page of another scene: that part. */
const PARTS: Partial<Record<(typeof NAMES)[number], string>> = { 'docs-tried': '#create_bundle' }

const HEIGHT = 844
const [DESKTOP, PHONE] = [1280, 390]
/** A 1280-pixel window at 200 % zoom (WCAG 1.4.4). */
const ZOOMED = 640
/** The smallest phones, and a 1280-pixel window at 400 % zoom (WCAG 1.4.10). */
const SMALLEST = 320

let server: Server
let world: World
let browser: Browser
let blocking: Browser
// Only guards against hanging; generous, because the machine may be busy.
setDefaultTimeout(180_000)
beforeAll(async () => {
  browser = await openChromium({ popups: 'allowed' })
  blocking = await openChromium({ popups: 'blocked' })
  server = await startInProcess()
  world = await prepareWorld(server)
})
afterAll(async () => {
  await Promise.all([...pages.values()].map(({ page }) => page.context().close()))
  await server?.stop()
})

test.each(NAMES)(
  'the page %s is valid HTML without axe violations: no errors, no blocked content, no other origins, no layout shift, no overflow even at 320 pixels',
  async (name) => {
    const { page, session, documents, complaints, refusals, elsewhere, quiet } = await open(name)
    const html = (await documents.at(-1)) ?? ''
    expect(html).toStartWith('<!doctype html>')
    expect(await htmlErrorsOf(html)).toEqual([])
    await quiet()
    const { shift, violations } = await page.evaluate(() => (globalThis as unknown as { observed: Observed }).observed)
    expect({
      shift,
      violations,
      complaints: complaints.filter(isOfThePage),
      // The page itself may have a 4xx status here.
      refused: refusals.filter((url) => url !== page.url()),
      elsewhere,
    }).toEqual({ shift: 0, violations: [], complaints: [], refused: [], elsewhere: [] })
    // During the transition between schemes a colour can have too little contrast.
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const part = PARTS[name]
    if (part !== undefined) await removeBeside(page, part)
    await loadAxe(session)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const look = { part, colorsAlone: colorScheme === 'dark' }
      expect(await axeViolations(page, look), colorScheme).toEqual([])
    }
    for (const width of [SMALLEST, PHONE, ZOOMED, DESKTOP])
      expect(Math.max(0, await overflowAt(session, width, HEIGHT)), `${width}`).toBe(0)
  },
)

/** Leaves of a page the part that its scene changed: axe would go through all the rest, which another scene has. */
const removeBeside = (page: Page, part: string) =>
  page.locator(part).evaluate((kept) => {
    for (const other of [...(kept.parentElement?.children ?? [])]) if (other !== kept) other.remove()
  })

/** Playwright runs `observe` in every frame, and the sandboxed one of the editor's preview refuses to (editor-preview.test.ts). */
const isOfThePage = (complaint: string) => !complaint.startsWith("Blocked script execution in 'about:srcdoc'")

interface Observed {
  shift: number
  violations: string[]
}

/** A page of each browser, for one scene after another: a new one would cost half a second of a core each. */
const pages = new Map<Browser, Observing>()
interface Observing {
  page: Page
  session: CDPSession
}

async function pageOf(browser: Browser): Promise<Observing> {
  const known = pages.get(browser)
  const page = known?.page ?? (await browser.newPage())
  const session = known?.session ?? (await page.context().newCDPSession(page))
  if (known === undefined) {
    pages.set(browser, { page, session })
    await observe(page)
    await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  } else {
    // As in a new window: signed out, nothing stored or cached, no setting of the last scene. It leaves the page, because the
    // way from `/docs` to a part of it loads nothing.
    await page.evaluate(() => localStorage.clear())
    await page.goto(`${server.origin}/healthz`)
    page.removeAllListeners()
    await page.context().clearCookies()
    await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  }
  await page.setViewportSize({ width: DESKTOP, height: HEIGHT })
  return { page, session }
}

/** Opens a scene, observed from the first byte. */
async function open(name: (typeof NAMES)[number]) {
  const { page, session } = await pageOf(BLOCKED.includes(name) ? blocking : browser)
  const watched = { page, session, ...listen(page), ...listenToNetwork(page), quiet: watchRequests(page) }
  await scenes[name](page, world)
  return watched
}

/** Records requests to other origins, and documents as sent. */
function listenToNetwork(page: Page) {
  const elsewhere: string[] = []
  const documents: Promise<string>[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(`${server.origin}/`)) elsewhere.push(request.url())
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
    // Browsers do not count shifts right after input. Neither are shifts counted here that an answer to input causes, which
    // may take any time on a busy machine.
    let isAsked = false
    let isAnswered = false
    for (const type of ['pointerdown', 'keydown', 'input'])
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
