import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { openChromium } from './chromium.ts'
import { startDestinations } from './destinations.ts'
import { noteEvents } from './launcher-events.ts'
import { createBundle } from './service.ts'
import { setStage } from './stage.ts'
import { deskAt, sentAt } from './variables.ts'

const stage = setStage({ popups: 'blocked' })
let allowing: Browser
let destinations: ReturnType<typeof startDestinations>

beforeAll(async () => {
  allowing = await openChromium({ popups: 'allowed' })
})
beforeEach(() => {
  destinations = startDestinations()
})
afterEach(async () => {
  await Promise.all(allowing.contexts().map((context) => context.close()))
  destinations.stop()
})

describe('Open all with values and pop-ups allowed', () => {
  test.each(['Enter', 'Open all'])('fills in and opens every tab at once with %s, as one click', async (how) => {
    const { page, events } = await visit(allowing)
    await page.keyboard.type('47 11')
    await (how === 'Enter' ? page.keyboard.press('Enter') : page.click('#open'))
    await sent(sentAt('47%2011'))
    expect(await page.textContent('#status')).toBe('All 3 tabs are open.')
    expect(new URL(page.url()).search).toBe('?customer=47+11&range=7d')
    await becomes(() => destinations.openers, ['null', 'null', 'null'])
    expect(destinations.visits.every(({ referrer }) => referrer === null)).toBe(true)
    await becomes(() => events.length, 1)
  })
})

describe('Open all with values and the pop-up blocker on', () => {
  test('opens one filled tab with Enter, then one more with each press', async () => {
    const { page, events } = await visit(stage.browser)
    await page.keyboard.type('47 11')
    await page.keyboard.press('Enter')
    await sent(sentAt('47%2011').slice(0, 1))
    await page.getByRole('button', { name: `Open next 2 of 3`, exact: true }).waitFor()
    await page.bringToFront()
    await page.click('#open')
    await sent(sentAt('47%2011').slice(0, 2))
    // From the field, too.
    await page.bringToFront()
    await page.press('#value-customer', 'Enter')
    await sent(sentAt('47%2011'))
    expect(await page.textContent('#status')).toBe('All 3 tabs are open.')
    await becomes(() => events.length, 1)
  })

  test('keeps the progress of its values through a reload', async () => {
    const { page } = await visit(stage.browser)
    await page.keyboard.type('4711')
    await page.keyboard.press('Enter')
    await sent(['/1/4711'])
    await page.reload()
    expect(await page.textContent('#status')).toBe('1 of 3 open. Press “Open next” for each tab.')
    await page.click('#open')
    await sent(sentAt('4711').slice(0, 2))
  })
})

/** Values that lead elsewhere, run or show something else where a page or a link takes them as they are. */
const ATTACKS = [
  '"><script>document.title="hit"</script>',
  '\'"><img src=x onerror=document.title="hit">',
  '</script><script>document.title="hit"</script>',
  'javascript:document.title="hit"',
  '//evil.example',
  '\\\\evil.example',
  '@evil.example',
  ':80@evil.example/',
  '..',
  '.',
  '../..',
  '%2e%2e',
  '%2f..',
  '/../../x',
  '?a#b',
  '\u202e4711',
  '\u2066x',
  '{customer}',
  '{range}',
  'a{range}b',
  '$&$1',
  '__proto__',
]

describe('values of an attacker', () => {
  test.each(['typed', 'in the address', 'in the path'])(
    'run nothing, and keep the scheme, host, port and user of every link: %s',
    async (how) => {
      const [port] = destinations.urls(1).map((url) => new URL(url).port)
      const urls = [
        `http://some:one@127.0.0.1:${port}/up/{customer}/down`,
        `http://127.0.0.1:${port}/{customer}`,
        `http://127.0.0.1:${port}/?customer={customer}#{customer}`,
      ]
      const { url } = await createBundle(stage.server.origin, { ...deskAt(['', '']), urls })
      const page = await stage.browser.newPage()
      await page.goto(url)
      for (const value of ATTACKS) {
        const text = encodeURIComponent(value)
        if (how === 'typed') await page.fill('#value-customer', value)
        // Segments that are only dots, also encoded, are gone before a browser sends them.
        else if (how === 'in the address') await page.goto(`${url}?customer=${text}`)
        else if (/^(\.|%2e)+$/i.test(text)) continue
        else await page.goto(`${url}/${text}`)
        const hrefs = await page.locator('a.tab').evaluateAll((tabs) => tabs.map((tab) => tab.getAttribute('href')))
        const title = await page.title()
        // What a sentence puts behind an address is no part of its last value.
        const filled = how === 'in the path' ? value.replace(/[">.]+$/, '') : value
        if (hrefs.includes(null)) {
          expect([value, hrefs]).toEqual([value, [null, null, null]])
          await page.press('#value-customer', 'Enter')
          expect((await page.textContent('#value-customer-error'))?.length).toBeGreaterThan(10)
          expect(page.context().pages()).toHaveLength(1)
          if (how !== 'in the path') expect(await page.inputValue('#value-customer')).toBe(value)
        } else {
          const read = hrefs.map((href) => new URL(href ?? ''))
          expect([value, ...read.map(({ origin }) => origin)]).toEqual([
            value,
            ...Array(3).fill(`http://127.0.0.1:${port}`),
          ])
          expect(read.map(({ username, password }) => `${username}:${password}`)).toEqual(['some:one', ':', ':'])
          expect(decodeURIComponent(read[1]?.pathname ?? '').slice(1)).toBe(filled)
          expect(read[2]?.searchParams.get('customer')).toBe(filled)
          expect(title).toBe(`Customer ${filled} · Openall`)
        }
        expect([value, title === 'hit', await page.locator('main script, main img[src=x]').count()]).toEqual([
          value,
          false,
          0,
        ])
      }
    },
  )
})

/** A launcher of three links with variables, in its own context. */
async function visit(browser: Browser, at = '') {
  const { url, slug } = await createBundle(stage.server.origin, deskAt(destinations.urls(3)))
  const page = await (await browser.newContext()).newPage()
  const noted = noteEvents(page, slug)
  await page.goto(url + at)
  return { page, ...noted }
}

/** Waits until the destinations have been sent exactly these addresses. */
function sent(addresses: string[]): Promise<void> {
  return becomes(() => destinations.addresses.toSorted(), addresses.toSorted())
}
