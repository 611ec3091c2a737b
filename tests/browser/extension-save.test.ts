import { afterEach, beforeAll, expect, test } from 'bun:test'
import axe from 'axe-core'
import type { Page, Worker } from 'playwright-core'
import type { Instance } from '../../extension/parts/instances.ts'
import { type BundleBody, newPerson, type Person } from '../people.ts'
import { setExtensionStage } from './extension.ts'

const stage = setExtensionStage()

type Saved = BundleBody & { source: string }

/** Addresses of pages of the service, which are the only ones that load here. */
const at = (path: string) => `${stage.server.origin}${path}`

/** A page of the extension that stays open: it reaches all that a worker does, and never ends by itself. */
let driver: Page

beforeAll(async () => {
  driver = await stage.open('options.html')
})

afterEach(() =>
  driver.evaluate(async () => {
    const here = await chrome.tabs.getCurrent()
    const tabs = await chrome.tabs.query({})
    await chrome.tabs.remove(tabs.flatMap(({ id = 0 }) => (id === here?.id ? [] : [id])))
  }),
)

/** Somebody for whom the service is connected, with nothing else stored: as a sign-in leaves it, which has tests of its own. */
async function connected(): Promise<Person> {
  const person = await newPerson(stage.server)
  await store({ clientId: 'app', hasEnded: false }, (await person.mint()).rawKey)
  return person
}

/** Stores the service as connected; without an account, for null. */
function store(account: Instance['account'], token: string | null): Promise<void> {
  return driver.evaluate(
    async ({ origin, account, token }) => {
      await chrome.storage.local.clear()
      await chrome.storage.session.clear()
      const instance = { origin, name: 'Openall', account, opensAtOnce: false }
      await chrome.storage.local.set({ instances: { [origin]: instance }, chosen: origin })
      await chrome.storage.session.set({ [`token ${origin}`]: { token, until: Date.now() + 3_600_000 } })
    },
    { origin: stage.server.origin, account, token },
  )
}

/** The worker, woken if it had ended. */
async function wake(): Promise<Worker> {
  await driver.evaluate(() => chrome.runtime.sendMessage({}).catch(() => {}))
  return stage.worker()
}

async function bundlesOf(person: Person): Promise<Saved[]> {
  const { body } = await person.api<{ bundles: Saved[] }>('GET', '/api/me/links')
  return body.bundles.toReversed()
}

/** A window with tabs that have loaded; `groups` has the places of the tabs of each group, by its name. */
async function openWindow(urls: string[], groups: Record<string, number[]> = {}, selected: number[] = []) {
  return driver.evaluate(
    async ({ urls, groups, selected }) => {
      const { id = 0, tabs = [] } = (await chrome.windows.create({ url: urls }))!
      for (const [title, places] of Object.entries(groups)) {
        const tabIds = places.map((place) => tabs[place]!.id!) as [number, ...number[]]
        const group = await chrome.tabs.group({ tabIds, createProperties: { windowId: id } })
        await chrome.tabGroups.update(group, { title })
      }
      if (selected.length > 0) await chrome.tabs.highlight({ windowId: id, tabs: selected })
      for (;;) {
        const all = await chrome.tabs.query({ windowId: id })
        if (all.every(({ status }) => status === 'complete')) return id
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
    { urls, groups, selected },
  )
}

/** The popup for a window, in a tab of another one: as a tab of that window it would be the selected one. */
async function openPopup(windowId: number): Promise<Page> {
  const url = `popup.html?window=${windowId}`
  const opening = stage.context.waitForEvent('page', (page) => page.url().endsWith(url))
  await driver.evaluate(async (url) => {
    const { id } = await chrome.windows.getCurrent()
    await chrome.tabs.create({ url, windowId: id! })
  }, url)
  const popup = await opening
  await popup.setViewportSize({ width: 384, height: 600 })
  await popup.locator('main > *').first().waitFor()
  return popup
}

const titlesIn = (popup: Page) =>
  popup.locator('.row input').evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value))

/** The browser's own popup, once it shows something. It is no tab, so another page of the extension reads it. */
async function realPopup(selector: string) {
  return driver.waitForFunction(
    (selector) => {
      const [view] = chrome.extension.getViews({ type: 'popup' })
      return view?.document.querySelector(selector) == null ? null : view
    },
    selector,
    { polling: 100 },
  )
}

/** Has the worker lose the answers to what it sends: its requests arrive, and it waits. */
async function loseAnswers(): Promise<void> {
  const worker = await wake()
  await worker.evaluate(() => {
    const { fetch } = self
    self.fetch = (async (...request: Parameters<typeof fetch>) => {
      const answer = await fetch(...request)
      return request[1]?.method === 'POST' ? new Promise(() => {}) : answer
    }) as typeof fetch
  })
}

/** Presses Save, and waits for the link. */
async function save(popup: Page): Promise<void> {
  await popup.locator('#save').click()
  await popup.locator('#saved').waitFor()
}

test('the popup at the button saves the window in two presses: groups are sections, and the link is copied', async () => {
  const person = await connected()
  const windowId = await openWindow([at('/docs'), at('/l/a'), at('/docs/sdk'), at('/docs/mcp'), 'chrome://version/'], {
    Design: [2, 3],
  })
  await driver.evaluate((windowId) => chrome.action.openPopup({ windowId }), windowId)
  const popup = await realPopup('#save')
  expect(
    await popup.evaluate(({ document, innerWidth, innerHeight }: Window) => [
      document.querySelector<HTMLInputElement>('#title')?.value,
      document.querySelector('.left summary')?.textContent,
      document.activeElement?.id,
      // All of it is in view, however small the browser makes it.
      document.documentElement.scrollWidth <= innerWidth,
      (document.querySelector('#save')?.getBoundingClientRect().bottom ?? Infinity) <= innerHeight,
    ]),
  ).toEqual(['Design', '2 left out: 1 launcher and 1 browser page', 'save', true, true])
  await popup.evaluate(({ document }: Window) => document.querySelector<HTMLElement>('#save')?.click())
  const result = await realPopup('.copy input')
  const link = await result.evaluate(
    ({ document }: Window) => document.querySelector<HTMLInputElement>('.copy input')?.value,
  )
  const [bundle, ...others] = await bundlesOf(person)
  expect([others.length, bundle?.source, bundle?.title, bundle?.url]).toEqual([0, 'extension', 'Design', link])
  expect(bundle?.urls).toEqual([at('/docs'), at('/docs/sdk'), at('/docs/mcp')])
  expect(bundle?.urlMetadata.map(({ section }) => section)).toEqual([undefined, 'Design', 'Design'])
})

test('the selected tabs, the group of the current one and a folder of bookmarks are saved with what was typed', async () => {
  const person = await connected()
  const [docs, sdk, mcp, settings] = [at('/docs'), at('/docs/sdk'), at('/docs/mcp'), at('/docs/settings')]
  const windowId = await openWindow([docs, sdk, mcp, settings], { Design: [1, 2] }, [1, 3])
  const folder = await driver.evaluate(async (url) => {
    const { id } = await chrome.bookmarks.create({ title: 'Work', parentId: '1' })
    await chrome.bookmarks.create({ parentId: id, title: 'Wiki', url })
    await chrome.bookmarks.create({ parentId: id, title: 'Settings', url: 'chrome://settings/' })
    return id
  }, at('/docs'))

  const popup = await openPopup(windowId)
  expect(await popup.getByRole('radio', { name: 'Selected 2' }).isChecked()).toBe(true)
  await popup.getByLabel('Title', { exact: true }).fill('Two of them')
  await popup.locator('.row input').first().fill('The SDK')
  await popup.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await save(popup)
  expect(await popup.getByRole('status').textContent()).toBe('Copied. Paste it anywhere.')
  expect(await popup.evaluate(() => navigator.clipboard.readText())).toBe((await bundlesOf(person))[0]!.url)

  await popup.getByRole('button', { name: 'Save something else' }).click()
  await popup.locator('label', { hasText: 'Group' }).click()
  await popup.locator('.row').nth(1).waitFor()
  expect(await titlesIn(popup)).toHaveLength(2)
  await save(popup)

  await popup.getByRole('button', { name: 'Save something else' }).click()
  await popup.locator('label', { hasText: 'Bookmarks' }).click()
  await popup.getByLabel('Folder').selectOption(folder)
  await popup.locator('.row').waitFor()
  await save(popup)

  const bundles = await bundlesOf(person)
  expect(bundles.map(({ title, urls }) => [title, urls])).toEqual([
    ['Two of them', [sdk, settings]],
    ['Design', [sdk, mcp]],
    ['Work', [docs]],
  ])
  expect(bundles[0]?.urlMetadata[0]?.note).toBe('The SDK')
  expect(bundles[2]?.urlMetadata[0]?.note).toBe('Wiki')
})

test('links are added to a bundle that was found by typing', async () => {
  const person = await connected()
  await person.makeBundle({ title: 'Reading list', urls: ['https://b.example/'] })
  await person.makeBundle({ title: 'Launch week', urls: ['https://a.example/'] })
  const popup = await openPopup(await openWindow([at('/docs'), at('/docs/sdk')]))
  await popup.getByRole('button', { name: 'Change the bundle' }).click()
  await popup.getByLabel('Search your bundles').fill('reading')
  await popup.getByRole('button', { name: 'Launch week' }).waitFor({ state: 'detached' })
  await popup.getByRole('button', { name: 'Reading list 1 link' }).click()
  expect(await popup.locator('#save').textContent()).toBe('Add 2 links')
  await save(popup)
  expect(await popup.locator('#saved').textContent()).toBe('Added to Reading list')
  const [reading] = await bundlesOf(person)
  expect(reading?.urls).toEqual(['https://b.example/', at('/docs'), at('/docs/sdk')])
})

test('more tabs than a bundle holds become several, or the first 25', async () => {
  const person = await connected()
  const windowId = await openWindow(Array.from({ length: 27 }, (_, n) => at(`/favicon.ico?${n}`)))
  const popup = await openPopup(windowId)
  expect(await popup.locator('.notice').textContent()).toContain('A bundle holds 25 links, so these 27 make 2.')
  expect(await popup.locator('#save').textContent()).toBe('Save 2 bundles')
  await popup.getByRole('button', { name: 'Keep the first 25' }).click()
  expect(await popup.locator('#save').textContent()).toBe('Save 25 links')
  await popup.getByRole('button', { name: 'Put back' }).first().click()
  await save(popup)
  expect((await bundlesOf(person)).map(({ urls }) => urls.length)).toEqual([25, 1])
  expect(await popup.locator('.made').count()).toBe(2)
})

test('a popup that closes and a worker that ends in the middle of a save make one bundle', async () => {
  const person = await connected()
  const windowId = await openWindow([at('/docs'), at('/docs/sdk')])
  await loseAnswers()
  const first = await openPopup(windowId)
  await first.getByLabel('Title', { exact: true }).fill('Once')
  await first.locator('#save').click()
  for (let tries = 0; (await bundlesOf(person)).length === 0 && tries < 100; tries += 1) await Bun.sleep(50)
  await first.close()
  await stage.stopWorker()
  const second = await openPopup(windowId)
  // The press still counts: it is asked for again by itself.
  await second.locator('#saved').waitFor()
  expect((await bundlesOf(person)).map(({ title }) => title)).toEqual(['Once'])
})

test('a worker that ends under an open popup is said, and Save makes nothing twice', async () => {
  const person = await connected()
  const popup = await openPopup(await openWindow([at('/docs'), at('/docs/sdk')]))
  await loseAnswers()
  await popup.locator('#save').click()
  for (let tries = 0; (await bundlesOf(person)).length === 0 && tries < 100; tries += 1) await Bun.sleep(50)
  await stage.stopWorker()
  await popup.getByText('The save was interrupted. Save again: nothing is saved twice.').waitFor()
  expect(await popup.locator('.row input').first().isDisabled()).toBe(true)
  await save(popup)
  expect(await bundlesOf(person)).toHaveLength(1)
})

test('a list that was begun is still there, with what was typed; another one begins when its user says so', async () => {
  await connected()
  const windowId = await openWindow([at('/docs'), at('/docs/sdk')])
  const first = await openPopup(windowId)
  await first.getByLabel('Title', { exact: true }).fill('Begun')
  await first
    .getByRole('button', { name: /^Remove/ })
    .first()
    .click()
  // Nobody closes it in the same moment.
  await first.waitForFunction(async () =>
    JSON.stringify(await chrome.storage.session.get('drafts')).includes('"isRemoved":true'),
  )
  await first.close()
  const second = await openPopup(windowId)
  expect(await second.getByLabel('Title', { exact: true }).inputValue()).toBe('Begun')
  expect(await second.locator('#save').textContent()).toBe('Save 1 link')
  await second.getByRole('button', { name: 'Start over' }).click()
  await second.getByText('Save 2 links').waitFor()
})

test('the menu on a link opens the popup with it, for the bundle that was saved last', async () => {
  const person = await connected()
  const first = await openPopup(await openWindow([at('/docs')]))
  await first.getByLabel('Title', { exact: true }).fill('Found this week')
  await save(first)
  await first.close()
  const windowId = await openWindow([at('/docs')])
  const worker = await wake()
  // The menus of the browser are not part of any page: its event is what a press of them sends.
  await worker.evaluate(
    ({ linkUrl, windowId }) => {
      const info = { menuItemId: 'save-link', linkUrl, editable: false, pageUrl: 'https://page.example/' }
      const tab = { windowId, title: 'The page' } as chrome.tabs.Tab
      const { onClicked } = chrome.contextMenus as unknown as { onClicked: { dispatch(...args: unknown[]): void } }
      onClicked.dispatch(info, tab)
    },
    { linkUrl: at('/docs/sdk'), windowId },
  )
  const popup = await realPopup('#source-link')
  expect(
    await popup.evaluate(({ document }: Window) =>
      ['.into p', '#save'].map((selector) => document.querySelector(selector)?.textContent),
    ),
  ).toEqual(['Into Found this week', 'Add 1 link'])
  await popup.evaluate(({ document }: Window) => document.querySelector<HTMLElement>('#save')?.click())
  await realPopup('#saved')
  expect((await bundlesOf(person)).map(({ urls }) => urls)).toEqual([[at('/docs'), at('/docs/sdk')]])
})

test('without an account a bundle is saved too, and its private link is kept', async () => {
  await store(null, null)
  const windowId = await openWindow([at('/docs')])
  const popup = await openPopup(windowId)
  await save(popup)
  const claim = await popup.getByRole('textbox', { name: 'Private link for editing' }).inputValue()
  expect(claim).toStartWith(at('/claim/'))
  await popup.reload()
  // Content scripts can read `storage.local` in Firefox.
  expect(await popup.evaluate(async () => JSON.stringify(await chrome.storage.local.get()))).not.toContain('/claim/')
  await popup.getByRole('button', { name: 'Saved without an account (1)' }).click()
  expect(await popup.getByRole('link', { name: 'Put in an account' }).getAttribute('href')).toBe(claim)
  await popup.getByRole('button', { name: /^Forget/ }).click()
  await popup.getByText('0 bundles').waitFor()
})

test('each state is accessible, in light and dark, fits 320 pixels, and works from the keyboard alone', async () => {
  await driver.evaluate(() => chrome.storage.local.clear())
  const empty = await stage.open('popup.html?window=1')
  await hasNoFlaws(empty)
  await empty.close()
  const person = await connected()
  await person.makeBundle({ title: 'Launch week' })
  const windowId = await openWindow([at('/docs'), at('/docs/sdk'), 'chrome://version/'], { Design: [0] })
  const popup = await openPopup(windowId)
  await hasNoFlaws(popup)
  await popup
    .getByRole('button', { name: /^Remove/ })
    .first()
    .click()
  await popup.locator('summary').click()
  await hasNoFlaws(popup)
  await popup.getByRole('button', { name: 'Put back' }).press('Enter')
  await popup.locator('#pick').press('Enter')
  await popup.getByRole('button', { name: 'Launch week' }).waitFor()
  await hasNoFlaws(popup)
  expect(await popup.evaluate(() => document.activeElement?.id)).toBe('search')
  await popup.keyboard.press('Tab')
  await popup.keyboard.press('Enter')
  expect(await popup.evaluate(() => document.activeElement?.id)).toBe('save')
  await popup.keyboard.press('Enter')
  await popup.locator('#saved').waitFor()
  expect(await popup.locator('#saved').textContent()).toBe('Added to Launch week')
  await hasNoFlaws(popup)
})

// The last one: what a test gives back, only the browser's own question could give again.
test('tabs are read once their user has allowed it, and a reason stands beside the button', async () => {
  await connected()
  await driver.evaluate(() => chrome.permissions.remove({ permissions: ['tabs'] }))
  const popup = await openPopup(await openWindow([at('/docs'), at('/docs/sdk')]))
  expect(await popup.locator('.ask').innerText()).toContain('Openall needs their titles and addresses')
  expect(await popup.locator('#save').isDisabled()).toBe(true)
  await hasNoFlaws(popup)
  // Nothing can press the browser's question, so it is answered here: no, then yes.
  await popup.evaluate(() => {
    const { permissions } = chrome
    const { getAll } = permissions
    let presses = 0
    permissions.request = (async (asked: chrome.permissions.Permissions) => {
      if (presses++ === 0) return false
      permissions.getAll = (async () => {
        const { permissions: given = [] } = await getAll()
        return { permissions: [...given, ...(asked.permissions ?? [])] }
      }) as typeof getAll
      return true
    }) as typeof permissions.request
  })
  await popup.getByRole('button', { name: 'Allow' }).click()
  await popup.getByText('The browser did not allow it.').waitFor()
  await popup.getByRole('button', { name: 'Allow' }).click()
  await popup.getByText('Save 2 links').waitFor()
})

/** Looks for flaws that axe finds, and for a page that is wider than its window. */
async function hasNoFlaws(popup: Page): Promise<void> {
  await popup.emulateMedia({ reducedMotion: 'reduce' })
  // Not by a script element, which the extension's own policy refuses.
  await popup.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await popup.emulateMedia({ colorScheme })
    for (const width of [384, 320]) {
      await popup.setViewportSize({ width, height: 600 })
      const flaws = await popup.evaluate(async () => {
        const { violations } = await (window as unknown as { axe: typeof axe }).axe.run()
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
      })
      expect(flaws).toEqual([])
      expect(await popup.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    }
  }
}
