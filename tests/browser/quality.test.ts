import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import axe from 'axe-core'
import { HtmlValidate } from 'html-validate'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type Server, startServer } from '../server.ts'
import { openChromium } from './chromium.ts'
import { keepHome, prepareWorld, scenes } from './scenes.ts'

setDefaultTimeout(120_000)

const NAMES = Object.keys(scenes) as (keyof typeof scenes)[]
const WIDTHS = [390, 1280]
const SCHEMES = ['light', 'dark'] as const

let server: Server
let browser: Browser
let world: Awaited<ReturnType<typeof prepareWorld>>

beforeAll(async () => {
  server = await startServer()
  browser = await openChromium({ popups: 'blocked' })
  world = await prepareWorld(server)
})

afterAll(async () => {
  await browser.close()
  await server.stop()
})

describe.each(NAMES)('the page %s', (name) => {
  test('has nothing that axe objects to, light and dark, on a phone and on a desk', async () => {
    // The policy would keep axe itself out; `breaks nothing` looks at the page with the policy on.
    const page = await open(name, { bypassCSP: true, reducedMotion: 'reduce' })
    await page.evaluate(axe.source)
    for (const colorScheme of SCHEMES) {
      for (const width of WIDTHS) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 844 })
        const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
        expect(found, `${colorScheme}, ${width}`).toEqual([])
      }
    }
    await page.context().close()
  })

  test('breaks nothing: no error, no refused content, no other origin asked, no shift of the layout', async () => {
    for (const width of WIDTHS) {
      const page = await open(name, { viewport: { width, height: 844 } })
      await page.waitForLoadState('networkidle')
      const { shift, violations } = await page.evaluate(
        () => (globalThis as unknown as { observed: Observed }).observed,
      )
      expect(violations).toEqual([])
      expect(shift).toBe(0)
      expect(complaints.get(page)).toEqual([])
      expect(elsewhere.get(page)).toEqual([])
      await page.context().close()
    }
  })

  test('is no wider than a phone', async () => {
    const page = await open(name, { viewport: { width: 390, height: 844 } })
    const [content, window] = await page.evaluate(() => [document.scrollingElement?.scrollWidth ?? 0, innerWidth])
    expect(content).toBeLessThanOrEqual(window ?? 0)
    await page.context().close()
  })

  test('is sound HTML', async () => {
    const page = await open(name, {})
    const html = (await sent.get(page)) ?? ''
    expect(html).toStartWith('<!doctype html>')
    const report = await validator.validateString(html)
    const found = report.results.flatMap(({ messages }) =>
      messages.map(({ ruleId, line, message }) => `${ruleId} in line ${line}: ${message}`),
    )
    expect(found).toEqual([])
    await page.context().close()
  })
})

const validator = new HtmlValidate({
  root: true,
  extends: ['html-validate:standard', 'html-validate:a11y', 'html-validate:document'],
  // The scripts and styles are of the page's own origin, where an integrity hash guards against nobody.
  rules: { 'require-sri': ['error', { target: 'crossorigin' }] },
})

interface Observed {
  shift: number
  violations: string[]
}

/** Per page: what the console complained of, requests to other origins, and the document as it was sent. */
const complaints = new WeakMap<Page, string[]>()
const elsewhere = new WeakMap<Page, string[]>()
const sent = new WeakMap<Page, Promise<string>>()

/** A scene in a context of its own, watched from its first byte. */
async function open(name: (typeof NAMES)[number], options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options)
  await keepHome(context)
  const page = await context.newPage()
  await watch(page)
  await scenes[name](page, world)
  return page
}

async function watch(page: Page): Promise<void> {
  const said: string[] = []
  const asked: string[] = []
  complaints.set(page, said)
  elsewhere.set(page, asked)
  page.on('pageerror', (error) => said.push(error.message))
  page.on('console', (message) => {
    // The browser notes in the console that the page itself came with a 4xx, which it is meant to here.
    const isOwnStatus = message.location().url === page.url() && /status of 4\d\d/.test(message.text())
    if (['error', 'warning'].includes(message.type()) && !isOwnStatus) said.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${server.origin}/`)) asked.push(request.url())
  })
  page.on('response', (response) => {
    if (response.request().isNavigationRequest())
      sent.set(
        page,
        response.text().catch(() => ''),
      )
  })
  await page.addInitScript(() => {
    const observed: Observed = { shift: 0, violations: [] }
    Object.assign(globalThis, { observed })
    document.addEventListener('securitypolicyviolation', (event) => observed.violations.push(event.violatedDirective))
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
        if (!entry.hadRecentInput) observed.shift += entry.value
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
}
