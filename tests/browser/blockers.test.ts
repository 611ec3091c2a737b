import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { NewBundle } from '../../src/bundles/content/shapes.ts'
import { becomes } from '../eventually.ts'
import { startDestinations } from './destinations.ts'
import { noteEvents } from './launcher-events.ts'
import { createBundle } from './service.ts'
import { setStage } from './stage.ts'

// What blockers put in the place of `window.open`, or do to the tabs that it opens: nothing is said to be open that is not.

const stage = setStage({ popups: 'allowed' })
let destinations: ReturnType<typeof startDestinations>
beforeEach(() => {
  destinations = startDestinations()
})
afterEach(() => destinations.stop())

async function launcher(script: string, bundle: Partial<NewBundle> = {}) {
  const urls = bundle.urls ?? destinations.urls(7)
  const { url, slug } = await createBundle(stage.server.origin, { urls, ...bundle })
  const { page, context } = await stage.open('/healthz', null)
  await page.addInitScript(script)
  const noted = noteEvents(page, slug)
  await page.goto(url)
  const counted = async () => {
    const clicks = await stage.server.sql(
      'SELECT coalesce(sum(open_all_clicks), 0) AS sum FROM daily_counters JOIN bundles ON bundles.id = bundle_id WHERE slug = ?',
      [slug],
    )
    const opens = await stage.server.sql(
      'SELECT coalesce(sum(opens), 0) AS sum FROM daily_opens JOIN bundles ON bundles.id = bundle_id WHERE slug = ?',
      [slug],
    )
    return { clicks: Number(clicks[0]?.sum), opens: Number(opens[0]?.sum) }
  }
  return { page, context, counted, ...noted }
}

const says = (page: Page) => page.textContent('#status')
/** As long as a page looks at its tabs before it counts them. */
const settled = (page: Page) => page.waitForTimeout(1200)

const FRAME = `(() => {
  const frame = document.createElement('iframe')
  frame.style.display = 'none'
  document.documentElement.append(frame)
  return frame.contentWindow
})()`

describe('a stand-in for window.open that gives', () => {
  test.each([
    ['undefined', 'undefined'],
    ['an error', '(() => { throw new Error("blocked") })()'],
    ['true', 'true'],
    ['a number', '7'],
    ['a text', '"about:blank"'],
    ['a function', '() => {}'],
    ['an empty object', '({})'],
    ['an object that says that it is closed', '({ closed: true })'],
    ['an object that says that it is open', '({ closed: false, get parent() { return this } })'],
    ['an object made of Window', 'Object.create(Window.prototype)'],
    ['a copy of this window', 'Object.create(window)'],
    ['this window', 'window'],
    ['its top', 'top'],
    ['a proxy of this window', 'new Proxy(window, { get: (of, name) => (name === "closed" ? false : of[name]) })'],
    ['a proxy that answers anything', 'new Proxy({}, { get: () => () => {} })'],
    ['the window of a hidden frame', FRAME],
    [
      'a proxy of that window',
      `new Proxy(${FRAME}, { get: (of, name, self) => (name === "parent" ? self : Reflect.get(of, name)) })`,
    ],
    ['the document of a hidden frame', `${FRAME}.document`],
  ])('%s opens nothing: it is said and not counted, and links still work', async (_, value) => {
    const { page, context, counted, events, opens } = await launcher(`window.open = () => ${value}`)
    await page.click('#open')
    expect(await says(page)).toBe(
      '0 of 7 open. A blocker in your browser stopped them: press “Open next” for each tab.',
    )
    expect(await page.textContent('#how')).toBe('To open all at once: allow pop-ups for localhost in your ad blocker.')
    expect(await page.locator('.opened').count()).toBe(0)
    await page.getByRole('button', { name: 'Open next 1 of 7', exact: true }).click()
    expect(await says(page)).toBe(
      'A blocker in your browser stops new tabs. Open each link below, or allow pop-ups for this page in the blocker and reload.',
    )
    await settled(page)
    expect([events, opens, await counted()]).toEqual([[], [], { clicks: 0, opens: 0 }])
    const [tab] = await Promise.all([context.waitForEvent('page'), page.locator('a.tab').first().click()])
    await tab.waitForLoadState()
    await page.bringToFront()
    await becomes(() => opens, destinations.urls(1))
  })

  test('the same window again and again has opened one', async () => {
    const script = `const open = window.open.bind(window); let one; window.open = (...how) => (one ??= open(...how))`
    const { page, events, opens } = await launcher(script)
    await page.click('#open')
    expect(await says(page)).toStartWith('1 of 7 open. A blocker in your browser stopped the rest')
    await becomes(() => events.length, 1)
    expect(opens).toEqual(destinations.urls(1))
  })

  test('windows that nobody can tell from tabs is not said to have opened them', async () => {
    const { page } = await launcher('const open = window.open.bind(window); window.open = (...how) => open(...how)')
    await page.click('#open')
    expect(await says(page)).toBe('If nothing opened, a blocker stopped it: open each link below.')
    await page.getByRole('button', { name: 'Open again' }).waitFor()
    await page.reload()
    expect(await says(page)).toStartWith('If nothing opened')
  })
})

describe('a blocker that closes tabs', () => {
  /** Closes those that are `which`, after a while, by the page's own hand. */
  const closing = (which: string, after = 100) => `const open = window.open.bind(window)
    window.open = (url, ...how) => {
      const view = open(url, ...how)
      if (${which}) setTimeout(() => view.close(), ${after})
      return view
    }`
  const slowly = (count: number) => destinations.urls(count).map((url) => `${url}?wait=9000`)

  test('all of them has opened none, and nothing is counted', async () => {
    const { page, counted, events, opens } = await launcher(closing('true'), { urls: slowly(7) })
    await page.click('#open')
    await becomes(
      () => says(page),
      '0 of 7 open. The tabs were closed at once, by a blocker or because they are downloads: press “Open next” for each tab.',
    )
    expect(await page.locator('.opened').count()).toBe(0)
    await page.click('#open')
    await becomes(() => says(page), expect.stringMatching(/^A blocker in your browser stops new tabs/))
    expect([events, opens, await counted()]).toEqual([[], [], { clicks: 0, opens: 0 }])
    // What closes every new tab closes none that was there.
    expect(await page.getAttribute('a.tab', 'target')).toBe('_self')
  })

  test('some of them has opened the others: those are counted, as one click', async () => {
    const { page, events, opens } = await launcher(closing('/[246]\\?/.test(url)'), { urls: slowly(7) })
    await page.click('#open')
    await becomes(() => says(page), expect.stringMatching(/^4 of 7 open. The other tabs were closed at once/))
    expect(events).toEqual([{ kind: 'open_all', matchedRuleId: null }])
    expect(opens).toEqual(slowly(7).filter((_, at) => at % 2 === 0))
    expect(await page.locator('.opened').count()).toBe(4)
  })
})

test('without beacons, clicks and opens are told; tabs that lead elsewhere at once are open', async () => {
  for (const script of [
    'navigator.sendBeacon = () => true',
    'navigator.sendBeacon = () => false',
    'delete Navigator.prototype.sendBeacon',
  ]) {
    const { page, counted } = await launcher(script, { urls: destinations.urls(3) })
    await page.click('#open')
    await becomes(counted, { clicks: 1, opens: 3 })
  }
})

test('in the window of an app nobody is sent to an address bar, and nothing more is opened once something was not', async () => {
  for (const mode of ['standalone', 'minimal-ui', 'window-controls-overlay']) {
    const { page } = await launcher(`const media = window.matchMedia.bind(window)
      window.matchMedia = (query) => query.includes('display-mode') ? { matches: query.includes(': ${mode})') } : media(query)
      self.asked = []
      const open = window.open.bind(window)
      window.open = (url) => asked.push(url) === 1 ? open(url, '_blank') : null`)
    await page.click('#open')
    expect(await says(page)).toBe('1 of 7 open. This window blocked the rest: press “Open next” for each tab.')
    expect(await page.textContent('#how')).toBe(
      'To open all at once: open this page in a browser tab, from the menu of this window, and press “Open all” there.',
    )
    expect(await page.isVisible('.drawn')).toBe(false)
    expect(await page.evaluate('asked')).toEqual(destinations.urls(2))
  }
})

describe('a script that', () => {
  const LATE = 'This button works once the page has loaded completely.'

  test('never arrives leaves links in place of buttons, and a press says why', async () => {
    const { url } = await createBundle(stage.server.origin, { urls: destinations.urls(7) })
    const { page, context } = await stage.open('/healthz', null)
    await page.route(/launcher\.[0-9a-f]+\.js/, (route) => route.fulfill({ status: 200, body: '' }))
    await page.goto(url)
    expect(await page.locator('button:visible').count()).toBe(0)
    for (const name of ['#open', '#copy']) {
      await page.click(name)
      expect(await page.locator('.late').innerText()).toStartWith(LATE)
      await page.evaluate('location.hash = ""')
      expect(await page.isVisible('.late')).toBe(false)
    }
    const [tab] = await Promise.all([context.waitForEvent('page'), page.locator('a.tab').first().click()])
    await tab.waitForLoadState()
    expect(destinations.visits.map(({ path }) => path)).toEqual(['/1'])
  })

  test('arrives after a press says that it has, moves nothing, and leaves the focus where it was', async () => {
    const { url } = await createBundle(stage.server.origin, { urls: destinations.urls(7) })
    const { page } = await stage.open('/healthz', null)
    let arrive = () => {}
    const arrived = new Promise<void>((done) => {
      arrive = done
    })
    await page.route(/launcher\.[0-9a-f]+\.js/, async (route) => {
      await arrived
      await route.continue()
    })
    await page.goto(url, { waitUntil: 'commit' })
    await page.getByRole('link', { name: 'Open all' }).waitFor()
    const places = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('.bar > *, .bar .icon')].map((part) => {
          const { x, y, width, height } = part.getBoundingClientRect()
          return [x, y, width, height].map(Math.round)
        }),
      )
    const looks = () => page.locator('.bar').screenshot()
    const [before, pictured] = [await places(), await looks()]
    await page.getByRole('link', { name: 'Copy links' }).focus()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await page.locator('.late').waitFor()
    arrive()
    await becomes(() => says(page), 'The page has loaded now: press again.')
    expect(await page.locator('.late').count()).toBe(0)
    expect(await page.evaluate('document.activeElement.id')).toBe('open')
    expect(new URL(page.url()).hash).toBe('')
    expect((await places()).slice(0, before.length - 1)).toEqual(before.slice(0, -1))
    await page.reload()
    await page.getByRole('button', { name: 'Open all' }).waitFor()
    expect((await looks()).equals(pictured)).toBe(true)
    await page.click('#open')
    await becomes(() => says(page), 'All 7 tabs are open.')
  })
})
