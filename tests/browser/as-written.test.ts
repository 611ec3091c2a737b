import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { newPerson } from '../people.ts'
import { askedIn } from './destinations.ts'
import { setStage } from './stage.ts'
import { follow, press, shows } from './waiting.ts'

// What the home page and the documents say of variables, done as written, to the opened tabs.

const stage = setStage()

const textOf = (path: string) => Bun.file(`${import.meta.dir}/../../${path}`).text()

async function opensAll(page: Page, asked: string[], links: readonly string[]) {
  await page.locator('#open').click()
  await becomes(() => asked.toSorted(), links.toSorted())
}

test('the example “Incident” of the home page is a link that opens the tabs of the service that somebody types', async () => {
  const { page, context } = await stage.open('/', null)
  const asked = await askedIn(context, stage.server)
  await follow(page, 'Incident')
  await page.locator('.found-row').getByText('{service} is filled in by whoever opens it.').waitFor()
  await press(page, 'Get the link')
  const link = (await page.locator('a.shared').getAttribute('href')) ?? ''
  const field = page.locator('form.fill').getByLabel('Service')
  await field.fill('checkout')
  expect(await page.locator('form.fill .url').textContent()).toBe(`${link.replace(/^https?:\/\//, '')}/checkout`)
  expect(await page.locator('form.fill .url b').textContent()).toBe('/checkout')
  await page.goto(`${link}/checkout`)
  expect(await page.locator('h1').textContent()).toBe('Incident in checkout')
  await opensAll(page, asked, [
    'https://grafana.northwind.example/d/checkout',
    'https://deploys.northwind.example/?app=checkout',
    'https://runbooks.northwind.example/checkout',
    'https://status.northwind.example/',
  ])
})

test.each(['docs/quick-start.md', 'README.md'])('what %s says of a link for every customer is so', async (path) => {
  const text = (await textOf(path)).replace(/\s+/g, ' ')
  const [, written = '', filled = '', value = ''] = /write `(\{\w+\})`.*?`(\/l\/customer\/(\w+))`/i.exec(text) ?? []
  expect([written, filled]).toEqual(['{customer}', '/l/customer/4711'])
  const owner = await newPerson(stage.server)
  const { page, context } = await stage.open('/dashboard/links/new', owner)
  const asked = await askedIn(context, stage.server)
  // Slugs are one per instance, and both documents name the same.
  const slug = `customer-${path.replace(/\W+/g, '-').toLowerCase()}`
  await page.fill('#urls', `CRM https://crm.example/${written}\nTickets https://desk.example/?of=${written}`)
  await page.locator('#found').getByText(`${written} is filled in by whoever opens it.`).waitFor()
  await page.getByText('Choose its link').click()
  await page.fill('#slug', slug)
  await press(page, 'Get the link')
  await shows(page, '#messages', 'Bundle created')
  const address = filled.replace('customer', slug)
  await page.goto(`${stage.server.origin}${address}`)
  await opensAll(page, asked, [`https://crm.example/${value}`, `https://desk.example/?of=${value}`])
  // Without the number, it asks for it.
  await page.goto(`${stage.server.origin}/l/${slug}`)
  await page.getByLabel('Customer').fill('12')
  asked.length = 0
  await opensAll(page, asked, ['https://crm.example/12', 'https://desk.example/?of=12'])
})

test('the call of README makes a link that opens its tabs', async () => {
  const [, body = ''] = /-d '(\{.*?\})'/.exec(await textOf('README.md')) ?? []
  const answer = await fetch(`${stage.server.origin}/api/links`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const { url, claimToken } = (await answer.json()) as { url: string; claimToken?: string }
  expect([answer.status, typeof claimToken]).toEqual([201, 'string'])
  const { page, context } = await stage.open(new URL(url).pathname, null)
  const asked = await askedIn(context, stage.server)
  await opensAll(page, asked, (JSON.parse(body) as { urls: string[] }).urls)
})
