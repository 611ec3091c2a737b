import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { actFor, addMember, newOrganization, newPerson, type Person } from '../people.ts'
import { focusedId } from './keyboard.ts'
import { setStage } from './stage.ts'

const stage = setStage()
let owner: Person
let slug: string
beforeAll(async () => {
  owner = await newPerson(stage.server)
  await newOrganization(owner)
  await actFor(owner, null)
  ;({ slug } = await owner.makeBundle({ title: 'Agenda of Monday' }))
})

const palette = (page: Page) => page.locator('#palette')
const selected = (page: Page) => page.locator('#palette [aria-selected=true]').textContent()

test('the palette goes to a bundle by its title, to a page and to another workspace, by keyboard alone', async () => {
  const { page, complaints } = await stage.open('/dashboard/settings', owner)
  await page.keyboard.press('Control+k')
  await becomes(() => focusedId(page), 'palette-q')
  await page.keyboard.type('agenda')
  await page.getByRole('option', { name: 'Agenda of Monday' }).waitFor()
  await becomes(() => selected(page), 'Agenda of Monday')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/dashboard/links/${slug}`)

  await page.keyboard.press('Meta+k')
  await becomes(() => selected(page), 'New bundle')
  await page.keyboard.press('ArrowDown')
  expect(await selected(page)).toBe('Import')
  const active = await page.locator('#palette-q').getAttribute('aria-activedescendant')
  expect(await page.locator(`[id="${active}"]`).textContent()).toBe('Import')
  await page.keyboard.press('ArrowUp')
  expect(await selected(page)).toBe('New bundle')
  await page.keyboard.type('api k')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/dashboard/keys')

  await page.keyboard.press('Control+k')
  await page.keyboard.type('switch')
  await page.keyboard.press('Enter')
  await page.locator('.subjects summary').getByText('You’re an admin').waitFor()
  await actFor(owner, null)
  expect(complaints).toEqual([])
})

test('the palette is opened by its button and closed by Escape; a search without results says so', async () => {
  const { page } = await stage.open('/dashboard', owner)
  await page.getByRole('button', { name: 'Go to' }).click()
  await page.locator('#palette-q').fill('nothing like it')
  await page.getByRole('status').getByText('Nothing found').waitFor()
  await page.keyboard.press('Escape')
  await palette(page).waitFor({ state: 'hidden' })
})

test('single keys search, start a bundle and list the keys, but not while typing or with a modifier', async () => {
  const { page } = await stage.open('/dashboard', owner)
  await page.keyboard.press('/')
  await becomes(() => focusedId(page), 'q')
  await page.keyboard.type('n?/')
  expect(await page.inputValue('#q')).toBe('n?/')
  expect(await page.locator('dialog[open]').count()).toBe(0)
  await page.goto('/dashboard')
  await page.keyboard.press('Alt+n')
  await page.keyboard.press('?')
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  expect(new URL(page.url()).pathname).toBe('/dashboard')
  await page.keyboard.press('n')
  await page.waitForURL('**/dashboard/links/new')
})

test('single keys can be turned off for this browser', async () => {
  const { page } = await stage.open('/dashboard', owner)
  await page.getByRole('button', { name: 'Go to' }).click()
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
  await page.getByRole('checkbox', { name: 'Use single keys' }).uncheck()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.goto('/dashboard')
  await page.keyboard.press('?')
  await page.keyboard.press('n')
  await page.keyboard.press('Control+k')
  await palette(page).waitFor()
  expect(await page.locator('dialog[open]').count()).toBe(1)
  expect(new URL(page.url()).pathname).toBe('/dashboard')
})

test('a viewer is offered nothing that they may not do', async () => {
  const viewer = await newPerson(stage.server)
  const { id } = await newOrganization(owner)
  await addMember(owner, id, viewer, 'viewer')
  await actFor(owner, null)
  await actFor(viewer, id)
  const { page } = await stage.open('/dashboard', viewer)
  await page.keyboard.press('n')
  await page.keyboard.press('Control+k')
  await becomes(() => selected(page), 'Bundles')
  expect(await page.getByRole('option', { name: 'New bundle' }).count()).toBe(0)
})
