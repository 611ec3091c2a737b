import { beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { DESKTOP, IPHONE } from './devices.ts'
import { focusedId, reach } from './keyboard.ts'
import { setStage } from './stage.ts'
import { settled } from './waiting.ts'
import { weigh } from './weight.ts'

const DAY_MS = 86_400_000
const LATER_PAGE = 15_000

const stage = setStage()
let owner: Person
beforeAll(async () => {
  owner = await newPerson(stage.server)
})

const open = (path: string, options: BrowserContextOptions = {}) => stage.open(path, owner, options)

/** A bundle with these numbers of views on the last days, today last. */
async function viewed(...views: number[]): Promise<string> {
  const { slug } = await owner.makeBundle()
  for (const [at, count] of views.entries()) {
    const day = new Date(Date.now() - (views.length - 1 - at) * DAY_MS).toISOString().slice(0, 10)
    const insert = "INSERT INTO daily_counters SELECT id, ?, '', ?, ? FROM bundles WHERE slug = ?"
    await stage.server.sql(insert, [day, count, Math.floor(count / 2), slug])
  }
  return slug
}

const total = (page: Page, name: string) =>
  page
    .locator('.totals div', { has: page.getByText(name, { exact: true }) })
    .locator('.figure')
    .textContent()

test('the views and clicks of two viewers are counted by the rule that each matched', async () => {
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
  const { page } = await open(`/dashboard/links/${slug}/insights`)
  await page.getByRole('heading', { name: 'No visits in the last 30 days' }).waitFor()
  for (const userAgent of [DESKTOP, IPHONE]) {
    const viewer = await stage.browser.newContext({ baseURL: stage.server.origin, userAgent })
    await viewer.route(/\.example\//, (route) => route.fulfill({ body: '' }))
    const launcher = await viewer.newPage()
    await launcher.goto(`/l/${slug}`)
    const sent = launcher.waitForResponse(/\/events$/)
    await launcher.click('#open')
    await sent
  }
  const told = async () => (await owner.api<{ totals: object }>('GET', `/api/links/${slug}/insights`)).body.totals
  await becomes(told, expect.objectContaining({ views: 2, uniqueViewerDays: 2, openAllClicks: 2 }))
  await page.reload()
  expect(await total(page, 'Views')).toBe('2')
  expect(await total(page, 'Daily visitors')).toBe('2')
  expect(await total(page, 'Open all')).toBe('2')
  expect(await total(page, 'Open rate')).toBe('100%')
  const rows = await page.locator('.by-rule tbody tr').allTextContents()
  expect(rows).toEqual(['Phones11100%', 'No rule matched11100%'])
})

test('the range is switched in place, with its own address and a working back button', async () => {
  const slug = await viewed(...Array.from({ length: 40 }, () => 2))
  const { page } = await open(`/dashboard/links/${slug}/insights`)
  const whole: string[] = []
  page.on('request', (request) => request.isNavigationRequest() && whole.push(request.url()))
  const shows = async (range: string, views: string) => {
    await page.locator('.segments [aria-current]', { hasText: range }).waitFor()
    await settled(page)
    expect(await total(page, 'Views')).toBe(views)
  }
  await shows('30 days', '60')
  await page.getByRole('link', { name: '7 days' }).click()
  await shows('7 days', '14')
  expect(page.url()).toEndWith('/insights?range=7d')
  await page.getByRole('link', { name: '90 days' }).click()
  await shows('90 days', '80')
  await becomes(() => focusedId(page), 'days-90')
  await page.goBack()
  await shows('7 days', '14')
  expect(whole).toEqual([])
})

test('a bar shows its day and number while it is hovered or tapped, and nothing else moves', async () => {
  const slug = await viewed(5, 0, 7)
  for (const options of [{}, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }]) {
    const { page } = await open(`/dashboard/links/${slug}/insights?range=7d`, options)
    const chart = page.locator('.chart').first()
    const shown = () =>
      chart
        .locator('.column text')
        .evaluateAll((texts) =>
          texts.filter((text) => getComputedStyle(text).visibility === 'visible').map(({ textContent }) => textContent),
        )
    await chart.scrollIntoViewIfNeeded()
    const before = await chart.boundingBox()
    expect(await shown()).toEqual([])
    for (const [day, says] of [
      [4, /^\d+ \w+: 5$/],
      [5, /^\d+ \w+: 0$/],
      [6, /^today so far: 7$/],
    ] as const) {
      const hit = chart.locator('.hit').nth(day)
      // Above the bar of a small number.
      const position = { x: 3, y: 40 }
      await ('hasTouch' in options ? hit.tap({ position }) : hit.hover({ position }))
      await becomes(shown, [expect.stringMatching(says)])
    }
    expect(await chart.boundingBox()).toEqual(before)
  }
})

test('every bar is as high as its number and fits its chart on any screen', async () => {
  const slug = await viewed(1, 10, 5, 1000, 0, 500)
  for (const width of [390, 1280, 1600]) {
    const { page } = await open(`/dashboard/links/${slug}/insights?range=90d`, {
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
  }
})

test('on the smallest screens the days below the chart are apart', async () => {
  const slug = await viewed(1, 2, 3)
  for (const range of ['7d', '30d', '90d']) {
    const { page } = await open(`/dashboard/links/${slug}/insights?range=${range}`, {
      viewport: { width: 320, height: 640 },
    })
    const days = await page
      .locator('.bars')
      .evaluate((svg) =>
        [...svg.querySelectorAll(':scope > text')]
          .filter((text) => getComputedStyle(text).display !== 'none')
          .map((text) => text.getBoundingClientRect().toJSON()),
      )
    expect(days.length).toBeGreaterThanOrEqual(3)
    for (const [at, { right }] of days.slice(0, -1).entries()) expect(right + 4).toBeLessThan(days[at + 1].left)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  }
})

test('the chart switches between views and Open all, keeping the range, without moving', async () => {
  const slug = await viewed(...Array.from({ length: 10 }, () => 4))
  const { page } = await open(`/dashboard/links/${slug}/insights?range=7d`)
  const summary = () => page.locator('.chart').getAttribute('aria-label')
  /** Where the chart is, on the page and on the screen. */
  const place = () =>
    page.locator('.chart').evaluate((chart) => {
      const { x, y, width, height } = chart.getBoundingClientRect()
      return [x, y + scrollY, width, height, scrollY]
    })
  expect(await summary()).toMatch(/^Views per day, .*: 28 in all/)
  await reach(page, 'Open all')
  const before = await place()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Open all per day' }).waitFor()
  await settled(page)
  expect(await summary()).toMatch(/^Clicks on Open all per day, .*: 14 in all/)
  expect(page.url()).toEndWith('/insights?range=7d&chart=open-all')
  expect(await place()).toEqual(before)
  await becomes(() => focusedId(page), 'chart-open-all')
  await page.getByRole('link', { name: '30 days' }).click()
  await page.locator('.segments [aria-current]', { hasText: '30 days' }).waitFor()
  await settled(page)
  expect(await summary()).toMatch(/^Clicks on Open all per day, .*: 20 in all/)
})

test('visitors are shown by the site they came from, their device and their language, in words', async () => {
  const { slug } = await owner.makeBundle()
  for (const [locale, referer] of [
    ['de-AT', 'https://news.example/story?id=7'],
    ['de-DE', 'https://news.example/'],
    ['en-GB', ''],
  ] as const) {
    const viewer = await stage.browser.newContext({ baseURL: stage.server.origin, userAgent: IPHONE, locale })
    await (await viewer.newPage()).goto(`/l/${slug}`, { referer })
  }
  const told = async () =>
    (await owner.api<{ breakdowns: object }>('GET', `/api/links/${slug}/insights`)).body.breakdowns
  await becomes(told, expect.objectContaining({ devices: { values: [{ value: 'mobile', views: 3 }], other: 0 } }))
  const { page } = await open(`/dashboard/links/${slug}/insights`)
  const rows = (heading: string) =>
    page
      .getByRole('region', { name: heading })
      .locator('tbody tr')
      .evaluateAll((all) =>
        all.map((row) =>
          [...row.querySelectorAll('.behind > :not(.tile), td')]
            .map((one) => one.textContent)
            .join(' ')
            .trim(),
        ),
      )
  expect(await rows('Referrers')).toEqual(['news.example 2 66.7%', 'Direct 1 33.3%'])
  expect(await rows('Devices')).toEqual(['Phone 3 100%'])
  expect(await rows('Languages')).toEqual(['German (de) 2 66.7%', 'English (en) 1 33.3%'])
  expect(await page.locator('.totals .change').first().textContent()).toBe('None in the previous 30 days')
})

test('what a number counts is told to the keyboard and the mouse, and chosen days stay without JavaScript', async () => {
  const slug = await viewed(3, 4, 5)
  const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10)
  for (const javaScriptEnabled of [true, false]) {
    const { page } = await open(`/dashboard/links/${slug}/insights`, { javaScriptEnabled })
    const tip = page.getByText('Times the page was opened')
    expect(await tip.isVisible()).toBe(false)
    const button = page.getByRole('button', { name: 'About Views' })
    await button.focus()
    expect(await tip.isVisible()).toBe(true)
    if (javaScriptEnabled) {
      await page.keyboard.press('Escape')
      expect(await tip.isVisible()).toBe(false)
      await button.blur()
      await button.focus()
      expect(await tip.isVisible()).toBe(true)
      await button.hover()
      await page.keyboard.press('Escape')
      expect(await tip.isVisible()).toBe(false)
      await page.locator('h1').hover()
      await button.hover()
      expect(await tip.isVisible()).toBe(true)
    }
    await page.getByText('Custom').click()
    await page.getByLabel('From', { exact: true }).fill(day(1))
    await page.getByLabel('To', { exact: true }).fill(day(2))
    await page.getByRole('button', { name: 'Show these days' }).click()
    await page.getByText('This must not be before the first day.').waitFor()
    await page.getByLabel('From', { exact: true }).fill(day(2))
    await page.getByLabel('To', { exact: true }).fill(day(1))
    await page.getByRole('button', { name: 'Show these days' }).click()
    await becomes(() => total(page, 'Views'), '7')
  }
})

test('the numbers are also available as a table and a file, reachable by keyboard', async () => {
  const slug = await viewed(3, 4)
  const { page } = await open(`/dashboard/links/${slug}/insights?range=7d`, { acceptDownloads: true })
  await reach(page, 'CSV')
  await page.keyboard.press('Enter')
  await reach(page, 'Views per day as CSV')
  const coming = page.waitForEvent('download')
  await page.keyboard.press('Enter')
  const download = await coming
  expect(download.suggestedFilename()).toBe(`${slug}-insights-7d.csv`)
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n')
  expect(lines.at(-1)).toMatch(/^\d{4}-\d\d-\d\d,4,2,0$/)
  await reach(page, 'Show both as a table')
  await page.keyboard.press('Enter')
  const row = page.getByRole('row').nth(1)
  expect(await row.isVisible()).toBe(true)
  expect(await row.textContent()).toMatch(/^\d{4}-\d\d-\d\d42$/)
  await reach(page, 'How we count')
  await page.keyboard.press('Enter')
  expect(await page.getByText('sets no cookie').isVisible()).toBe(true)
})

test('the heaviest page weighs at most 15 KB after the first load', async () => {
  const slug = await viewed(...Array.from({ length: 90 }, (_, at) => 1_000_003 + at * 7919))
  const { page } = await open(`/dashboard/links/${slug}/insights?range=7d`)
  const weight = await weigh(page)
  await page.goto(`/dashboard/links/${slug}/insights?range=90d`, { waitUntil: 'networkidle' })
  const bytes = await weight.bytes()
  expect(bytes).toBeGreaterThan(3000)
  expect(bytes).toBeLessThanOrEqual(LATER_PAGE)
})
