import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { openChromiumProfile } from './chromium.ts'
import { startDestinations } from './destinations.ts'
import { noteEvents } from './launcher-events.ts'
import { createBundle } from './service.ts'
import { type Stage, setStage } from './stage.ts'

let destinations: ReturnType<typeof startDestinations>
afterEach(() => destinations.stop())

describe('Open all with the pop-up blocker on', () => {
  const folder = mkdtempSync(join(tmpdir(), 'openall-browser-'))
  const stage = setStage({ popups: 'blocked', database: join(folder, 'test.db') })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('works by touch on a phone, one tab per tap', async () => {
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
    const { page, events } = await launcher(stage, 3, { options: phone })
    for (let count = 1; count <= 3; count += 1) {
      await page.bringToFront()
      await page.tap('#open')
      await opened(count)
    }
    expect(await page.textContent('#status')).toBe('All 3 tabs are open.')
    expect(visitedPaths()).toEqual(['/1', '/2', '/3'])
    await becomes(() => events.length, 1)
  })

  test('opens what is left after a reload, and offers to start over', async () => {
    const { page, slug } = await launcher(stage, 3)
    await press(page)
    await opened(1)
    await page.reload()
    expect(await page.textContent('#status')).toBe('1 of 3 open. Press “Open next” for each tab.')
    expect(await page.locator('li.opened').count()).toBe(1)
    await press(page)
    await opened(2)
    await page.bringToFront()
    await page.getByRole('button', { name: 'Start over' }).click()
    await opened(3)
    expect(visitedPaths()).toEqual(['/1', '/1', '/2'])
    // By the service: the page that was left told of its own as it went, which is not seen from outside.
    const clicks =
      'SELECT sum(open_all_clicks) AS sum FROM daily_counters JOIN bundles ON bundles.id = bundle_id WHERE slug = ?'
    await becomes(() => stage.server.sql(clicks, [slug]), [{ sum: 2 }])
  })

  test('opens tabs itself where an extension that was there does not answer any more', async () => {
    const { page, events } = await launcher(stage, 2)
    await page.evaluate(() => {
      document.documentElement.dataset.openall = '1'
      document.dispatchEvent(new Event('openall'))
    })
    await page.locator('script[src*=handover]').waitFor({ state: 'attached' })
    await page.waitForLoadState('networkidle')
    await page.click('#open')
    expect(await page.textContent('#status')).toBe('Opening 2 tabs…')
    await opened(1)
    await page.bringToFront()
    await page.getByRole('button', { name: 'Open next 2 of 2', exact: true }).click()
    await opened(2)
    expect(visitedPaths()).toEqual(['/1', '/2'])
    await becomes(() => events.length, 1)
  })

  test('opens the rest at once after pop-ups are allowed', async () => {
    const { url } = await destined(stage, 7)
    const context = await openChromiumProfile({ popups: 'blocked' })
    const page = await context.newPage()
    await page.goto(url)
    await press(page)
    await opened(1)
    await allowPopups(context, stage.server.origin)
    await page.bringToFront()
    await page.getByRole('button', { name: 'Pop-ups allowed? Open the rest' }).click()
    await opened(7)
    expect(await page.textContent('#status')).toBe('All 7 tabs are open.')
    expect(visitedPaths()).toEqual(['/1', '/2', '/3', '/4', '/5', '/6', '/7'])
    await context.close()
  })
})

describe('Open all with pop-ups allowed', () => {
  const stage = setStage({ popups: 'allowed' })

  test('where no window ever opens, as inside some apps, turns to links in the same window after two presses, says why, and keeps what was followed', async () => {
    const { page, urls } = await launcher(stage, 3, { script: 'window.open = () => null' })
    await press(page)
    await page.getByRole('button', { name: `Open next 1 of 3`, exact: true }).waitFor()
    await press(page)
    expect(await page.isVisible('#open')).toBe(false)
    expect(await page.textContent('#status')).toStartWith('This app can’t open new tabs.')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('copy')
    expect(await page.locator('a.tab[target=_self]').count()).toBe(3)
    await page.locator('a.tab').first().click()
    await page.waitForURL(urls[0] as string)
    await page.goBack()
    expect(await page.locator('li.opened').count()).toBe(1)
    expect(await page.textContent('#status')).toStartWith('This app can’t open new tabs.')
  })

  test('shows no button if every tab opens manually', async () => {
    const { page } = await launcher(stage, 2, { byHand: [0, 1] })
    expect(await page.isVisible('#open')).toBe(false)
    expect(await page.textContent('#status')).toContain('open each one manually')
  })

  test('a link followed by hand is ticked, opens in its own tab and passes on no opener or referrer', async () => {
    const { page, urls, events, opens } = await launcher(stage, 2)
    await page.locator('a.tab').first().click()
    await opened(1)
    expect(await page.locator('li.opened').count()).toBe(1)
    await haveNoOpener(1)
    expect(destinations.visits).toEqual([{ path: '/1', referrer: null }])
    await becomes(() => opens, urls.slice(0, 1))
    expect(events).toEqual([])
  })
})

/** A bundle of destinations that have not been visited. */
function destined({ server }: Stage, count: number, byHand: readonly number[] = []) {
  destinations = startDestinations()
  const urls = destinations.urls(count)
  const urlMetadata = urls.map((_, index) => ({ openPolicy: byHand.includes(index) ? 'manual' : 'auto' }) as const)
  return createBundle(server.origin, { urls, urlMetadata })
}

/** A launcher of such a bundle. */
async function launcher(
  stage: Stage,
  count: number,
  {
    byHand = [],
    options = {},
    script = '',
  }: { byHand?: number[]; options?: BrowserContextOptions; script?: string } = {},
) {
  const { url, slug } = await destined(stage, count, byHand)
  const { page } = await stage.open('/healthz', null, options)
  if (script !== '') await page.addInitScript(script)
  const noted = noteEvents(page, slug)
  await page.goto(url)
  return { page, slug, urls: destinations.urls(count), ...noted }
}

/** Returns to the launcher from the tab opened last, and presses its button. */
async function press(page: Page): Promise<void> {
  await page.bringToFront()
  await page.click('#open')
}

/** Waits until this many tabs have loaded. */
function opened(count: number): Promise<void> {
  return becomes(() => destinations.visits.length, count)
}

function visitedPaths(): string[] {
  return destinations.visits.map(({ path }) => path).sort()
}

/** Waits until this many opened pages have reported `window.opener`, and expects none to have one. */
function haveNoOpener(count: number): Promise<void> {
  return becomes(() => destinations.openers, Array(count).fill('null'))
}

/** Changes the browser's setting, as a viewer does in the address bar. */
async function allowPopups(context: BrowserContext, origin: string): Promise<void> {
  const settings = await context.newPage()
  await settings.goto('chrome://settings/content/popups')
  const kept = await settings.evaluate(async (origin) => {
    const { chrome } = globalThis as unknown as { chrome: { send(message: string, args: unknown[]): void } }
    chrome.send('setCategoryPermissionForPattern', [origin, '', 'popups', 'allow', false])
    // Messages are handled in order: once this one is answered, the previous one is done.
    const path = 'chrome://resources/js/cr.js'
    const { sendWithPromise } = (await import(path)) as { sendWithPromise(...words: string[]): Promise<object[]> }
    return sendWithPromise('getExceptionList', 'popups')
  }, origin)
  expect(kept).toMatchObject([{ origin, setting: 'allow' }])
  await settings.close()
}
