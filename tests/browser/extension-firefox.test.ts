import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { becomes, eventually } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import { isLeftOut } from '../needs.ts'
import { actFor, type BundleBody, newOrganization, newPerson, type Person } from '../people.ts'
import type { Server } from '../server.ts'
import { startDestinations } from './destinations.ts'
import { builtExtension } from './extension.ts'
import { startFirefox } from './firefox.ts'
import type { Viewer } from './viewer.ts'

/** A tab of the window of the viewer, as the browser itself has it. */
interface SeenTab {
  url: string
  isInFront: boolean
  /** Whether it loads once it is looked at. */
  isWaiting: boolean
  /** The name of its group; null for none. */
  group: string | null
}

const ALL = `[...Services.wm.getEnumerator('navigator:browser')].flatMap(({ gBrowser }) => gBrowser`

const TABS = `
  const tabs = ${ALL}.tabs).map((tab) => ({
    url: tab.linkedBrowser.currentURI.spec,
    isInFront: tab.selected,
    isWaiting: tab.hasAttribute('pending'),
    group: tab.group?.label ?? null,
  }))
  return tabs.filter(({ url }) => url.startsWith(arguments[0]))
`

const CLOSE = `
  const tabs = ${ALL}.tabs).filter(({ linkedBrowser }) => linkedBrowser.currentURI.spec.startsWith(arguments[0]))
  for (const tab of tabs) tab.ownerDocument.defaultView.gBrowser.removeTab(tab, { animate: false })
`

/** Opens a tab behind the others of the window in front. */
const OPEN = 'gBrowser.addTrustedTab(arguments[0])'

const OPEN_IN_GROUP = `
  const group = ${ALL}.tabGroups).find(({ label }) => label === arguments[0])
  group.addTabs([group.ownerDocument.defaultView.gBrowser.addTrustedTab(arguments[1])])
`

/**
 * Presses Connect in a page that asks, once: another press would begin anew. The page takes no press in the second after it came
 * to the front, as it does whenever something is read in it, so this stays until a press counts.
 */
const CONSENT = `(async () => {
  const button = document.querySelector('button[value=connect]')
  const { dataset } = document.documentElement
  if (button === null || document.readyState !== 'complete' || dataset.pressed) return
  addEventListener('submit', ({ defaultPrevented }) => {
    if (!defaultPrevented) dataset.pressed = 'yes'
  })
  while (!dataset.pressed) {
    button.click()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
})()`

describe.skipIf(isLeftOut('Firefox'))('the extension in Firefox', () => {
  const destinations = startDestinations()
  const start = destinations.urls(1)[0]!.slice(0, -1)
  const at = (...numbers: number[]) => numbers.map((number) => `${start}${number}`)

  let server: Server
  let firefox: Awaited<ReturnType<typeof startFirefox>>
  let person: Person
  /** In a window of pages of the service. */
  let viewer: Viewer
  /** What the extension calls that window. */
  let windowId: number
  /** In another window, of pages of the extension. */
  let own: Viewer
  let pages: string
  /** What the browser asked before it let the extension reach the service. */
  let question: string
  beforeAll(async () => {
    server = await startInProcess()
    person = await newPerson(server)
    firefox = await startFirefox()
    pages = await firefox.install(join(await builtExtension(), 'firefox'))
    viewer = await firefox.open(server.origin, { popups: 'as-is' })
    for (const [name, value] of person.cookies)
      await viewer.read(`document.cookie = ${JSON.stringify(`${name}=${value}; path=/`)}`)
    await viewer.goTo(`${pages}options.html`)
    windowId = await viewer.read('browser.windows.getCurrent().then(({ id }) => id)')
    await viewer.goTo('about:blank')
    own = await firefox.open(`${pages}options.html`, { popups: 'as-is' })
    await connect()
  }, 180_000)
  afterEach(async () => {
    await firefox.inBrowser(CLOSE, start)
    await viewer.goTo('about:blank')
  })
  afterAll(async () => {
    await firefox?.stop()
    await server?.stop()
    await destinations.stop()
  })

  /** The text of what a selector finds in a page of the extension; null for nothing, as long as it is being drawn. */
  const text = (selector: string) =>
    own.read<string | null>(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? null`)

  /** Presses a button of the extension once it is there. */
  async function press(selector: string): Promise<void> {
    await eventually(async () => (await text(selector)) !== null, `there is ${selector}`)
    await own.click(selector)
  }

  /** Signs in in the window of the browser. */
  async function connect(): Promise<void> {
    await own.fill('#address', server.origin)
    await own.click('button[value=account]')
    question = await firefox.allow()
    const said = async () => ((await text('#said')) ?? '') + ((await text('#error')) ?? '')
    await becomes(async () => {
      // The window may be opening or closing just now.
      await own.readInOthers?.(CONSENT).catch(() => {})
      return (await said()).replace(/ to .*/s, '')
    }, 'Connected')
  }

  /** The tabs of the destinations, in the order of the window. Looking at a page otherwise would bring it to the front. */
  const tabs = async () => (await firefox.inBrowser(TABS, start)) as SeenTab[]
  const addresses = async () => (await tabs()).map(({ url }) => url)

  const counts = async (slug: string, owner = person) => {
    const { body } = await owner.api<{ totals: { views: number; openAllClicks: number }; tabs: { opens: number }[] }>(
      'GET',
      `/api/links/${slug}/insights`,
    )
    return [body.totals.views, body.totals.openAllClicks, ...body.tabs.map(({ opens }) => opens)]
  }

  /** Opens a page of the service, and waits until it knows the extension. */
  async function openKnown(url: string): Promise<void> {
    await viewer.goTo(url)
    const isKnown = `document.documentElement.dataset.openall === '1' &&
      performance.getEntriesByType('resource').some(({ name }) => name.includes('/static/handover.'))`
    await eventually(() => viewer.read<boolean>(isKnown), 'the page knows the extension')
  }

  /** Lets the extension use tabs or their groups, on its page of options. @returns what the browser asked; Firefox asks nothing for groups. */
  async function give(permission: 'tabs' | 'tabGroups'): Promise<void> {
    const isGiven = () => own.read<boolean>(`browser.permissions.contains({ permissions: ['${permission}'] })`)
    await own.goTo(`${pages}options.html`)
    if (await isGiven()) return
    await press(`[data-is=${permission}] button`)
    if (permission === 'tabs') await firefox.allow()
    await eventually(isGiven, `the permission ${permission}`)
  }

  test('somebody allows the address, signs in in the window of the browser, and finds a bundle from the address bar', async () => {
    expect(question).toContain('Access your data for sites in localhost')
    await becomes(() => text('.instance .state'), 'Signed in')
    await person.makeBundle({ title: 'Launch & <b>day</b>', urls: at(1, 2) })
    await viewer.read('1')
    const rows = await firefox.typeInBar('oa launch')
    await becomes(
      async () => (await rows()).some((row) => row.includes('Open all: Launch & <b>day</b> (2 links)')),
      true,
    )
    await firefox.enter()
    await becomes(addresses, at(1, 2))
  }, 180_000)

  test('one press opens all tabs, in order, the first in front, the others to load when they are looked at; they are counted once', async () => {
    const { url, slug } = await person.makeBundle({ title: 'Launch day', urls: at(11, 12, 13, 14, 15, 16) })
    await openKnown(url)
    await viewer.click('#open')
    await becomes(addresses, at(11, 12, 13, 14, 15, 16))
    const first = { url: at(11)[0]!, isInFront: true, isWaiting: false, group: null }
    const others = at(12, 13, 14, 15, 16).map((url) => ({ url, isInFront: false, isWaiting: true, group: null }))
    expect(await tabs()).toEqual([first, ...others])
    await becomes(() => counts(slug), [1, 1, 1, 1, 1, 1, 1, 1])
    expect(destinations.addresses.filter((path) => path.length === 3)).toEqual(['/11'])
    await becomes(() => viewer.read('document.querySelector("#open").textContent'), 'All 6 tabs are open.')
  }, 180_000)

  test('a row of a start page opens its tabs', async () => {
    const owner = await newPerson(server)
    const { id } = await newOrganization(owner)
    await actFor(owner, id)
    await owner.api('PATCH', `/api/organizations/${id}`, { handle: 'openers' })
    const { slug } = await owner.makeBundle({ title: 'Listed', listed: true, urls: at(21, 22, 23) })
    await openKnown(`${server.origin}/o/openers`)
    // What is pointed at or in focus is asked for its tabs.
    await viewer.read("document.querySelector('main li a.name').focus()")
    const isAsked = `performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/${slug}.json'))`
    await eventually(() => viewer.read<boolean>(isAsked), 'the tabs of the row are known')
    await viewer.click('main li button[data-slug]')
    await becomes(addresses, at(21, 22, 23))
    await becomes(() => viewer.read("document.querySelector('main li .said')?.textContent"), 'Opened 3')
    await becomes(() => counts(slug, owner), [1, 1, 1, 1, 1])
  }, 180_000)

  test('a window is saved in the popup, once the browser was asked for its tabs; the link is copied', async () => {
    await viewer.goTo(`${server.origin}/docs`)
    for (const path of ['/docs/sdk', '/l/a', '/docs']) await firefox.inBrowser(OPEN, server.origin + path)
    await own.goTo(`${pages}popup.html?window=${windowId}`)
    await press('#allow')
    expect(await firefox.allow()).toContain('Access browser tabs')
    await becomes(() => text('#save'), 'Save 2 links')
    expect(await text('.left summary')).toBe('2 left out: 1 launcher and 1 duplicate')
    await own.fill('#title', 'From Firefox')
    await own.click('#save')
    await becomes(() => text('#saved'), 'Saved')
    const { body } = await person.api<{ bundles: (BundleBody & { source: string })[] }>('GET', '/api/me/links')
    const saved = body.bundles.find(({ title }) => title === 'From Firefox')
    expect([saved?.source, saved?.urls]).toEqual(['extension', [`${server.origin}/docs`, `${server.origin}/docs/sdk`]])
    await becomes(() => text('[role=status]'), 'Copied. Paste it anywhere.')
    expect(await firefox.inBrowser('return navigator.clipboard.readText()')).toBe(saved!.url)
    await viewer.goTo('about:blank')
    await firefox.inBrowser(CLOSE, server.origin)
  }, 180_000)

  test('tabs open in a group of their own, which is saved back; the group of their launcher stays as it is', async () => {
    await give('tabs')
    await give('tabGroups')
    const { url, slug } = await person.makeBundle({ title: 'Weekly review', urls: at(31, 32, 33) })
    await openKnown(url)
    await firefox.inBrowser("gBrowser.addTabGroup([gBrowser.selectedTab], { label: 'Mine' })")
    await viewer.click('#open')
    const groups = async () => (await tabs()).map(({ url, group }) => [url, group])
    await becomes(
      groups,
      at(31, 32, 33).map((url) => [url, 'Weekly review']),
    )
    await becomes(() => counts(slug), [1, 1, 1, 1, 1])
    expect(((await firefox.inBrowser(TABS, url)) as SeenTab[]).map(({ group }) => group)).toEqual(['Mine'])
    const popup = `${pages}popup.html?window=${windowId}`
    await own.goTo(popup)
    await becomes(() => text('#group'), 'Opened from Weekly review\n\nNothing new since you opened it.')
    await firefox.inBrowser(OPEN_IN_GROUP, 'Weekly review', at(34)[0])
    await firefox.inBrowser(CLOSE, at(32)[0])
    await eventually(async () => (await addresses()).includes(at(34)[0]!), 'the new tab has loaded')
    await own.goTo(popup)
    const changed = 'Opened from Weekly review\n1 tab added and 1 closed\nSave this group back'
    await becomes(async () => (await text('#group'))?.replace(/\s*\n\s*/g, '\n'), changed)
    await own.click('#save-back')
    await becomes(async () => (await text('#group'))?.includes('Saved.'), true)
    const { body } = await person.api<BundleBody>('GET', `/api/links/${slug}`)
    expect(body.urls).toEqual(at(31, 33, 34))
  }, 180_000)
})
