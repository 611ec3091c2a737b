import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { manifestFor } from '../../extension/parts/manifest.ts'
import { becomes } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import { newPerson, type Person } from '../people.ts'
import type { Server } from '../server.ts'
import { startDestinations } from './destinations.ts'
import { setExtensionStage } from './extension.ts'
import { changeInstance, openKnown, tabsOf } from './opened-by-extension.ts'
import { createBundle } from './service.ts'

// Pages that try what only a user may do: scripts in a launcher of a connected instance, a service on another port of its host,
// and a page anywhere.

const stage = setExtensionStage()
const destinations = startDestinations()
const start = destinations.urls(1)[0]!.slice(0, -1)
let owner: Person
let own: Page
let other: Server
beforeAll(async () => {
  other = await startInProcess()
  owner = await newPerson(stage.server)
  own = await stage.connect(owner)
})
afterEach(async () => {
  await Bun.sleep(1500)
  expect(await tabsOf(own, start), 'what a script opened').toEqual([])
  for (const page of stage.context.pages()) if (page !== own) await page.close()
})
afterAll(async () => {
  destinations.stop()
  await other?.stop()
})

/** A launcher that knows the extension, whose answers it collects. */
async function launcher(
  urls = destinations.urls(2),
): Promise<{ page: Page; slug: string; answers(): Promise<string[]> }> {
  const { url, slug } = await owner.makeBundle({ urls })
  const page = await openKnown(stage.context, url)
  await page.evaluate(() => {
    const answers: string[] = []
    Object.assign(window, { answers })
    addEventListener('message', ({ data }) => answers.push(data.type))
  })
  return { page, slug, answers: () => page.evaluate(() => (window as unknown as { answers: string[] }).answers) }
}

/** Says what a launcher says to the extension. */
const send = (page: Page, slug: string, tabs: unknown, fields: object = {}) =>
  page.evaluate((message) => window.postMessage(message, '*'), {
    type: 'openall:open',
    version: 1,
    slug,
    tabs,
    ...fields,
  } as object)

test('no click and no message of a script opens anything', async () => {
  const { page, slug, answers } = await launcher()
  await page.evaluate(() => {
    window.open = () => null
    const open = document.querySelector<HTMLElement>('#open')!
    open.click()
    for (const type of ['pointerdown', 'pointerup', 'click'])
      open.dispatchEvent(new PointerEvent(type, { bubbles: true, composed: true, cancelable: true }))
    open.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
  })
  await send(page, slug, destinations.urls(2))
  await becomes(async () => (await answers()).filter((type) => type === 'openall:refused').length > 0, true)
  expect(await answers()).not.toContain('openall:taken')
})

test('a label that a script presses does not press Open all, even while its user is active', async () => {
  const { page, slug, answers } = await launcher()
  await page.evaluate(() => {
    window.open = () => null
    const label = document.createElement('label')
    label.htmlFor = 'open'
    label.id = 'label'
    document.querySelector('h1')!.append(label)
  })
  await page.click('h1')
  await page.evaluate(() => document.querySelector<HTMLElement>('#label')!.click())
  await send(page, slug, destinations.urls(2))
  await becomes(async () => (await answers()).includes('openall:refused'), true)
  expect(await answers()).not.toContain('openall:taken')
})

test('a press hands over the launcher’s own tabs alone, and once', async () => {
  const { page, slug, answers } = await launcher()
  const cases: [slug: string, tabs: unknown, fields?: object][] = [
    [slug, destinations.urls(3)],
    [slug, [`${start}other`]],
    ['another', destinations.urls(2)],
    [slug, ['javascript:document.title=1']],
    [slug, ['file:///etc/passwd']],
    [slug, ['data:text/html,hi']],
    [slug, []],
    [slug, Array(1000).fill(destinations.urls(1)[0])],
    [slug, 'https://a.example/'],
    [slug, destinations.urls(2), { version: 2 }],
  ]
  for (const [named, tabs, fields = {}] of cases) {
    // In place of what the page itself would hand over.
    await page.evaluate(
      ([message]) => {
        document.querySelector('#open')!.addEventListener(
          'click',
          (event) => {
            event.stopImmediatePropagation()
            window.postMessage(message, '*')
          },
          { capture: true, once: true },
        )
      },
      [{ type: 'openall:open', version: 1, slug: named, tabs, ...fields }] as const,
    )
    await page.click('#open')
    await Bun.sleep(300)
  }
  expect(await answers()).not.toContain('openall:taken')
})

test('javascript:, data: and file: do not open from a list that shows them either', async () => {
  for (const href of [
    'javascript:alert(1)',
    'data:text/html,hi',
    'file:///etc/passwd',
    'chrome://settings/',
    'about:blank',
  ]) {
    const { page, answers } = await launcher()
    await page.evaluate((href) => {
      window.open = () => null
      for (const tab of document.querySelectorAll('a.tab')) tab.setAttribute('href', href)
    }, href)
    const before = stage.context.pages().length
    await page.click('#open')
    await Bun.sleep(1500)
    expect(await answers()).not.toContain('openall:taken')
    expect(stage.context.pages().length).toBe(before)
  }
})

test('what a frame in a launcher says is not the launcher’s', async () => {
  const { page, slug, answers } = await launcher()
  await page.evaluate(() => document.body.append(document.createElement('iframe')))
  // Its user presses, and the page’s own message is kept back.
  await page.evaluate(() =>
    document.querySelector('#open')!.addEventListener('click', (event) => event.stopImmediatePropagation(), true),
  )
  await page.click('#open')
  await page.frames()[1]!.evaluate((message) => parent.postMessage(message, '*'), {
    type: 'openall:open',
    version: 1,
    slug,
    tabs: destinations.urls(2),
  })
  await Bun.sleep(500)
  expect(await answers()).toEqual(['openall:open'])
})

test('a service on another port of the host learns nothing, and can use nothing', async () => {
  const { url, slug } = await createBundle(other.origin, { urls: destinations.urls(2) })
  const page = await stage.context.newPage()
  await page.goto(url)
  await page.evaluate(() => {
    window.open = () => null
    const answers: unknown[] = []
    Object.assign(window, { answers })
    addEventListener('message', ({ data }) => answers.push(data))
    addEventListener('openall', () => answers.push('openall'), true)
  })
  await send(page, slug, destinations.urls(2))
  await page.click('#open')
  await Bun.sleep(1500)
  expect(await page.evaluate(() => document.documentElement.outerHTML.includes('data-openall'))).toBe(false)
  const answers = await page.evaluate(() => (window as unknown as { answers: { type?: string }[] }).answers)
  expect(answers.filter((one) => one.type !== 'openall:open')).toEqual([])
})

test('a page elsewhere cannot tell that the extension is there, nor reach it', async () => {
  const page = await stage.context.newPage()
  await page.goto(`${start}attack`)
  const found = await page.evaluate(async (id) => {
    const reached = await Promise.all(
      ['manifest.json', 'popup.html', 'options.html', 'worker.js', 'launcher.js', 'icon-16.png'].map((file) =>
        fetch(`chrome-extension://${id}/${file}`).then(
          () => file,
          () => null,
        ),
      ),
    )
    const { runtime } = (globalThis as unknown as { chrome?: { runtime?: unknown } }).chrome ?? {}
    return {
      reached: reached.filter((file) => file !== null),
      runtime: runtime ?? null,
      tells: 'openall' in document.documentElement.dataset,
    }
  }, new URL(own.url()).host)
  expect(found).toEqual({ reached: [], runtime: null, tells: false })
  const manifest = manifestFor('chromium')
  expect(manifest).not.toContainAnyKeys(['web_accessible_resources', 'externally_connectable', 'content_scripts'])
  await page.close()
})

test('no script of a launcher reads what the extension stores', async () => {
  const { page } = await launcher()
  const said = await page.evaluate(async () => ({
    chrome: Object.keys((globalThis as unknown as { chrome?: { storage?: object } }).chrome?.storage ?? {}),
    databases: (await indexedDB.databases()).map(({ name }) => name),
    local: Object.keys(localStorage),
    html: document.documentElement.outerHTML,
  }))
  const stored = JSON.stringify(
    await own.evaluate(() => Promise.all([chrome.storage.local.get(), chrome.storage.session.get()])),
  )
  expect(stored).toContain('clientId')
  expect([said.chrome, said.databases, said.local]).toEqual([[], [], []])
  for (const secret of stored.match(/[\w.-]{30,}/g) ?? []) expect(said.html).not.toContain(secret)
})

test('an instance that may open at once is asked once by its page, however often it says that it is ready', async () => {
  await changeInstance(own, stage.server.origin, { opensAtOnce: true })
  const { url } = await owner.makeBundle({ urls: ['https://a.invalid/'], variables: [], title: 'One' })
  const page = await openKnown(stage.context, url)
  await becomes(() => page.textContent('#open'), 'The tab is open.')
  await page.evaluate(() => {
    const answers: string[] = []
    Object.assign(window, { answers })
    addEventListener('message', ({ data }) => answers.push(data.type))
    window.postMessage({ type: 'openall:ready', version: 1 }, '*')
  })
  const { slug = '' } = await page.evaluate(() => ({ ...document.querySelector('main')?.dataset }))
  await Bun.sleep(300)
  await send(page, slug, ['https://a.invalid/'])
  await Bun.sleep(700)
  const answers = await page.evaluate(() => (window as unknown as { answers: string[] }).answers)
  expect(answers).not.toContain('openall:taken')
  await changeInstance(own, stage.server.origin, { opensAtOnce: false })
})
