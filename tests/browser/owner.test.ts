import { expect, test } from 'bun:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { invitationLink, linkIn, mailTo, newEmail, PASSWORD } from '../people.ts'
import { DESKTOP, IPHONE } from './devices.ts'
import { blockNetwork } from './scenes.ts'
import { setStage } from './stage.ts'
import { follow, press, settled, shows } from './waiting.ts'

const stage = setStage()

/** A separate browser. */
async function somebody(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await stage.browser.newContext({ baseURL: stage.server.origin, ...options })
  await blockNetwork(context)
  return context.newPage()
}

async function signUp(page: Page, email: string, name: string, next: string): Promise<void> {
  await page.goto(`/sign-up?next=${encodeURIComponent(next)}`)
  await page.fill('#name', name)
  await page.fill('#email', email)
  await page.fill('#password', PASSWORD)
  await press(page, 'Create account')
  await page.waitForURL((url) => url.pathname === next)
}

/** Opens the mail of a sign-up, and continues where it leads. */
async function confirm(page: Page, email: string): Promise<void> {
  await page.goto(linkIn(await mailTo(stage.server, email, 'Confirm your address')))
  await press(page, 'Confirm')
  await page.locator('main .primary').click()
  await page.waitForLoadState()
}

const tabs = (page: Page) => page.locator('a.tab .host, a.tab .name').allTextContents()

test('an owner signs up, makes a bundle, adds rules, sees it used, restores a version, mints a key and shares it with a colleague', async () => {
  const page = await somebody()
  const email = newEmail('owner')
  await signUp(page, email, 'Ada', '/dashboard')
  await confirm(page, email)

  // Create.
  await page.getByRole('link', { name: 'New bundle' }).first().click()
  await page.fill('#urls', 'The plan | https://plan.example/\n- https://status.example/board')
  await page.locator('.found-row').nth(1).waitFor()
  await page.fill('#title', 'Launch day')
  await press(page, 'Get the link')
  await page.getByText('Bundle created').first().waitFor()
  const slug = /links\/([a-z0-9-]+)/.exec(page.url())?.[1] ?? ''

  // Rules, and the tester.
  await follow(page, 'Rules')
  await press(page, 'Add a rule')
  await page.locator('#rules-0-name').fill('On the move')
  await page.getByLabel('What to check').selectOption('device')
  await page.getByLabel('Value', { exact: true }).selectOption('mobile')
  await page.getByLabel('The plan').uncheck()
  await page.locator('#rules-0-state').getByText('On a phone').waitFor()
  await page.locator('.custom > summary').click()
  await page.getByLabel('Device').selectOption('mobile')
  await page.locator('#outcome').getByText('Rule 1: On the move').waitFor()
  await press(page, 'Save rules')
  await page.getByText('Saved · View version').first().waitFor()

  // Two viewers.
  const phone = await somebody({ userAgent: IPHONE })
  await phone.goto(`/l/${slug}`)
  expect(await tabs(phone)).toEqual(['status.example'])
  const desk = await somebody({ userAgent: DESKTOP })
  await desk.goto(`/l/${slug}`)
  expect(await tabs(desk)).toEqual(['The plan', 'plan.example', 'status.example'])
  await desk.click('#open')
  await desk.locator('#status').getByText('All 2 tabs are open').waitFor()

  // Insights: the headless browser does not count as a bot, because its User-Agent is a phone's or a desktop's.
  await page.locator('.tabbar').getByRole('link', { name: 'Insights' }).click()
  await settled(page)
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
  await follow(page, 'Versions')
  await follow(page, 'Version 1')
  await press(page, 'Restore version 1')
  await page.getByRole('heading', { name: 'Version 3' }).waitFor()
  await phone.reload()
  expect(await tabs(phone)).toEqual(['The plan', 'plan.example', 'status.example'])

  // A key, which works.
  await follow(page, 'Settings')
  await follow(page, 'API keys')
  await page.getByRole('link', { name: 'Create API key' }).first().click()
  await page.fill('#name', 'nightly import')
  await press(page, 'Create API key')
  const rawKey = await page.inputValue('#key')
  const me = await fetch(`${stage.server.origin}/api/me`, { headers: { authorization: `Bearer ${rawKey}` } })
  expect(me.status).toBe(200)

  // An organisation with a second person.
  await follow(page, /^Team$/)
  await page.fill('#name', 'Northwind')
  await press(page, 'Create organisation')
  await page.locator('.subjects summary').getByText('Northwind').waitFor()
  await page.goto('/dashboard/links/new')
  await page.getByText('It belongs to Northwind.').waitFor()
  await page.fill('#urls', 'https://handbook.example/')
  await page.locator('.found-row').waitFor()
  await page.fill('#title', 'Of Northwind')
  await press(page, 'Get the link')
  await page.getByText('Bundle created').first().waitFor()
  const shared = /links\/([a-z0-9-]+)/.exec(page.url())?.[1] ?? ''
  await follow(page, /^Team$/)
  await page
    .getByRole('link', { name: /Northwind/ })
    .first()
    .click()
  const colleague = newEmail('colleague')
  await page.locator('#email').fill(colleague)
  await page.locator('#role').selectOption('viewer')
  await press(page, 'Send invitation')
  const second = await somebody()
  await second.goto(await invitationLink(stage.server, colleague))
  await second.fill('#name', 'Bea')
  await second.fill('#password', PASSWORD)
  await press(second, 'Join Northwind')

  // Each role sees only its own controls.
  const controls = async () => {
    await second.goto(`/dashboard/links/${shared}`)
    const save = await second.getByRole('button', { name: 'Save', exact: true }).count()
    await second.locator('.head .menu summary').click()
    const remove = await second.getByRole('button', { name: 'Delete' }).count()
    return { save, remove }
  }
  await second.goto('/dashboard')
  await second.locator('.subjects summary').click()
  await press(second, /^Northwind/)
  await second.getByText('Of Northwind').waitFor()
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
    await shows(page, '.flash', 'Role changed')
    expect(await controls()).toEqual(seen)
  }
})
