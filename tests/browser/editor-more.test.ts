import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { newPerson, type Person } from '../people.ts'
import { ONBOARDING } from './bundles.ts'
import { expand, openMore, rowsOf } from './links.ts'
import { setStage } from './stage.ts'

const stage = setStage()
let owner: Person
beforeAll(async () => {
  owner = await newPerson(stage.server)
})

const beside = (page: Page) => page.locator('.beside')
const isOpen = (page: Page) => page.locator('#settings').evaluate((one) => one.hasAttribute('open'))

test.each([true, false])(
  'beside the links are access, times and link; the rest is under More, with JavaScript: %p',
  async (javaScriptEnabled) => {
    const { slug } = await owner.makeBundle({ ...ONBOARDING })
    const { page } = await stage.open(`/dashboard/links/${slug}`, owner, { javaScriptEnabled })
    for (const label of ['Who can see it', 'Opening time', 'Closing time'])
      expect(await beside(page).getByLabel(label).isVisible()).toBe(true)
    for (const hidden of ['Allow copies', 'Show site icons', 'ID and metadata', 'SVG of the QR code'])
      expect(await beside(page).getByText(hidden).isVisible()).toBe(false)
    await openMore(beside(page))
    await page.getByLabel('Allow copies').check()
    await page.locator('.save-bar').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').first().waitFor()
    expect((await owner.api('GET', `/api/links/${slug}`)).body).toMatchObject({ copyable: true, icons: true })
    await page.reload()
    expect(await isOpen(page)).toBe(true)
  },
)

test('an error under More opens it', async () => {
  const [{ slug }, { slug: other }] = [await owner.makeBundle(), await owner.makeBundle()]
  await owner.api('PATCH', `/api/links/${other}`, { externalId: 'crm-7' })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  await openMore(beside(page))
  await page.getByText('ID and metadata').click()
  await page.fill('#externalId', 'crm-7')
  await page.locator('#settings > summary').click()
  expect(await isOpen(page)).toBe(false)
  await page.keyboard.press('Control+s')
  await page.locator('#externalId-error').waitFor()
  expect(await page.locator('#externalId').isVisible()).toBe(true)
})

test('a link opens to address, title, section and tags; how it opens and its check are under More', async () => {
  const { slug } = await owner.makeBundle({
    urls: ['https://one.example/', 'https://two.example/'],
    urlMetadata: [{}, { openPolicy: 'manual' }],
  })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  await expand(page)
  const shown = (row: number) =>
    rowsOf(page)
      .nth(row)
      .locator('.fields :is(input, textarea, select)')
      .evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.getAttribute('name')))
  const first = ['url', 'note', 'section', 'tags']
  expect(await shown(0)).toEqual(first)
  expect(await shown(1)).toEqual([...first, 'openPolicy', 'check'])
  await openMore(rowsOf(page).nth(0))
  expect(await shown(0)).toEqual([...first, 'openPolicy', 'check'])
})
