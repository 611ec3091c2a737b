import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { openChromium, openChromiumProfile } from './chromium.ts'
import { startDestinations } from './destinations.ts'
import { createBundle } from './service.ts'
import { setStage } from './stage.ts'

const folder = mkdtempSync(join(tmpdir(), 'openall-browser-'))
const stage = setStage({ popups: 'blocked', database: join(folder, 'test.db') })
let allowing: Browser
let destinations: ReturnType<typeof startDestinations>

beforeAll(async () => {
  allowing = await openChromium({ popups: 'allowed' })
})

afterAll(async () => {
  await allowing?.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('Open all with the pop-up blocker on', () => {
  test('opens one tab, says that the rest was blocked, then one more with each press, each exactly once', async () => {
    const { page, urls } = await launcher(stage.browser, 7)
    await press(page)
    await opened(1)
    expect(await page.textContent('#status')).toBe(
      '1 of 7 open. Your browser blocked the rest: press “Open next” for each tab.',
    )
    expect(await page.textContent('#how')).toContain('Always allow pop-ups from')
    for (let next = 2; next <= 7; next += 1) {
      expect(await page.textContent('#open')).toBe(`Open next (${next} of 7)`)
      expect(await page.locator('li.opened').count()).toBe(next - 1)
      await press(page)
      await opened(next)
    }
    expect(await page.textContent('#status')).toBe('All 7 tabs are open.')
    expect(await page.textContent('#open')).toBe('All open')
    expect(await page.isVisible('#blocked')).toBe(false)
    expect(visitedPaths()).toEqual(urls.map((url) => new URL(url).pathname))
    await leave(page)
  })

  test('gives the opened pages neither an opener nor a referrer', async () => {
    const { page } = await launcher(stage.browser, 3)
    for (let count = 1; count <= 3; count += 1) {
      await press(page)
      await opened(count)
    }
    await haveNoOpener(3)
    expect(destinations.visits.map(({ referrer }) => referrer)).toEqual([null, null, null])
    await leave(page)
  })

  test('counts one click, however many presses it takes', async () => {
    const { page, slug, events } = await launcher(stage.browser, 4)
    const counted = page.waitForResponse(/\/events$/)
    for (let count = 1; count <= 4; count += 1) {
      await press(page)
      await opened(count)
    }
    await counted
    expect(events).toEqual([{ kind: 'open_all', matchedRuleId: null }])
    await stage.server.stop()
    const sum = `SELECT sum(open_all_clicks) AS clicks FROM daily_counters
      JOIN bundles ON bundles.id = bundle_id WHERE slug = ?`
    expect(await stage.server.sql(sum, [slug])).toEqual([{ clicks: 1 }])
    await stage.server.restart()
    await leave(page)
  })

  test('marks the tab that the next press opens, and goes on after one that was opened by hand', async () => {
    const { page } = await launcher(stage.browser, 3)
    await press(page)
    await opened(1)
    expect(await page.locator('li.next a').getAttribute('href')).toEndWith('/2')
    await page.bringToFront()
    await page.locator('a.tab').nth(1).click()
    await opened(2)
    expect(await page.textContent('#open')).toBe('Open next (3 of 3)')
    await press(page)
    await opened(3)
    expect(visitedPaths()).toEqual(['/1', '/2', '/3'])
    await leave(page)
  })

  test('opens the rest at once after pop-ups were allowed', async () => {
    const context = await openChromiumProfile({ popups: 'blocked' })
    const { page } = await launcher(context, 7)
    await press(page)
    await opened(1)
    await allowPopups(context)
    await page.bringToFront()
    await page.getByRole('button', { name: 'Pop-ups allowed? Open the rest' }).click()
    await opened(7)
    expect(await page.textContent('#status')).toBe('All 7 tabs are open.')
    expect(visitedPaths()).toEqual(['/1', '/2', '/3', '/4', '/5', '/6', '/7'])
    await leave(page)
  })
})

describe('how to allow pop-ups', () => {
  const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
  const ANDROID = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko)'
  const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)'
  test.each([
    ['Safari on an iPhone', `${IPHONE} Version/18.1 Mobile/15E148 Safari/604.1`, true, 'in the Settings app'],
    ['Chrome on an iPhone', `${IPHONE} CriOS/130.0 Mobile/15E148 Safari/604.1`, true, 'in Chrome, tap'],
    ['Safari on an iPad', `${MAC} Version/18.1 Safari/605.1.15`, true, 'in the Settings app'],
    ['Safari on a Mac', `${MAC} Version/18.1 Safari/605.1.15`, false, 'in Safari’s settings'],
    ['Chrome on Android', `${ANDROID} Chrome/130.0 Mobile Safari/537.36`, true, 'Always show'],
    [
      'Samsung Internet',
      `${ANDROID} SamsungBrowser/27.0 Chrome/125.0 Mobile Safari/537.36`,
      true,
      'Sites and downloads',
    ],
    ['Firefox on Android', 'Mozilla/5.0 (Android 15; Mobile; rv:132.0) Gecko/132.0 Firefox/132.0', true, 'tap Allow'],
    ['Firefox', 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0', false, 'choose Options'],
  ] as const)('is told for %s', async (_, userAgent, hasTouch, says) => {
    const { page } = await launcher(stage.browser, 2, [], { userAgent, hasTouch })
    await press(page)
    await opened(1)
    expect(await page.textContent('#how')).toContain(says)
    await leave(page)
  })
})

describe('Open all with pop-ups allowed', () => {
  test('opens seven tabs in one click, ticks them, and counts one click', async () => {
    const { page, events } = await launcher(allowing, 7)
    await press(page)
    await opened(7)
    expect(visitedPaths()).toEqual(['/1', '/2', '/3', '/4', '/5', '/6', '/7'])
    expect(await page.textContent('#status')).toBe('All 7 tabs are open.')
    expect(await page.getByRole('link', { name: '(opened)' }).count()).toBe(7)
    await haveNoOpener(7)
    expect(destinations.visits.every(({ referrer }) => referrer === null)).toBe(true)
    await becomes(() => events.length, 1)
    await leave(page)
  })

  test('once all are open, opens none again but by the button for that', async () => {
    const { page, events } = await launcher(allowing, 3)
    await press(page)
    await opened(3)
    expect(await page.textContent('#open')).toBe('All open')
    await page.bringToFront()
    await page.locator('#open').press('Enter')
    await page.getByRole('button', { name: 'Open again' }).click()
    await opened(6)
    expect(visitedPaths()).toEqual(['/1', '/1', '/2', '/2', '/3', '/3'])
    await becomes(() => events.length, 2)
    await leave(page)
  })

  test('calls the button of one link by what it does', async () => {
    const { page } = await launcher(allowing, 1)
    expect(await page.textContent('#open')).toBe('Open')
    await press(page)
    await opened(1)
    expect(await page.textContent('#open')).toBe('Opened')
    await leave(page)
  })

  test('leaves out the tabs that are to be opened by hand, and says so beforehand', async () => {
    const { page } = await launcher(allowing, 4, [1, 3])
    expect(await page.textContent('#open')).toBe('Open 2 of 4 tabs')
    expect(await page.textContent('#status')).toContain('2 to open manually')
    expect(await page.getByText('Open manually', { exact: true }).count()).toBe(2)
    await press(page)
    await opened(2)
    expect(visitedPaths()).toEqual(['/1', '/3'])
    expect(await page.textContent('#status')).toBe('All 2 tabs are open. 2 to open manually.')
    await leave(page)
  })

  test('shows no button where every tab is to be opened by hand', async () => {
    const { page } = await launcher(allowing, 2, [0, 1])
    expect(await page.isVisible('#open')).toBe(false)
    expect(await page.textContent('#status')).toContain('open each one manually')
    await leave(page)
  })

  test('a link followed by hand is ticked, opens in a tab of its own and gets no opener or referrer', async () => {
    const { page, events } = await launcher(allowing, 2)
    await page.locator('a.tab').first().click()
    await opened(1)
    expect(await page.locator('li.opened').count()).toBe(1)
    await haveNoOpener(1)
    expect(destinations.visits).toEqual([{ path: '/1', referrer: null }])
    expect(events).toEqual([])
    await leave(page)
  })
})

/** A launcher in a context of its own, its destinations not visited yet. */
async function launcher(
  browser: Browser | BrowserContext,
  count: number,
  byHand: number[] = [],
  options: BrowserContextOptions = {},
) {
  destinations = startDestinations()
  const urls = destinations.urls(count)
  const { url, slug } = await createBundle(stage.server.origin, {
    urls,
    urlMetadata: urls.map((_, index) => ({ openPolicy: byHand.includes(index) ? 'manual' : 'auto' })),
  })
  const context = 'newContext' in browser ? await browser.newContext(options) : browser
  const page = await context.newPage()
  const events: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith(`/api/links/${slug}/events`)) events.push(request.postDataJSON())
  })
  await page.goto(url)
  return { page, slug, urls, events }
}

/** Comes back to the launcher, from the tab opened last, and presses its button. */
async function press(page: Page): Promise<void> {
  await page.bringToFront()
  await page.click('#open')
}

async function leave(page: Page): Promise<void> {
  await page.context().close()
  destinations.stop()
}

/** Waits until that many tabs have arrived where they lead. */
function opened(count: number): Promise<void> {
  return becomes(() => destinations.visits.length, count)
}

function visitedPaths(): string[] {
  return destinations.visits.map(({ path }) => path).sort()
}

/** Waits until as many opened pages have told what `window.opener` is in them, each that it has none. */
function haveNoOpener(count: number): Promise<void> {
  return becomes(() => destinations.openers, Array(count).fill('null'))
}

/** What a viewer does in the address bar, done where the browser keeps it. */
async function allowPopups(context: BrowserContext): Promise<void> {
  const settings = await context.newPage()
  await settings.goto('chrome://settings/content/popups')
  const kept = await settings.evaluate(async (origin) => {
    const { chrome } = globalThis as unknown as { chrome: { send(message: string, args: unknown[]): void } }
    chrome.send('setCategoryPermissionForPattern', [origin, '', 'popups', 'allow', false])
    // Messages are taken in their order: once this one is answered, the one before it is done.
    const path = 'chrome://resources/js/cr.js'
    const { sendWithPromise } = (await import(path)) as { sendWithPromise(...words: string[]): Promise<object[]> }
    return sendWithPromise('getExceptionList', 'popups')
  }, stage.server.origin)
  expect(kept).toMatchObject([{ origin: stage.server.origin, setting: 'allow' }])
  await settings.close()
}
