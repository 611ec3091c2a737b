import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { isLeftOut } from '../needs.ts'
import { openChromiumProfile } from './chromium.ts'
import { startFirefox } from './firefox.ts'
import { openOmnibox } from './omnibox.ts'
import { createBundle } from './service.ts'
import { setStage } from './stage.ts'
import { DESK } from './variables.ts'
import type { Engine, Viewer } from './viewer.ts'

// docs/keyword.md, done in the browsers.

const stage = setStage()

/** What somebody types after the keyword. */
const TERMS = ['4711', '47 11', 'a+b', '100%', '%41', 'a&b=c#d', '漢 ü', '{customer}', "it's"]

const filled = (term: string) => ({
  title: `Customer ${term} · Openall`,
  first: `https://crm.northwind.example/customers/${encodeURIComponent(term).replace(/'/g, '%27')}`,
})

test('the search that a launcher announces leads to the filled launcher, whichever way a browser encodes what is typed', async () => {
  const { url } = await createBundle(stage.server.origin, DESK)
  const page = await stage.browser.newPage()
  await page.goto(url)
  const template = await page.evaluate(async () => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=search]')
    const xml = await (await fetch(link?.href ?? '')).text()
    const description = new DOMParser().parseFromString(xml, 'application/xml')
    return description.querySelector('Url[type="text/html"][method=get]')?.getAttribute('template') ?? xml
  })
  expect(template).toBe(`${url}?customer={searchTerms}`)
  // Firefox’s keywords of bookmarks, and both browsers’ searches.
  const encodings = [encodeURIComponent, (text: string) => `${new URLSearchParams({ q: text })}`.slice(2)]
  for (const term of TERMS) {
    for (const encode of encodings) {
      await page.goto(template.replace('{searchTerms}', () => encode(term)))
      expect(await seen(page)).toEqual(filled(term))
    }
  }
})

describe('Chromium, with a keyword by the steps of the guide', () => {
  let context: BrowserContext
  beforeAll(async () => {
    context = await openChromiumProfile({ popups: 'blocked' })
  })
  afterAll(() => context?.close())

  test('leads from its address bar to the filled launcher', async () => {
    const { url } = await createBundle(stage.server.origin, DESK)
    const settings = await context.newPage()
    await settings.goto('chrome://settings/searchEngines')
    await settings.locator('#addSearchEngine').click()
    const dialog = settings.locator('settings-search-engine-edit-dialog')
    await dialog.locator('#searchEngine input').fill('Customer')
    await dialog.locator('#keyword input').fill('customer')
    await dialog.locator('#queryUrl input').fill(`${url}?customer=%s`)
    await dialog.locator('#actionButton:not([disabled])').click()
    await settings.getByText('customer', { exact: true }).first().waitFor()

    const bar = await openOmnibox(context)
    const page = await context.newPage()
    for (const term of TERMS) {
      await bar.type(`customer ${term}`)
      const goesTo = `${url}?${new URLSearchParams({ customer: term })}`
      await becomes(async () => bestMatch(await bar.read()), goesTo)
      await page.goto(goesTo)
      expect(await seen(page)).toEqual(filled(term))
    }
  })
})

/** Where Enter goes, as Chromium shows it. */
function bestMatch(text: string): string | undefined {
  const [, address] = /Additional Info\s+Search\s+search-other-engine[\s\S]*?(http:\S+)/.exec(text) ?? []
  // It shows a few characters as nobody would send them.
  return address === undefined ? undefined : new URL(address).href
}

describe.skipIf(isLeftOut('Firefox'))('Firefox', () => {
  let engine: Engine
  let viewer: Viewer
  beforeAll(async () => {
    engine = await startFirefox()
  })
  afterAll(() => engine?.stop())

  const searches = async (keyword: string) => {
    for (const term of TERMS) {
      await viewer.search?.(keyword, term)
      await becomes(
        () => viewer.read("({ title: document.title, first: document.querySelector('a.tab')?.getAttribute('href') })"),
        filled(term),
      )
    }
  }

  test('adds the search that an open launcher announces, and leads from its address bar to the filled launcher', async () => {
    const { url } = await createBundle(stage.server.origin, DESK)
    viewer = await engine.open(url, { popups: 'as-is' })
    expect(await viewer.addSearch?.('customer')).toBe('Customer …')
    await searches('customer')
    await viewer.close()
  })

  test('leads there with a keyword by the steps of the guide, too', async () => {
    const { url } = await createBundle(stage.server.origin, DESK)
    viewer = await engine.open('about:preferences#search', { popups: 'as-is' })
    const press = (button: string) => viewer.read(`${button}.click()`)
    const isThere = (expression: string) => becomes(() => viewer.read(`Boolean(${expression})`), true)
    await isThere("document.querySelector('#addEngineButton')")
    await press("document.querySelector('#addEngineButton')")
    const dialog = "document.querySelector('.dialogFrame').contentDocument"
    await isThere("document.querySelector('.dialogFrame')?.contentDocument?.getElementById('engineAlias')")
    const fields = { engineName: 'Desk', engineUrl: `${url}?customer=%s`, engineAlias: 'desk' }
    for (const [id, text] of Object.entries(fields)) {
      const field = `${dialog}.getElementById('${id}')`
      await viewer.read(
        `[${field}.value = ${JSON.stringify(text)}, ${field}.dispatchEvent(new Event('input', { bubbles: true }))].length`,
      )
    }
    const add = `${dialog}.querySelector('dialog').getButton('accept')`
    await becomes(() => viewer.read(`${add}.disabled`), false)
    await press(add)
    await searches('desk')
    await viewer.close()
  })
})

async function seen(page: Page) {
  return { title: await page.title(), first: await page.locator('a.tab').first().getAttribute('href') }
}
