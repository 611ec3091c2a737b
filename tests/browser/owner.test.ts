import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { linkIn, mailTo, newEmail, PASSWORD } from '../people.ts'
import { type Server, startServer } from '../server.ts'
import { openChromium } from './chromium.ts'
import { keepHome } from './scenes.ts'

setDefaultTimeout(180_000)

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'

let browser: Browser
let server: Server
beforeAll(async () => {
  server = await startServer()
  browser = await openChromium({ popups: 'blocked' })
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

/** A browser of somebody's own. */
async function somebody(options = {}): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ baseURL: server.origin, ...options })
  await keepHome(context)
  return { context, page: await context.newPage() }
}

async function signUp(page: Page, email: string, name: string, next: string): Promise<void> {
  await page.goto(`/sign-up?next=${encodeURIComponent(next)}`)
  await page.fill('#name', name)
  await page.fill('#email', email)
  await page.fill('#password', PASSWORD)
  await page.getByRole('button', { name: 'Make the account' }).click()
  await page.waitForURL(`**${next}`)
}

const tabs = (page: Page) => page.locator('a.tab .host, a.tab .name').allTextContents()

test('an owner signs up, makes a bundle, rules it, sees it used, goes back, mints a key and shares it with a colleague', async () => {
  const { page } = await somebody()
  const email = newEmail('owner')
  await signUp(page, email, 'Ada', '/dashboard')

  // Create.
  await page.getByRole('link', { name: 'New bundle' }).first().click()
  await page.fill('#title', 'Launch day')
  await page.getByText('Paste several').click()
  await page.fill('#more', 'The plan | https://plan.example/\n- https://status.example/board')
  await page.getByRole('button', { name: 'Add them' }).click()
  await page.getByLabel('Address').nth(1).waitFor()
  await page.getByRole('button', { name: 'Make the bundle' }).click()
  await page.getByText('The bundle is made').first().waitFor()
  const slug = /links\/([a-z0-9-]+)/.exec(page.url())?.[1] ?? ''

  // Rules, and the tester.
  await page.getByRole('link', { name: 'Rules' }).click()
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await page.locator('#rules-0-name').fill('On the move')
  await page.getByLabel('Asks about').selectOption('device')
  await page.getByLabel('Value', { exact: true }).selectOption('mobile')
  await page.getByText('From this bundle').click()
  await page.getByRole('button', { name: 'status.example' }).click()
  await page.locator('#rules-0-state').getByText('On a phone').waitFor()
  await page.getByLabel('Device').selectOption('mobile')
  await page.locator('#outcome').getByText('Rule 1: On the move').waitFor()
  await page.getByRole('button', { name: 'Save rules' }).click()
  await page.getByText('Saved as a new version').first().waitFor()

  // Two viewers.
  const phone = await somebody({ userAgent: IPHONE })
  await phone.page.goto(`/l/${slug}`)
  expect(await tabs(phone.page)).toEqual(['status.example'])
  const desk = await somebody()
  await desk.page.goto(`/l/${slug}`)
  expect(await tabs(desk.page)).toEqual(['The plan', 'plan.example', 'status.example'])
  await desk.page.click('#open')
  await desk.page.locator('#status').getByText('1 of 2').waitFor()

  // Insights: a headless browser of its own accord is no bot here, for its User-Agent is a phone's or a desk's.
  await page.getByRole('link', { name: 'Insights' }).click()
  await page.waitForURL('**/insights')
  await page.waitForFunction(
    async () => {
      const answer = await fetch(location.pathname.replace('/dashboard', '/api'))
      return ((await answer.json()) as { totals: { openAllClicks: number } }).totals.openAllClicks === 1
    },
    undefined,
    { polling: 200 },
  )
  await page.reload()
  await page.getByRole('heading', { name: 'By rule' }).waitFor()
  expect(await page.getByRole('row', { name: /On the move/ }).count()).toBeGreaterThan(0)

  // An older version, restored.
  await page.getByRole('link', { name: 'Versions' }).click()
  await page.getByRole('link', { name: 'Version 1' }).click()
  await page.getByRole('button', { name: 'Restore version 1' }).click()
  await page.getByRole('heading', { name: 'Version 3' }).waitFor()
  await phone.page.reload()
  expect(await tabs(phone.page)).toEqual(['The plan', 'plan.example', 'status.example'])

  // A key, which works.
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('link', { name: 'New key' }).first().click()
  await page.fill('#name', 'nightly import')
  await page.getByRole('button', { name: 'Make the key' }).click()
  const rawKey = await page.inputValue('#key')
  const me = await fetch(`${server.origin}/api/me`, { headers: { authorization: `Bearer ${rawKey}` } })
  expect(me.status).toBe(200)

  // An organisation with a second person.
  await page.getByRole('link', { name: 'Organisations', exact: true }).click()
  await page.fill('#name', 'Northwind')
  await page.getByRole('button', { name: 'Create the organisation' }).click()
  await page.locator('.subjects summary').getByText('Northwind').waitFor()
  await page.goto('/dashboard/links/new')
  await page.fill('#title', 'Of Northwind')
  await page.getByLabel('Address').first().fill('https://handbook.example/')
  await page.getByRole('button', { name: 'Make the bundle' }).click()
  await page.getByText('The bundle is made').first().waitFor()
  const shared = /links\/([a-z0-9-]+)/.exec(page.url())?.[1] ?? ''
  await page.getByRole('link', { name: 'Organisations', exact: true }).click()
  await page
    .getByRole('link', { name: /Northwind/ })
    .first()
    .click()
  const colleague = newEmail('colleague')
  await page.locator('#email').fill(colleague)
  await page.locator('#role').selectOption('viewer')
  await page.getByRole('button', { name: 'Send the invitation' }).click()
  const invitation = linkIn(await mailTo(server, colleague, ''))
  const second = await somebody()
  await signUp(second.page, colleague, 'Bea', new URL(invitation).pathname)
  await second.page.getByRole('button', { name: 'Accept the invitation' }).click()
  await second.page.waitForLoadState()

  // Each role sees its controls, and no more.
  const controls = async () => {
    await second.page.goto(`/dashboard/links/${shared}`)
    const save = await second.page.getByRole('button', { name: 'Save', exact: true }).count()
    await second.page.locator('.head .menu summary').click()
    const remove = await second.page.getByRole('button', { name: 'Delete' }).count()
    return { save, remove }
  }
  await second.page.goto('/dashboard')
  await second.page.locator('.subjects summary').click()
  await second.page.getByRole('button', { name: /^Northwind/ }).click()
  await second.page.getByText('Of Northwind').waitFor()
  expect(await controls()).toEqual({ save: 0, remove: 0 })
  for (const [role, seen] of [
    ['editor', { save: 1, remove: 0 }],
    ['admin', { save: 1, remove: 1 }],
  ] as const) {
    await page.reload()
    await page.locator('summary[aria-label="Manage Bea"]').click()
    await page
      .getByRole('button', { name: new RegExp(role, 'i') })
      .last()
      .click()
    await page.waitForLoadState('networkidle')
    expect(await controls()).toEqual(seen)
  }
})
