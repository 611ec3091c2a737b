import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { CDPSession, Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import type { Server } from '../server.ts'
import { openChromium } from './chromium.ts'
import { startDestinations } from './destinations.ts'
import { createBundle } from './service.ts'
import { listen } from './stage.ts'

// What a launcher says of pop-ups in the browsers that most people have, in one page of one that says it is each of them.

const destinations = startDestinations()
let server: Server
let page: Page
let session: CDPSession
let url: string
let complaints: readonly string[]

// Only guards against hanging; generous, because the machine may be busy.
setDefaultTimeout(180_000)
beforeAll(async () => {
  server = await startInProcess()
  ;({ url } = await createBundle(server.origin, { urls: destinations.urls(2) }))
  const browser = await openChromium({ popups: 'blocked' })
  page = await browser.newPage()
  session = await page.context().newCDPSession(page)
  ;({ complaints } = listen(page))
})
afterEach(() => expect(complaints, 'in the console').toEqual([]))
afterAll(async () => {
  await page?.context().close()
  destinations.stop()
  await server?.stop()
})

/** Opens the launcher as somebody who has not seen it, and presses its button, which opens the first of two tabs. */
async function pressIn({ userAgent, hasTouch }: { userAgent: string; hasTouch: boolean }): Promise<void> {
  await session.send('Emulation.setUserAgentOverride', { userAgent })
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: hasTouch, maxTouchPoints: 5 })
  const before = destinations.visits.length
  // Between visits: the same address again would be a reload, which keeps what is open.
  await page.goto('about:blank')
  await page.goto(url)
  const tab = page.context().waitForEvent('page')
  await page.click('#open')
  await becomes(() => destinations.visits.length, before + 1)
  await (await tab).close()
}

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const ANDROID = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko)'
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)'
test.each([
  ['Safari on an iPhone', `${IPHONE} Version/18.1 Mobile/15E148 Safari/604.1`, true, 'in the Settings app'],
  ['Chrome on an iPhone', `${IPHONE} CriOS/130.0 Mobile/15E148 Safari/604.1`, true, 'in Chrome, tap'],
  ['Safari on an iPad', `${MAC} Version/18.1 Safari/605.1.15`, true, 'in the Settings app'],
  ['Safari on a Mac', `${MAC} Version/18.1 Safari/605.1.15`, false, 'in Safari’s settings'],
  ['Chrome on Android', `${ANDROID} Chrome/130.0 Mobile Safari/537.36`, true, 'Always show'],
  ['Samsung Internet', `${ANDROID} SamsungBrowser/27.0 Chrome/125.0 Mobile Safari/537.36`, true, 'Sites and downloads'],
  ['Firefox on Android', 'Mozilla/5.0 (Android 15; Mobile; rv:132.0) Gecko/132.0 Firefox/132.0', true, 'tap Allow'],
  [
    'Firefox on Linux',
    'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0',
    false,
    'choose Preferences',
  ],
  [
    'Firefox on Windows',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0',
    false,
    'choose Options',
  ],
  ['Firefox on an iPhone', `${IPHONE} FxiOS/132.0 Mobile/15E148 Safari/605.1.15`, true, 'in Firefox, tap'],
  ['Edge on an iPhone', `${IPHONE} Version/18.0 EdgiOS/130.0 Mobile/15E148 Safari/604.1`, true, 'in Edge, tap'],
  ['Edge on Android', `${ANDROID} Chrome/130.0 Mobile Safari/537.36 EdgA/130.0`, true, 'that Edge shows'],
  ['Chrome', `${MAC} Chrome/130.0 Safari/537.36`, false, 'from localhost:'],
  [
    'GNOME Web',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/60.5 Safari/605.1.15',
    false,
    'in your browser’s settings',
  ],
] as const)('how to allow pop-ups is explained for %s', async (_, userAgent, hasTouch, says) => {
  await pressIn({ userAgent, hasTouch })
  expect(await page.textContent('#how')).toContain(says)
})

test.each([
  ['on Android', `${ANDROID.replace('Pixel 9', 'Pixel 9; wv')} Version/4.0 Chrome/130.0 Mobile Safari/537.36`],
  ['on an iPhone', `${IPHONE} Mobile/15E148 [FBAN/FBIOS]`],
])('how to allow pop-ups is left out inside another app %s, which has no such setting', async (_, userAgent) => {
  await pressIn({ userAgent, hasTouch: false })
  await page.locator('#how').waitFor({ state: 'attached' })
  expect(await page.isVisible('#blocked')).toBe(false)
  await page.getByRole('button', { name: 'Open next 2 of 2', exact: true }).waitFor()
})

test('where the words for each browser cannot be loaded, one sentence says what to do', async () => {
  // A blocker may answer in its place.
  await page.route(/hints/, (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
  await pressIn({ userAgent: `${MAC} Chrome/130.0 Safari/537.36`, hasTouch: false })
  expect(await page.textContent('#how')).toBe(
    'To open all at once, allow pop-ups for this page in your browser’s settings.',
  )
  expect(await page.locator('#rest').textContent()).toBe('Pop-ups allowed? Open the rest')
  await page.unroute(/hints/)
})
