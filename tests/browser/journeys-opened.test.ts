import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { newEmail, newPerson, signUp } from '../people.ts'
import { askedIn } from './destinations.ts'
import { addSession } from './people.ts'
import { setStage } from './stage.ts'
import { follow, press } from './waiting.ts'

// People who come for one thing, from where they begin to the opened tabs.

const stage = setStage()

const pageOf = (name: string) => Bun.file(`${import.meta.dir}/../../docs/${name}`).text()

async function opensAll(page: Page, asked: string[], links: readonly string[]): Promise<void> {
  asked.length = 0
  await page.locator('#open').click()
  await becomes(() => asked.toSorted(), links.toSorted())
}

/** Chooses the end of the link on the page of a new link or of one just kept. */
async function nameIt(page: Page, slug: string): Promise<void> {
  await page.getByText('Change the end of the link').click()
  await page.fill('#newSlug', slug)
  await page.locator('.hint.free').waitFor()
  await press(page, 'Change the link')
  await page.locator('.renamed').waitFor()
}

async function paste(page: Page, text: string): Promise<string> {
  await page.fill('#urls', text)
  await page.locator('.items > li').nth(1).waitFor()
  await press(page, 'Get the link')
  return (await page.locator('a.shared').getAttribute('href')) ?? ''
}

test('an on-call engineer makes one link for every service, gives it a name, and both addresses open the tabs', async () => {
  const { page, context } = await stage.open('/', await newPerson(stage.server))
  const asked = await askedIn(context, stage.server)
  const made = await paste(page, 'Board https://grafana.example/d/{service}\nLogs https://logs.example/?app={service}')
  await nameIt(page, 'on-call')
  const field = page.locator('form.fill').getByLabel('Service')
  await field.fill('checkout')
  expect(await page.locator('form.fill .copy').getAttribute('data-text')).toBe(
    `${stage.server.origin}/l/on-call/checkout`,
  )
  const of = (service: string) => [`https://grafana.example/d/${service}`, `https://logs.example/?app=${service}`]
  await page.goto('/l/on-call/checkout')
  await opensAll(page, asked, of('checkout'))
  await page.goto(`${made}/payments`)
  expect(new URL(page.url()).pathname).toBe('/l/on-call/payments')
  await opensAll(page, asked, of('payments'))
})

test('a team lead pastes without an account, keeps the bundle, names its link, and a colleague opens it', async () => {
  const { page, context } = await stage.open('/', null)
  const made = await paste(page, 'Plan https://plan.example/\nBoard https://board.example/')
  await follow(page, 'save it to an account')
  const lead = await signUp(stage.server, newEmail('lead'))
  await addSession(context, lead)
  await page.reload()
  await press(page, 'Keep this bundle')
  await nameIt(page, 'team-links')
  await follow(page, 'Edit bundle')
  expect(await page.locator('#slug').inputValue()).toBe('team-links')
  const colleague = await stage.open(made, null)
  const asked = await askedIn(colleague.context, stage.server)
  await opensAll(colleague.page, asked, ['https://plan.example/', 'https://board.example/'])
  expect(new URL(colleague.page.url()).pathname).toBe('/l/team-links')
})

test('a developer who has only the documents makes a key, and the link of the first calls opens its tabs', async () => {
  const quickStart = await pageOf('quick-start.md')
  const [, section = ''] = /Create one in the dashboard under \*\*([^*]+)\*\*/.exec(quickStart) ?? []
  const [, scope = ''] = /`(links:\w+)`, the\s+default/.exec(quickStart) ?? []
  const { page, context } = await stage.open('/dashboard', await newPerson(stage.server))
  const asked = await askedIn(context, stage.server)
  // The first key is made from Settings.
  await page.locator('nav.sections').getByRole('link', { name: 'Settings' }).first().click()
  await page.locator('main').getByRole('link', { name: section }).first().click()
  await page.getByRole('link', { name: /key/i }).last().waitFor()
  await page.goto('/dashboard/keys/new')
  await page.fill('#name', 'First script')
  expect(await page.locator(`input[value="${scope}"]`).isChecked()).toBe(true)
  await page.locator('main button[type=submit]').last().click()
  const key = await page.locator('input[readonly]').first().inputValue()
  // The second call of the API's guide, as written.
  const [script = ''] = Array.from((await pageOf('api.md')).matchAll(/^```sh\n(SLUG=.*?)^```$/gms), ([, one]) => one)
  const child = Bun.spawn(['bash', '-euo', 'pipefail', '-c', `${script}\necho "$SLUG"`], {
    env: { PATH: process.env.PATH, OPENALL: stage.server.origin, KEY: key },
    stdout: 'pipe',
  })
  const slug = (await new Response(child.stdout).text()).trim()
  expect(slug).toMatch(/^[a-z0-9]{10}$/)
  await page.goto(`/l/${slug}`)
  expect(await page.locator('h1').textContent()).toBe('Launch day')
  // The other link opens by hand.
  await opensAll(page, asked, ['https://example.com/plan'])
})
