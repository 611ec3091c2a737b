import { beforeEach, expect, test } from 'bun:test'
import { groupOf } from '../../extension/parts/groups.ts'
import { beginOpening, goOn } from '../../extension/worker/queue.ts'
import { Ended, fakeTabs } from './fake-tabs.ts'

// The queue of tabs, in a browser that is told when to answer. In a real one: browser/extension-open.test.ts.

let browser: ReturnType<typeof fakeTabs>
let opener: number
beforeEach(() => {
  browser = fakeTabs()
  opener = browser.add({ url: 'https://open.example/l/day', status: 'complete', active: true }).id
})

const urlsOf = (count: number, host = (at: number) => `${at}.example`) =>
  Array.from({ length: count }, (_, at) => `https://${host(at)}/${at}`)

const begin = (urls: string[], fields: object = {}) =>
  beginOpening({
    id: 'one',
    origin: 'https://open.example',
    slug: 'day',
    page: 'https://open.example/l/day',
    title: 'Day',
    windowId: 1,
    openerTabId: opener,
    isIncognito: false,
    sectionsAsGroups: false,
    groups: {},
    tabs: urls.map((url) => ({ url, section: '' })),
    ...fields,
  })

const opened = () => browser.tabs.filter(({ id }) => id !== opener).map(({ url }) => url)

/** Lets everything load, and the queue go on, until all is open. */
async function finish(): Promise<void> {
  for (let turn = 0; turn < 100 && browser.openings().some(({ endedAt }) => endedAt === null); turn += 1) {
    browser.load()
    await goOn()
  }
  browser.load()
  await goOn()
}

test('four tabs load at once, three of one host; the rest wait for them, in order', async () => {
  const urls = urlsOf(9, (at) => (at < 5 ? 'one.example' : `${at}.example`))
  await begin(urls)
  await goOn()
  expect(opened()).toEqual(urls.slice(0, 3))
  browser.load()
  await goOn()
  expect(opened()).toEqual(urls.slice(0, 7))
  await finish()
  expect(opened()).toEqual(urls)
  expect(browser.tabs.filter(({ active }) => active).map(({ url }) => url)).toContain(urls[0]!)
})

test('once all is open, no event of the browser wakes the worker any more', async () => {
  await begin(urlsOf(2))
  await goOn()
  expect(browser.listeners.size).toBe(2)
  await finish()
  expect(browser.listeners.size).toBe(0)
})

test.each(['create', 'group'] as const)(
  'a worker that ends before each answer to %s opens each tab once',
  async (kind) => {
    const urls = urlsOf(8)
    let calls = 0
    browser.worker.endsBefore = (what) => {
      if (what !== kind) return false
      calls += 1
      return calls % 2 === 1
    }
    await begin(urls)
    for (let turn = 0; turn < 60; turn += 1) {
      browser.load()
      await goOn().catch((error) => {
        if (!(error instanceof Ended)) throw error
      })
      browser.worker.hasEnded = false
    }
    expect(calls).toBeGreaterThan(7)
    expect(opened()).toEqual(urls)
    expect(new Set(browser.tabs.slice(1).map(({ groupId }) => groupId)).size).toBe(1)
    expect([...browser.groups.values()].map(({ title }) => title)).toEqual(['Day'])
  },
)

test('a group is known by its bundle, and one that is shared with others is not touched', async () => {
  const urls = urlsOf(6)
  await begin(urls)
  await goOn()
  const [groupId = 0] = browser.groups.keys()
  const page = 'https://open.example/l/day'
  const tabs = browser.tabs.filter((tab) => tab.groupId === groupId).map(({ id }, at) => [id, urls[at]])
  expect(await groupOf(groupId)).toEqual({ origin: 'https://open.example', slug: 'day', page, urls, tabs } as never)
  browser.groups.get(groupId)!.shared = true
  await finish()
  expect(opened()).toEqual(urls)
  expect(browser.tabs.filter((tab) => tab.groupId === groupId)).toHaveLength(4)
  expect(await groupOf(groupId)).toBeNull()
})

test('the same page has one opening at a time; a closed window ends one', async () => {
  await begin(urlsOf(6))
  expect(await begin(urlsOf(6))).toBe(true)
  expect(await begin(urlsOf(6), { id: 'two' })).toBe(false)
  expect(await begin(urlsOf(6), { openerTabId: 99 })).toBe(false)
  await goOn()
  const gone = () => Promise.reject(new Error('No window with id: 1.'))
  Object.assign(chrome.windows, { get: gone })
  Object.assign(chrome.tabs, { create: gone })
  await finish()
  expect(browser.openings().map(({ endedAt }) => endedAt === null)).toEqual([false])
})
