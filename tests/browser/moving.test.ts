import { expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { newPerson } from '../people.ts'
import { setStage } from './stage.ts'

const stage = setStage()

test('bundles move into an organisation right after it is made, from the list and from the menu, and back', async () => {
  const owner = await newPerson(stage.server)
  for (const title of ['Agenda', 'Budget', 'Contracts', 'Drafts']) await owner.makeBundle({ title })
  const { page, complaints } = await stage.open('/dashboard/organizations', owner)
  const names = async () => (await page.locator('.row .name').allTextContents()).toSorted()

  await page.getByLabel('Name').fill('Northwind')
  await page.getByRole('button', { name: 'Create organisation' }).click()
  await page.getByRole('heading', { name: 'Move bundles to Northwind' }).waitFor()
  await page.getByRole('button', { name: 'Move selected bundles' }).click()
  await page.getByText('Select at least one bundle.').waitFor()
  // A group cannot have the focus itself.
  await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('name')), 'slug')
  await page.getByRole('checkbox', { name: 'Agenda' }).check()
  await page.getByRole('button', { name: 'Move selected bundles' }).click()
  await page.getByText('Selected bundles moved.').first().waitFor()
  await page.goto('/dashboard')
  expect(await names()).toEqual(['Agenda'])

  await page.locator('.row .menu summary').click()
  await page.getByRole('link', { name: 'Move…' }).click()
  await page.getByRole('radio', { name: 'Your personal workspace' }).check()
  await page.getByRole('button', { name: 'Move' }).click()
  await page.getByText('Bundle moved.').first().waitFor()
  await page.getByText('Personal bundle').waitFor()

  await owner.api('POST', '/api/auth/organization/set-active', { organizationId: null })
  await page.goto('/dashboard?sort=title')
  for (const name of ['Budget', 'Contracts']) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  await page.getByRole('button', { name: 'Move…' }).click()
  await page.getByRole('heading', { name: 'Move 2 bundles' }).waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await page.locator('#list').waitFor()
  for (const name of ['Budget', 'Contracts']) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  await page.getByRole('button', { name: 'Move…' }).click()
  await page.getByRole('radio', { name: 'Northwind' }).check()
  await page.getByRole('button', { name: 'Move' }).click()
  await page.getByText('Selected bundles moved.').first().waitFor()
  expect(await names()).toEqual(['Agenda', 'Drafts'])
  expect(complaints).toEqual([])
})
