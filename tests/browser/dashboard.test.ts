import { beforeAll, expect, test } from 'bun:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { actFor, addMember, newOrganization, newPerson, type Person } from '../people.ts'
import { focusedId, focusedText, reach } from './keyboard.ts'
import { setStage } from './stage.ts'
import { weigh } from './weight.ts'

const KB = 1000
const FIRST_PAGE = 60 * KB
const FACE = 42 * KB
const LATER_PAGE = 15 * KB

const stage = setStage()
let owner: Person
beforeAll(async () => {
  owner = await newPerson(stage.server)
  for (let n = 1; n <= 24; n += 1) await owner.makeBundle({ title: `Reading list ${n}` })
  await owner.makeBundle({ title: 'A first week', description: 'for newcomers' })
})

const open = (path: string, as: Person | null = owner, options: BrowserContextOptions = {}) =>
  stage.open(path, as, options)
const names = (page: Page) => page.locator('.row .name').allTextContents()

test('the list is searched while typing, and the address and the back button follow', async () => {
  const { page } = await open('/dashboard')
  expect(await names(page)).toHaveLength(20)
  const whole: string[] = []
  page.on('request', (request) => request.isNavigationRequest() && whole.push(request.url()))
  await page.locator('#q').pressSequentially('newcomers', { delay: 20 })
  // A prefix finds the same, and a slow machine may search for that first.
  await page.waitForURL(/\/dashboard\?q=newcomers&sort=updated$/)
  await page.locator('.pager').getByText('1 bundle').waitFor()
  expect(await names(page)).toEqual(['A first week'])
  await becomes(() => focusedId(page), 'q')
  await page.getByRole('link', { name: 'Settings' }).waitFor()
  await page.goto('/dashboard?q=newcomers')
  expect(await names(page)).toEqual(['A first week'])
  await page.goBack()
  await page.locator('.pager').getByText('1 bundle').waitFor()
  expect(whole).toHaveLength(2)
})

test('the list is sorted and paged', async () => {
  const { page } = await open('/dashboard')
  expect((await names(page))[0]).toBe('A first week')
  await page.selectOption('#sort', 'title')
  await page.locator('.row').nth(1).getByText('Reading list 1', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Next' }).click()
  await page.getByText('21 to 25 of 25').waitFor()
  expect(await names(page)).toHaveLength(5)
  await page.getByRole('link', { name: 'Previous' }).click()
  await page.getByText('1 to 20 of 25').waitFor()
  await page.goBack()
  await page.getByText('21 to 25 of 25').waitFor()
})

test('a search without results says so, and a percent sign is searched for literally', async () => {
  const { page } = await open('/dashboard?q=%25')
  expect(await page.getByRole('heading', { name: 'Nothing found' }).isVisible()).toBe(true)
  expect(await names(page)).toEqual([])
})

test('a bundle is deleted, the deletion undone, and the bundle found among the deleted', async () => {
  const { slug } = await owner.makeBundle({ title: 'Short-lived' })
  const { page } = await open('/dashboard?q=Short-lived')
  const remove = async () => {
    await page.getByRole('group').locator('summary[aria-label="More for Short-lived"]').click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Bundle deleted').first().waitFor()
  }
  await remove()
  expect((await fetch(`${stage.server.origin}/l/${slug}`)).status).toBe(404)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Bundle restored').first().waitFor()
  expect((await fetch(`${stage.server.origin}/l/${slug}`)).status).toBe(200)
  await page.goto('/dashboard?q=Short-lived')
  await remove()
  await page.getByRole('link', { name: 'Deleted bundles' }).click()
  await page.getByRole('heading', { name: 'Deleted bundles' }).waitFor()
  expect(await names(page)).toEqual(['Short-lived'])
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByText('Bundle restored').first().waitFor()
  expect((await fetch(`${stage.server.origin}/l/${slug}`)).status).toBe(200)
  await owner.api('DELETE', `/api/links/${slug}`)
})

test('the subject is always visible; switching it shows its bundles, and controls depend on the role', async () => {
  const admin = await newPerson(stage.server)
  const viewer = await newPerson(stage.server)
  const { id } = await newOrganization(admin)
  await admin.makeBundle({ title: 'Of the organisation' })
  await addMember(admin, id, viewer, 'viewer')
  await actFor(admin, null)
  const { page } = await open('/dashboard', admin)
  await page.getByRole('heading', { name: 'Your first bundle' }).waitFor()
  await page.locator('.subjects summary').click()
  await page.getByRole('button', { name: /^Organisation/ }).click()
  await page.locator('.row').getByText('Of the organisation').waitFor()
  expect(await page.locator('.subjects summary').textContent()).toContain('You’re an admin')

  await actFor(viewer, id)
  const other = await open('/dashboard', viewer)
  expect(await names(other.page)).toEqual(['Of the organisation'])
  expect(await other.page.getByRole('link', { name: 'New bundle' }).count()).toBe(0)
  await other.page.locator('.row .menu summary').click()
  expect(await other.page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
  const [{ slug } = { slug: '' }] = (await viewer.api<{ bundles: { slug: string }[] }>('GET', '/api/me/links')).body
    .bundles
  const forced = await viewer.form(`/dashboard/links/${slug}/delete`, {})
  expect([forced.status, await forced.text()]).toEqual([
    403,
    expect.stringContaining('You need the admin role to do this'),
  ])
})

test('signed-out people are sent to sign in, and come back to the page they requested', async () => {
  const { page } = await open('/dashboard?sort=title', null)
  expect(page.url()).toBe(`${stage.server.origin}/sign-in?next=%2Fdashboard%3Fsort%3Dtitle`)
})

test('after a session ends, pressing something on the dashboard leads to the sign-in page', async () => {
  const person = await newPerson(stage.server)
  const { page } = await open('/dashboard', person)
  await person.form('/sign-out', {})
  await page.getByRole('link', { name: 'Deleted bundles' }).click()
  await page.waitForURL(/\/sign-in\?next=/)
  expect(await page.locator('#page').count()).toBe(0)
})

test('a form sent after the session ended stays as typed, with and without JavaScript', async () => {
  const person = await newPerson(stage.server)
  const { slug } = await person.makeBundle()
  const { page } = await open(`/dashboard/links/${slug}`, person)
  await person.form('/sign-out', {})
  await page.fill('#title', 'Typed for an hour')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('alert').getByText('You’ve been signed out').waitFor()
  expect(await page.inputValue('#title')).toBe('Typed for an hour')
  const sent = await person.form(`/dashboard/links/${slug}`, { title: 'Typed' })
  expect([sent.status, await sent.text()]).toEqual([401, expect.stringContaining('in another tab')])
})

test('if the server cannot be reached, the page says so and stays as it is', async () => {
  const { page, context, complaints } = await open('/dashboard')
  await page.fill('#q', 'A first')
  await page.locator('.pager').getByText('1 bundle').waitFor()
  await context.setOffline(true)
  await page.getByRole('link', { name: 'Deleted bundles' }).click()
  await page.getByRole('alert').getByText('could not be reached').waitFor()
  expect(await page.inputValue('#q')).toBe('A first')
  expect(complaints.splice(0)[0]).toContain('ERR_INTERNET_DISCONNECTED')
})

test('a page weighs at most 60 KB and the face of its headings on first load, and 15 KB after that', async () => {
  const { page } = await open('about:blank')
  const weight = await weigh(page)
  await page.goto('/dashboard', { waitUntil: 'networkidle' })
  const first = await weight.bytes()
  expect(first).toBeGreaterThan(10 * KB)
  expect(first).toBeLessThanOrEqual(FIRST_PAGE)
  expect(weight.ofFaces()).toBeLessThanOrEqual(FACE)
  weight.reset()
  await page.getByRole('link', { name: 'Next' }).click()
  await page.getByText('21 to 25 of 25').waitFor()
  const later = await weight.bytes()
  expect(later).toBeGreaterThan(0.5 * KB)
  expect(later).toBeLessThanOrEqual(LATER_PAGE)
  expect(weight.ofFaces()).toBe(0)
})

test('a bundle, its menu and another page are reached by keyboard alone', async () => {
  const { page } = await open('/dashboard')
  await page.keyboard.press('Tab')
  await becomes(() => focusedText(page), 'Skip to the content')
  await page.keyboard.press('Enter')
  await reach(page, 'More for A first week')
  await page.keyboard.press('Enter')
  await reach(page, 'Duplicate')
  await page.keyboard.press('Escape')
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('More for A first week')
  expect(await page.locator('details[open]').count()).toBe(0)
  await reach(page, 'Copy the link of Reading list 24')
})
