import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { arrive, type Person } from '../people.ts'
import { type Server, startServer } from '../server.ts'
import { openChromium } from './chromium.ts'
import { enter } from './people.ts'

setDefaultTimeout(120_000)

const DAY_MS = 86_400_000
const LATER_PAGE = 15_000
// A browser without a window says so, and is taken for a bot.
const DESKTOP = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1'

let browser: Browser
let server: Server
let owner: Person
beforeAll(async () => {
  server = await startServer()
  browser = await openChromium({ popups: 'allowed' })
  owner = await arrive(server)
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

async function open(path: string, options = {}): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.newContext({ baseURL: server.origin, ...options })
  await enter(context, owner)
  const page = await context.newPage()
  await page.goto(path)
  return { page, context }
}

/** A bundle that was viewed so often on each of the last days, today last. */
async function viewed(...views: number[]): Promise<string> {
  const { slug } = await owner.makeBundle()
  for (const [at, count] of views.entries()) {
    const day = new Date(Date.now() - (views.length - 1 - at) * DAY_MS).toISOString().slice(0, 10)
    const insert = "INSERT INTO daily_counters SELECT id, ?, '', ?, ? FROM bundles WHERE slug = ?"
    await server.sql(insert, [day, count, Math.floor(count / 2), slug])
  }
  return slug
}

const total = (page: Page, name: string) =>
  page
    .locator('.totals div', { has: page.getByText(name, { exact: true }) })
    .locator('.figure')
    .textContent()

test('what two viewers did is counted, by the rule that each of them met', async () => {
  const { slug } = await owner.makeBundle({
    resolutionPolicy: {
      version: 1,
      rules: [
        {
          name: 'Phones',
          when: { op: 'equals', field: 'device', value: 'mobile' },
          tabs: [{ url: 'https://m.example/' }],
        },
      ],
    },
  })
  const { page, context } = await open(`/dashboard/links/${slug}/insights`)
  await page.getByRole('heading', { name: 'Nothing was counted in these 30 days' }).waitFor()
  for (const userAgent of [DESKTOP, IPHONE]) {
    const viewer = await browser.newContext({ baseURL: server.origin, userAgent })
    await viewer.route(/\.example\//, (route) => route.fulfill({ body: '' }))
    const launcher = await viewer.newPage()
    await launcher.goto(`/l/${slug}`)
    const sent = launcher.waitForResponse(/\/events$/)
    await launcher.click('#open')
    await sent
    await viewer.close()
  }
  await Bun.sleep(1500)
  await page.reload()
  expect(await total(page, 'Views')).toBe('2')
  expect(await total(page, 'Viewers, day by day')).toBe('2')
  expect(await total(page, 'Open all')).toBe('2')
  expect(await total(page, 'Open all per view')).toBe('100%')
  const rows = await page.locator('.by-rule tbody tr').allTextContents()
  expect(rows).toEqual(['Phones11100%', 'No rule matched11100%'])
  await context.close()
})

test('the range is switched in place, with its address and the way back, and without JavaScript', async () => {
  const slug = await viewed(...Array.from({ length: 40 }, () => 2))
  for (const javaScriptEnabled of [true, false]) {
    const { page, context } = await open(`/dashboard/links/${slug}/insights`, { javaScriptEnabled })
    const whole: string[] = []
    page.on('request', (request) => request.isNavigationRequest() && whole.push(request.url()))
    const shows = (range: string, views: string) =>
      page
        .locator('.segments [aria-current]', { hasText: range })
        .waitFor()
        .then(async () => {
          expect(await total(page, 'Views')).toBe(views)
        })
    await shows('30 days', '60')
    await page.getByRole('link', { name: '7 days' }).click()
    await shows('7 days', '14')
    expect(page.url()).toEndWith('/insights?range=7d')
    await page.getByRole('link', { name: '90 days' }).click()
    await shows('90 days', '80')
    if (javaScriptEnabled) expect(await page.evaluate(() => document.activeElement?.id)).toBe('days-90')
    await page.goBack()
    await shows('7 days', '14')
    expect(whole).toHaveLength(javaScriptEnabled ? 0 : 3)
    await context.close()
  }
})

test('a bar tells its day and number while it is pointed at or tapped, with nothing else moving', async () => {
  const slug = await viewed(5, 0, 7)
  for (const options of [{}, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }]) {
    const { page, context } = await open(`/dashboard/links/${slug}/insights?range=7d`, options)
    const chart = page.locator('.chart').first()
    const shown = () =>
      chart
        .locator('.column text')
        .evaluateAll((texts) =>
          texts.filter((text) => getComputedStyle(text).visibility === 'visible').map(({ textContent }) => textContent),
        )
    const before = await chart.boundingBox()
    expect(await shown()).toEqual([])
    for (const [day, says] of [
      [4, /^\d+ \w+: 5$/],
      [5, /^\d+ \w+: 0$/],
      [6, /^today so far: 7$/],
    ] as const) {
      const hit = chart.locator('.hit').nth(day)
      // Some way up, where the bar of a small number does not reach.
      const position = { x: 3, y: 40 }
      await ('hasTouch' in options ? hit.tap({ position }) : hit.hover({ position }))
      expect(await shown()).toEqual([expect.stringMatching(says)])
    }
    expect(await chart.boundingBox()).toEqual(before)
    await context.close()
  }
})

test('every bar is as high as its number, and lies within its chart on any screen', async () => {
  const slug = await viewed(1, 10, 5, 1000, 0, 500)
  for (const width of [390, 1280, 1600]) {
    const { page, context } = await open(`/dashboard/links/${slug}/insights?range=90d`, {
      viewport: { width, height: 900 },
    })
    const chart = page.locator('.bars').first()
    const bars = await chart
      .locator('.column rect:not(.hit)')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()))
    const frame = await chart.boundingBox()
    expect(bars).toHaveLength(5)
    expect(bars[3].height / bars[4].height).toBeCloseTo(2, 1)
    for (const { left, right, height } of bars) {
      expect(left).toBeGreaterThanOrEqual(frame!.x)
      expect(right).toBeLessThanOrEqual(frame!.x + frame!.width + 0.1)
      expect(height).toBeGreaterThanOrEqual(1.9)
    }
    const named = await chart.evaluate((svg) =>
      [...svg.querySelectorAll(':scope > text')]
        .filter((text) => getComputedStyle(text).display !== 'none')
        .map((text) => text.getBoundingClientRect().toJSON()),
    )
    expect(named.length).toBeGreaterThanOrEqual(4)
    for (const [at, { right }] of named.slice(0, -1).entries()) expect(right + 4).toBeLessThan(named[at + 1].left)
    await context.close()
  }
})

test('the numbers are there as a table and as a file, and the keyboard alone reaches both', async () => {
  const slug = await viewed(3, 4)
  const { page, context } = await open(`/dashboard/links/${slug}/insights?range=7d`, { acceptDownloads: true })
  const reach = async (text: string) => {
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
    for (let presses = 0; (await focused()) !== text; presses += 1) {
      if (presses === 60) throw new Error(`the keyboard does not reach ${text}`)
      await page.keyboard.press('Tab')
    }
  }
  await reach('CSV')
  const coming = page.waitForEvent('download')
  await page.keyboard.press('Enter')
  const download = await coming
  expect(download.suggestedFilename()).toBe(`${slug}-insights-7d.csv`)
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n')
  expect(lines.at(-1)).toMatch(/^\d{4}-\d\d-\d\d,4,2$/)
  await reach('Both as a table')
  await page.keyboard.press('Enter')
  const row = page.getByRole('row').nth(1)
  expect(await row.isVisible()).toBe(true)
  expect(await row.textContent()).toMatch(/^\d{4}-\d\d-\d\d42$/)
  await reach('How we count')
  await page.keyboard.press('Enter')
  expect(await page.getByText('sets no cookie').isVisible()).toBe(true)
  await context.close()
})

test('the heaviest page weighs at most 15 KB after the first', async () => {
  const slug = await viewed(...Array.from({ length: 90 }, (_, at) => 1_000_003 + at * 7919))
  const { page, context } = await open(`/dashboard/links/${slug}/insights?range=7d`)
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
  await page.goto(`/dashboard/links/${slug}/insights?range=90d`, { waitUntil: 'networkidle' })
  expect(bytes).toBeGreaterThan(3000)
  expect(bytes).toBeLessThanOrEqual(LATER_PAGE)
  await context.close()
})
