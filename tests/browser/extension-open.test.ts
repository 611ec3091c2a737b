import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { becomes, eventually } from '../eventually.ts'
import { actFor, newOrganization, newPerson, type Person } from '../people.ts'
import { startDestinations } from './destinations.ts'
import { setExtensionStage } from './extension.ts'
import { changeInstance, closeTabs, openKnown, tabsOf } from './opened-by-extension.ts'

// Open all by the extension, on the pages of a connected instance: all tabs, in real groups, with the blocker on.

const stage = setExtensionStage()
const destinations = startDestinations()
const start = destinations.urls(1)[0]!.slice(0, -1)
/** Other tests' pages are other ones. */
let used = 0
const newUrls = (count: number) => {
  used += 100
  return Array.from({ length: count }, (_, at) => `${start}${used + at}`)
}

let owner: Person
let own: Page
beforeAll(async () => {
  owner = await newPerson(stage.server)
  own = await stage.connect(null)
})
afterEach(async () => {
  await closeTabs(own, start)
  for (const page of stage.context.pages()) if (page !== own) await page.close()
})
afterAll(() => destinations.stop())

const addresses = async () => (await tabsOf(own, start)).map(({ url }) => url)
const groupsOf = async () => (await tabsOf(own, start)).map(({ group }) => group?.replace(/, \w+$/, '') ?? null)
const open = (url: string) => openKnown(stage.context, url)
const counts = async (slug: string) => {
  const { body } = await owner.api<{ totals: { views: number; openAllClicks: number }; tabs: { opens: number }[] }>(
    'GET',
    `/api/links/${slug}/insights`,
  )
  return [body.totals.views, body.totals.openAllClicks, ...body.tabs.map(({ opens }) => opens)]
}

test('one press opens all tabs, in order, in a group with the bundle’s title, the first in front; they are counted once', async () => {
  const urls = newUrls(7)
  const { url, slug } = await owner.makeBundle({ title: 'Launch day', urls })
  const page = await open(url)
  await page.click('#open')
  await becomes(addresses, urls)
  await becomes(groupsOf, Array(7).fill('Launch day'))
  expect((await tabsOf(own, start))[0]?.group).toMatch(/, (?!grey)\w+$/)
  expect((await tabsOf(own, start)).map(({ active }) => active)).toEqual([true, ...Array(6).fill(false)])
  await becomes(() => page.textContent('#open'), 'All 7 tabs are open.')
  expect(await page.locator('.opened').count()).toBe(7)
  await becomes(() => counts(slug), [1, 1, ...Array(7).fill(1)])
})

test('at most four tabs load at once, at most three of one host, and slow ones do not stop the rest', async () => {
  const loading: string[] = []
  let [most, mostOfOne] = [0, 0]
  const slow = Bun.serve({
    port: 0,
    async fetch(request) {
      const { hostname, pathname } = new URL(request.url)
      if (pathname === '/favicon.ico') return new Response(null, { status: 204 })
      loading.push(hostname)
      most = Math.max(most, loading.length)
      mostOfOne = Math.max(mostOfOne, loading.filter((one) => one === hostname).length)
      await Bun.sleep(700)
      loading.splice(loading.indexOf(hostname), 1)
      return new Response('<title>-</title>', { headers: { 'content-type': 'text/html' } })
    },
  })
  const hosts = ['one', 'two', 'one', 'one', 'one', 'two', 'two', 'one', 'one', 'one']
  const urls = hosts.map((host, at) => `http://${host}.localhost:${slow.port}/${at}`)
  const { url } = await owner.makeBundle({ urls })
  const page = await open(url)
  await page.click('#open')
  await becomes(() => page.textContent('#open'), 'All 10 tabs are open.')
  expect((await tabsOf(own, 'http://')).map(({ url }) => url).filter((url) => url.includes(`:${slow.port}`))).toEqual(
    urls,
  )
  expect([most, mostOfOne]).toEqual([4, 3])
  await slow.stop(true)
})

test('a tab that is open already is shown, and not opened twice', async () => {
  const urls = newUrls(4)
  const other = await stage.context.newPage()
  await other.goto(urls[2]!)
  const { url, slug } = await owner.makeBundle({ title: 'Again', urls })
  const page = await open(url)
  await page.click('#open')
  await becomes(() => page.textContent('#status'), '1 of them was open already.')
  expect((await addresses()).sort()).toEqual([...urls].sort())
  expect(await page.textContent('#open')).toBe('All 4 tabs are open.')
  expect((await groupsOf()).filter((group) => group === 'Again')).toHaveLength(3)
  await page.click('#again')
  await becomes(() => page.textContent('#status'), 'All of them were open already.')
  expect(await addresses()).toHaveLength(4)
  await becomes(() => counts(slug), [1, 2, 1, 1, 0, 1])
})

test('a section opens alone; sections are groups for who wants that', async () => {
  const urls = newUrls(4)
  const urlMetadata = ['', 'Ads', 'Ads', 'Mail'].map((section) => (section === '' ? {} : { section }))
  const { url } = await owner.makeBundle({ title: 'Parts', urls, urlMetadata })
  const page = await open(url)
  await page.locator('.part').first().click()
  await becomes(addresses, urls.slice(1, 3))
  await becomes(groupsOf, ['Parts', 'Parts'])
  await becomes(() => page.textContent('#status'), 'All 2 tabs in “Ads” are open.')
  await closeTabs(own, start)
  await own.evaluate(() => chrome.storage.local.set({ settings: { sectionsAsGroups: true } }))
  await page.reload()
  const again = await open(url)
  await again.click('#open')
  await becomes(addresses, urls)
  await becomes(groupsOf, ['Parts', 'Ads', 'Ads', 'Mail'])
  await own.evaluate(() => chrome.storage.local.remove('settings'))
})

test('a worker that is ended again and again loses nothing and opens nothing twice', async () => {
  const urls = newUrls(20).map((url) => `${url}?wait=150`)
  const { url, slug } = await owner.makeBundle({ title: 'Ended', urls })
  const page = await open(url)
  await page.click('#open')
  for (let turn = 0; turn < 8; turn += 1) {
    await Bun.sleep(60 * turn)
    await stage.stopWorker()
  }
  await becomes(addresses, urls)
  await becomes(groupsOf, Array(20).fill('Ended'))
  await becomes(() => page.textContent('#open'), 'All 20 tabs are open.')
  expect(await addresses()).toEqual(urls)
  await becomes(() => counts(slug), [1, 1, ...Array(20).fill(1)])
})

test('tabs go on opening after the launcher is closed', async () => {
  const urls = newUrls(10).map((url) => `${url}?wait=300`)
  const { url, slug } = await owner.makeBundle({ urls })
  const page = await open(url)
  await page.click('#open')
  await eventually(async () => (await addresses()).length > 2, 'some tabs are open')
  await page.close({ runBeforeUnload: false })
  await becomes(addresses, urls)
  await becomes(async () => (await counts(slug))[1], 1)
})

test('values are filled in, and Enter in their field is a press', async () => {
  const { url } = await owner.makeBundle({
    urls: [`${start}v/{id}/1`, `${start}v/{id}/2`],
    variables: [{ name: 'id' }],
  })
  const page = await open(url)
  await page.click('#open')
  expect(await addresses()).toEqual([])
  await page.locator('form.ask [name=id]').fill('4711')
  await page.keyboard.press('Enter')
  await becomes(addresses, [`${start}v/4711/1`, `${start}v/4711/2`])
})

test('a launcher with a password opens as others do', async () => {
  const urls = newUrls(3)
  const password = 'correct horse'
  const { url } = await owner.makeBundle({ urls, access: 'password', password })
  const page = await stage.context.newPage()
  await page.goto(url)
  await page.fill('#password', password)
  await page.keyboard.press('Enter')
  await page.locator('html[data-openall]').waitFor({ state: 'attached' })
  await page.waitForLoadState('networkidle')
  await page.click('#open')
  await becomes(addresses, urls)
})

test('a row of a start page opens, by a press or a key', async () => {
  const urls = newUrls(3)
  const { id } = await newOrganization(owner)
  await actFor(owner, id)
  await owner.api('PATCH', `/api/organizations/${id}`, { handle: 'openers' })
  const { slug } = await owner.makeBundle({ title: 'Listed', listed: true, urls })
  const page = await open(`${stage.server.origin}/o/openers`)
  const row = page.locator('main li')
  await Promise.all([page.waitForResponse(/\.json$/), row.hover()])
  await row.getByRole('button', { name: 'Open all' }).click()
  await becomes(addresses, urls)
  await becomes(groupsOf, Array(3).fill('Listed'))
  await becomes(() => row.locator('.said').textContent(), 'Opened 3')
  await becomes(() => counts(slug), [1, 1, 1, 1, 1])
  await closeTabs(own, start)
  await page.bringToFront()
  await row.locator('a.name').focus()
  await page.keyboard.press('o')
  await becomes(addresses, urls)
})

test('an instance that may opens its tabs without a press: once, not after a reload, and not in a tab that was opened so', async () => {
  const urls = newUrls(2)
  const inner = await owner.makeBundle({ urls })
  const { url } = await owner.makeBundle({ urls: [inner.url, `${start}outer`] })
  await changeInstance(own, stage.server.origin, { opensAtOnce: true })
  const page = await stage.context.newPage()
  await page.goto(url)
  await becomes(() => page.textContent('#open'), 'All 2 tabs are open.')
  expect(await addresses()).toEqual([`${start}outer`])
  const opened = stage.context.pages().find((one) => one.url() === inner.url)!
  await opened.bringToFront()
  await opened.locator('html[data-openall]').waitFor({ state: 'attached' })
  await closeTabs(own, start)
  await page.bringToFront()
  await page.reload()
  await page.locator('html[data-openall]').waitFor({ state: 'attached' })
  await Bun.sleep(1500)
  expect(await addresses()).toEqual([])
  await changeInstance(own, stage.server.origin, { opensAtOnce: false })
})

/** Chooses a bundle in the address bar, in which nothing here presses Enter. @returns its new tab. */
async function enterInBar(url: string): Promise<Page> {
  const opening = stage.context.waitForEvent('page')
  await (await stage.worker()).evaluate((url) => {
    const { onInputEntered } = chrome.omnibox as unknown as { onInputEntered: { dispatch(...said: string[]): void } }
    onInputEntered.dispatch(url, 'newForegroundTab')
  }, url)
  return opening
}

test('a bundle that is chosen in the address bar opens its tabs, once', async () => {
  const urls = newUrls(3)
  const { url } = await owner.makeBundle({ urls })
  const page = await enterInBar(url)
  await becomes(addresses, urls)
  await closeTabs(own, start)
  await page.goto('about:blank')
  await page.goto(url)
  await page.locator('html[data-openall]').waitFor({ state: 'attached' })
  await Bun.sleep(1500)
  expect(await addresses()).toEqual([])
})

test('another launcher in the tab that the address bar was for opens nothing by itself', async () => {
  const { url } = await owner.makeBundle({ urls: newUrls(2), access: 'password', password: 'a good passphrase' })
  const other = await owner.makeBundle({ urls: newUrls(2) })
  const page = await enterInBar(url)
  await page.waitForURL(url)
  await page.goto(other.url)
  await page.locator('html[data-openall]').waitFor({ state: 'attached' })
  await Bun.sleep(1500)
  expect(await addresses()).toEqual([])
})
