import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { CUSTOMER } from './bundles.ts'
import { expand, rowsOf } from './links.ts'
import { setStage } from './stage.ts'
import { shows } from './waiting.ts'

const stage = setStage()
let owner: Person
beforeAll(async () => {
  owner = await newPerson(stage.server)
})

const open = async (content: Record<string, unknown> = CUSTOMER) => {
  const { slug } = await owner.makeBundle(content)
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  return { slug, page }
}
const variables = (page: Page) => page.locator('#variables > .variable:not(.removed)')
const blanksIn = (page: Page, row: number) => rowsOf(page).nth(row).locator('.line .blank').allTextContents()
const names = (page: Page) =>
  page.locator('#names-offered [role=option]').evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.name))
const save = async (page: Page) => {
  await page.keyboard.press('Control+s')
  await shows(page, '#messages', 'Saved · View version')
}

test('a brace offers the names, which keys and the pointer choose from', async () => {
  const { page, slug } = await open()
  await expand(page, 0)
  const address = rowsOf(page).first().locator('[name=url]')
  await address.focus()
  await page.keyboard.press('End')
  await page.keyboard.type('?x={')
  expect(await names(page)).toEqual(['customer', 'region'])
  expect(await address.getAttribute('aria-activedescendant')).toBe('name-offered-0')
  await page.keyboard.press('ArrowDown')
  expect(await page.locator('[aria-selected=true]').textContent()).toBe('regionRegion')
  await page.keyboard.press('Enter')
  expect(await address.inputValue()).toBe('https://crm.northwind.example/accounts/{customer}?x={region}')
  expect(await names(page)).toEqual([])
  await becomes(() => blanksIn(page, 0), ['customer', 'region'])
  await page.keyboard.type('&y={c')
  expect(await names(page)).toEqual(['customer'])
  await page.keyboard.press('Escape')
  expect([await names(page), await address.getAttribute('aria-controls')]).toEqual([[], null])
  await page.keyboard.press('Backspace')
  await page.locator('#names-offered li').first().click()
  expect(await address.inputValue()).toEndWith('&y={customer}')
  await page.locator('#title').focus()
  await page.keyboard.press('End')
  await page.keyboard.type(' {{ {r')
  expect(await names(page)).toEqual(['region'])
  await page.keyboard.press('Tab')
  await save(page)
  const { body } = await owner.api<{ title: string }>('GET', `/api/links/${slug}`)
  expect(body.title).toBe('Customer {customer} {{ {region}')
})

test('a link that is typed with a name in braces makes it a variable with one press', async () => {
  const { page, slug } = await open({ urls: ['https://a.example/'] })
  await expand(page, 0)
  await rowsOf(page).first().locator('[name=url]').fill('https://a.example/{orderId}')
  const offer = rowsOf(page).first().getByRole('button', { name: 'Make it {order_id}' })
  await offer.waitFor()
  expect(await page.locator('#links .said').count()).toBe(1)
  await becomes(
    () => page.locator('#live').textContent(),
    '{orderId} can be filled in by whoever opens it. Make it {order_id}',
  )
  // Also where the fields of the link are closed.
  await rowsOf(page).first().locator('.link-fold > summary').click()
  await offer.click()
  await becomes(() => rowsOf(page).first().locator('[name=url]').inputValue(), 'https://a.example/{order_id}')
  expect(await blanksIn(page, 0)).toEqual(['order_id'])
  const row = variables(page).first()
  expect(await row.locator('[name="variables.label"]').evaluate((field) => field === document.activeElement)).toBe(true)
  await page.keyboard.type('Order')
  await row.locator('.uses').getByText('1 link').waitFor()
  await page.locator('#links').getByText('{order_id} is filled in by whoever opens it.').waitFor()
  await save(page)
  const { body } = await owner.api('GET', `/api/links/${slug}`)
  expect(body).toMatchObject({
    urls: ['https://a.example/{order_id}'],
    variables: [{ name: 'order_id', label: 'Order' }],
  })
})

test('a name in braces is a variable while it is typed, and can be kept as text', async () => {
  const { slug } = await owner.makeBundle({ urls: ['https://a.example/'] })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  await page.getByRole('button', { name: 'Add a link' }).click()
  const address = rowsOf(page).last().locator('[name=url]')
  await address.pressSequentially('https://grafana.example/d/{service}')
  const says = rowsOf(page).last().getByText('{service} is filled in by whoever opens it.')
  await says.waitFor()
  await becomes(
    async () => (await page.locator('#live').textContent())?.startsWith('{service} is filled in by whoever opens it.'),
    true,
  )
  // The caret stays where somebody types.
  await page.keyboard.type('?from=now')
  expect(await address.inputValue()).toBe('https://grafana.example/d/{service}?from=now')
  const row = variables(page).first()
  expect(await row.locator('[name="variables.name"]').inputValue()).toBe('service')
  expect(await row.locator('[name="variables.label"]').getAttribute('placeholder')).toBe('Service')
  // A name that is typed further is the same variable.
  for (let left = '}?from=now'.length; left > 0; left -= 1) await page.keyboard.press('ArrowLeft')
  await page.keyboard.type('_id')
  await becomes(() => row.locator('[name="variables.name"]').inputValue(), 'service_id')
  expect(await variables(page).count()).toBe(1)
  await page.getByRole('button', { name: 'Keep as text: service_id' }).click()
  await rowsOf(page).last().getByText('{service_id} stays text.').waitFor()
  await becomes(() => variables(page).count(), 0)
  const again = page.getByRole('button', { name: 'Make it a variable: service_id' })
  expect(await again.evaluate((button) => button === document.activeElement)).toBe(true)
  await page.fill('#title', 'Service')
  await page.locator('#unsaved').getByText('Title edited').waitFor()
  expect(await variables(page).count()).toBe(0)
  await again.click()
  await becomes(() => variables(page).count(), 1)
  await save(page)
  const { body } = await owner.api('GET', `/api/links/${slug}`)
  expect(body).toMatchObject({
    urls: ['https://a.example/', 'https://grafana.example/d/{service_id}?from=now'],
    variables: [{ name: 'service_id' }],
  })
})

test('a variable is renamed wherever it stands, removed and put back', async () => {
  const { page, slug } = await open()
  const name = variables(page).first().locator('[name="variables.name"]')
  await name.fill('account')
  await name.blur()
  await becomes(() => page.inputValue('#title'), 'Customer {account}')
  expect(await blanksIn(page, 0)).toEqual(['account'])
  await variables(page).nth(1).locator('summary').click()
  await variables(page).nth(1).getByRole('button', { name: 'Remove' }).click()
  await becomes(() => blanksIn(page, 2), ['account'])
  await rowsOf(page).nth(2).locator('.link-fold > summary').click()
  await rowsOf(page).nth(2).getByRole('button', { name: 'Make it a variable: region' }).waitFor()
  await page.getByRole('button', { name: 'Put back' }).click()
  await becomes(() => blanksIn(page, 2), ['region', 'account'])
  await page.getByRole('button', { name: 'Add a variable' }).click()
  await page.keyboard.type('lang')
  await page.locator('#variables .error').getByText('must be another name').waitFor()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('team')
  await page.locator('#variables .only-hint').getByText('write {team} into a link').waitFor()
  await save(page)
  const { body } = await owner.api<{ variables: { name: string }[] }>('GET', `/api/links/${slug}`)
  expect(body.variables.map((one) => one.name)).toEqual(['account', 'region', 'team'])
})

test('the home page says so while one types, and the page of the link fills it in to try and to copy', async () => {
  const { page } = await stage.open('/', null)
  await page.fill('#urls', 'https://crm.example/{customer}')
  await page.locator('.found-row').getByText('{customer} is filled in by whoever opens it.').waitFor()
  await page.getByRole('button', { name: 'Keep as text: customer' }).click()
  await page.locator('.found-row').getByText('{customer} stays text.').waitFor()
  await page.getByRole('button', { name: 'Make it a variable: customer' }).click()
  await page.locator('.found-row').getByText('is filled in by whoever opens it').waitFor()
  await page.getByRole('button', { name: 'Get the link' }).click()
  const link = await page.locator('a.shared').getAttribute('href')
  await page.getByLabel('Customer').fill('47 11')
  const shown = page.locator('form.fill .url')
  await becomes(() => shown.textContent().then((text) => text?.endsWith('?customer=47+11')), true)
  // The service has a page of its own there.
  await page.getByLabel('Customer').fill('feed')
  await becomes(() => shown.textContent().then((text) => text?.endsWith('?customer=feed')), true)
  await page.getByLabel('Customer').fill('4711')
  await becomes(() => shown.textContent().then((text) => text?.endsWith('/4711')), true)
  expect(await page.locator('form.fill .copy').getAttribute('data-text')).toBe(`${link}/4711`)
  const [opened] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: 'Open', exact: true }).click(),
  ])
  await opened.locator('a.tab[href="https://crm.example/4711"]').waitFor()
})
