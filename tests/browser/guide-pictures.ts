import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { NewBundle } from '../../src/bundles/content/shapes.ts'
import { newPerson } from '../people.ts'
import { startServer } from '../server.ts'
import { openChromium, openChromiumProfile } from './chromium.ts'
import { pressConnect, startExtension } from './extension.ts'
import { startFirefox } from './firefox.ts'
import { addSession } from './people.ts'
import { blockNetwork } from './scenes.ts'

// `bun run guide-pictures`: makes the pictures of docs/pictures/ anew, from the service and the browsers themselves; with a
// name of TAKES, only those.
const FOLDER = join(import.meta.dir, '../../docs/pictures')
const pathOf = (name: string) => join(FOLDER, `${name}.png`)

const CUSTOMER: NewBundle = {
  slug: 'customer',
  title: 'Customer {customer}',
  description: 'Everything about one customer, side by side. The number is on every invoice, top right.',
  variables: [
    { name: 'customer', label: 'Customer number', example: '4711' },
    { name: 'range', label: 'Days', default: '7', options: ['1', '7', '30'] },
  ],
  urls: [
    'https://crm.northwind.example/customers/{customer}',
    'https://billing.northwind.example/invoices?customer={customer}',
    'https://help.northwind.example/search?q={customer}',
    'https://grafana.northwind.example/d/requests?customer={customer}&from=now-{range}d',
  ],
  urlMetadata: [
    { note: 'Customer {customer} in the CRM' },
    { note: 'Invoices and payments' },
    { note: 'Open tickets' },
    { note: 'Their requests of the last {range} days' },
  ],
}

const KEYWORD = {
  name: 'Customer',
  keyword: 'customer',
  address: 'https://go.example.com/l/customer?customer=%s',
}

mkdirSync(FOLDER, { recursive: true })
const TAKES = { launcher: takeLauncher, chromium: takeChromium, firefox: takeFirefox, extension: takeExtension }
const [only] = process.argv.slice(2)
for (const [name, take] of Object.entries(TAKES)) if (only === undefined || only === name) await take()
process.exit()

/** A launcher that is filled in: blank, while somebody types, and with its tabs open. */
async function takeLauncher(): Promise<void> {
  const server = await startServer()
  const { url } = await (await newPerson(server)).makeBundle(CUSTOMER)
  const browser = await openChromium({ popups: 'allowed' })
  const context = await browser.newContext({ viewport: { width: 540, height: 720 }, deviceScaleFactor: 1.25 })
  await blockNetwork(context)
  const page = await context.newPage()
  const take = async (name: string) => {
    await page.bringToFront()
    await page.waitForTimeout(600)
    await page.screenshot({ path: pathOf(name) })
  }
  await page.goto(url)
  await take('variables-blank')
  await page.locator('#value-customer').pressSequentially('4711')
  await take('variables-typing')
  await page.keyboard.press('Enter')
  await take('variables-opened')
  await context.close()
  await server.stop()
}

/** Chromium's own settings: the dialog in which a keyword is added, and the list with it. */
async function takeChromium(): Promise<void> {
  const context = await openChromiumProfile({ popups: 'blocked' })
  const page = await context.newPage()
  await page.setViewportSize({ width: 736, height: 420 })
  await page.goto('chrome://settings/searchEngines')
  await page.locator('#addSearchEngine').click()
  const dialog = page.locator('settings-search-engine-edit-dialog')
  await dialog.locator('#searchEngine input').fill(KEYWORD.name)
  await dialog.locator('#keyword input').fill(KEYWORD.keyword)
  await dialog.locator('#queryUrl input').fill(KEYWORD.address)
  await page.waitForTimeout(600)
  await page.screenshot({ path: pathOf('keyword-chromium') })
  await dialog.locator('#actionButton').click()
  const added = page.getByText(KEYWORD.keyword, { exact: true })
  await added.first().scrollIntoViewIfNeeded()
  await page.waitForTimeout(600)
  await page.screenshot({ path: pathOf('keyword-chromium-list') })
  await context.close()
}

/** Firefox's own settings: the dialog in which a keyword is added. */
async function takeFirefox(): Promise<void> {
  const firefox = await startFirefox()
  const viewer = await firefox.open('about:preferences#search', { popups: 'as-is' })
  await Bun.sleep(1500)
  await viewer.read("document.querySelector('#addEngineButton').click()")
  await Bun.sleep(1500)
  const fields = { engineName: KEYWORD.name, engineUrl: KEYWORD.address, engineAlias: KEYWORD.keyword }
  for (const [id, text] of Object.entries(fields)) {
    const field = `document.querySelector('.dialogFrame').contentDocument.getElementById('${id}')`
    await viewer.read(
      `[${field}.value = ${JSON.stringify(text)}, ${field}.dispatchEvent(new Event('input', { bubbles: true }))].length`,
    )
  }
  await Bun.sleep(600)
  await Bun.write(pathOf('keyword-firefox'), await viewer.picture('.dialogBox'))
  await firefox.stop()
}

/** The extension in Chromium: its page of services, the page of the service that asks, and the tabs that it saves. */
async function takeExtension(): Promise<void> {
  const { server, context, open, signIn, stop } = await startExtension()
  await addSession(context, await newPerson(server, 'ada@northwind.example'))
  const options = await open('options.html')
  const take = async (page: Page, name: string, height: number) => {
    await page.setViewportSize({ width: 736, height })
    await page.waitForTimeout(600)
    await page.screenshot({ path: pathOf(name) })
  }
  await options.getByLabel('Address of the service').fill('go.example.com')
  await take(options, 'extension-connect', 360)
  await options.getByLabel('Address of the service').fill(server.origin)
  await options.getByRole('button', { name: 'Sign in', exact: true }).click()
  const consent = await signIn()
  await take(consent, 'extension-consent', 720)
  await pressConnect(consent)
  await options.getByText('Connected to').waitFor()
  await options.close()
  for (const path of ['/docs/quick-start', '/docs/sharing', '/docs/variables'])
    await (await context.newPage()).goto(server.origin + path)
  const popup = await open('popup.html')
  await popup.setViewportSize({ width: 400, height: 600 })
  await popup.waitForTimeout(1500)
  await popup.screenshot({ path: pathOf('extension-save') })
  await stop()
}
