import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { ONBOARDING } from './bundles.ts'
import { expand, rowsOf } from './links.ts'
import { addSession } from './people.ts'
import { setStage } from './stage.ts'
import { press, shows } from './waiting.ts'

const stage = setStage()
let owner: Person
beforeAll(async () => {
  owner = await newPerson(stage.server)
})

/** What this browser keeps. */
const keptIn = (page: Page) =>
  page.evaluate(() => Object.entries(localStorage).filter(([key]) => key.startsWith('openall edits')))

/** Waits until what was typed is kept, as it is a moment after. */
const kept = (page: Page, text: string) =>
  becomes(async () => (await keptIn(page)).some(([, value]) => value.includes(text)), true)

/** The page crashes: it has no moment to ask or to write. */
async function crash(page: Page, path: string): Promise<Page> {
  const next = await page.context().newPage()
  await page.close({ runBeforeUnload: false })
  await next.goto(path)
  return next
}

const offered = (page: Page) => shows(page, '#kept', 'Your unsaved changes from')
const isOffered = (page: Page) => page.locator('#kept').isVisible()

test('edits that were not saved are offered after a crash, restored, saved, and then gone', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const path = `/dashboard/links/${slug}`
  const opened = await stage.open(path, owner)
  await opened.page.fill('#title', 'Typed before the crash')
  await expand(opened.page, 2)
  await rowsOf(opened.page).nth(2).locator('[name=note]').fill('Two lines\nof a title')
  await rowsOf(opened.page).nth(0).getByRole('button', { name: 'Move down' }).click()
  await kept(opened.page, 'Two lines')
  const page = await crash(opened.page, path)
  await offered(page)
  expect(await page.inputValue('#title')).toBe(ONBOARDING.title ?? '')
  await press(page, 'Restore')
  await becomes(() => page.inputValue('#title'), 'Typed before the crash')
  expect(await rowsOf(page).nth(0).locator('[name=url]').inputValue()).toBe(ONBOARDING.urls[1] ?? '')
  expect(await rowsOf(page).nth(2).locator('[name=note]').inputValue()).toBe('Two lines\nof a title')
  expect(await isOffered(page)).toBe(false)
  expect(await page.locator('.unsaved').isVisible()).toBe(true)
  await page.keyboard.press('Control+s')
  await shows(page, '#messages', 'Saved · View version')
  expect(await keptIn(page)).toEqual([])
  await page.reload()
  expect(await isOffered(page)).toBe(false)
})

test('no password is kept', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  await page.selectOption('#access', 'password')
  await page.fill('#password', 'not to be kept')
  await page.fill('#title', 'Kept')
  await kept(page, 'Kept')
  expect(JSON.stringify(await keptIn(page))).not.toContain('not to be kept')
})

test('edits survive a session that ended, and are offered to the same person only', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const path = `/dashboard/links/${slug}`
  const opened = await stage.open(path, owner)
  const { context } = opened
  await opened.page.fill('#title', 'Typed too long')
  await context.clearCookies()
  await opened.page.keyboard.press('Control+s')
  await shows(opened.page, '#messages', 'You’ve been signed out.')
  const page = await crash(opened.page, path)
  await page.getByLabel('Email').waitFor()
  const other = await newPerson(stage.server)
  await addSession(context, other)
  const { slug: theirs } = await other.makeBundle({ ...ONBOARDING })
  await page.goto(`/dashboard/links/${theirs}`)
  expect(await isOffered(page)).toBe(false)
  await context.clearCookies()
  await addSession(context, owner)
  await page.goto(path)
  await offered(page)
  await press(page, 'Restore')
  await becomes(() => page.inputValue('#title'), 'Typed too long')
})

test('edits of an earlier version are offered with a word about it, and restored beside the newer one', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const path = `/dashboard/links/${slug}`
  const opened = await stage.open(path, owner)
  await opened.page.fill('#title', 'Mine')
  await kept(opened.page, 'Mine')
  await owner.api('PATCH', `/api/links/${slug}`, { title: 'Theirs' })
  const page = await crash(opened.page, path)
  await shows(page, '#kept', 'Version 2 was saved since')
  await press(page, 'Restore')
  await page.locator('.conflict').waitFor()
  expect(await page.inputValue('#title')).toBe('Mine')
  const { body } = await owner.api<{ title: string }>('GET', `/api/links/${slug}`)
  expect(body.title).toBe('Theirs')
})

test.each(['the offer', 'the form'])('Discard of %s drops what is kept', async (where) => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const path = `/dashboard/links/${slug}`
  const opened = await stage.open(path, owner)
  let { page } = opened
  await page.fill('#title', 'Dropped')
  await kept(page, 'Dropped')
  if (where === 'the offer') {
    page = await crash(page, path)
    await offered(page)
    await page.locator('#kept').getByRole('button', { name: 'Discard' }).click()
  } else {
    await page.locator('.save-bar').getByRole('link', { name: 'Discard' }).click()
    await becomes(() => page.inputValue('#title'), ONBOARDING.title ?? '')
  }
  expect(await keptIn(page)).toEqual([])
  await page.reload()
  expect(await isOffered(page)).toBe(false)
})

test.each(['dashboard', 'home page'])('signing out on the %s drops everything that is kept', async (where) => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const person = await newPerson(stage.server)
  const { slug: own } = await person.makeBundle({ ...ONBOARDING })
  expect(slug).not.toBe(own)
  const opened = await stage.open(`/dashboard/links/${own}`, person)
  await opened.page.fill('#title', 'Left behind')
  await kept(opened.page, 'Left behind')
  const page = await crash(opened.page, where === 'dashboard' ? '/dashboard' : '/')
  if (where === 'dashboard') await page.locator('.subjects summary').click()
  await page.getByRole('button', { name: /Sign out/ }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  expect(await keptIn(page)).toEqual([])
})

test('what a sign-out in another tab has dropped does not come back when this one is closed', async () => {
  const person = await newPerson(stage.server)
  const { slug } = await person.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open(`/dashboard/links/${slug}`, person)
  await page.fill('#title', 'Left open')
  await kept(page, 'Left open')
  await page.evaluate(() => window.addEventListener('storage', () => document.body.classList.add('told')))
  const other = await page.context().newPage()
  await other.goto('/')
  await other.getByRole('button', { name: 'Sign out' }).click()
  await other.getByRole('link', { name: 'Sign in' }).waitFor()
  await page.locator('body.told').waitFor()
  await page.evaluate(() => window.dispatchEvent(new Event('pagehide')))
  expect(await keptIn(other)).toEqual([])
})

test('a copy is kept too, until it is made', async () => {
  const person = await newPerson(stage.server)
  const { slug } = await person.makeBundle({ ...ONBOARDING })
  const path = `/dashboard/links/new?from=${slug}`
  const opened = await stage.open(path, person)
  await opened.page.fill('#title', 'Begun')
  await kept(opened.page, 'Begun')
  const page = await crash(opened.page, path)
  await offered(page)
  await press(page, 'Restore')
  await becomes(() => page.inputValue('#title'), 'Begun')
  await press(page, 'Create bundle')
  await shows(page, '#messages', 'Bundle created.')
  expect(await keptIn(page)).toEqual([])
})

test('at most ten are kept, the oldest goes, and one that is too long is not kept', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  await page.evaluate(() => {
    for (let n = 0; n < 12; n += 1) {
      localStorage.setItem(`openall edits other ${n}`, JSON.stringify({ at: Date.now() - (20 - n) * 1000, fields: [] }))
    }
  })
  await page.fill('#title', 'The eleventh')
  await kept(page, 'The eleventh')
  const keys = (await keptIn(page)).map(([key]) => key)
  expect(keys).toHaveLength(10)
  expect(keys).not.toContain('openall edits other 2')
  expect(keys).toContain('openall edits other 11')
  await page.fill('#description', 'x'.repeat(260_000))
  await becomes(async () => JSON.stringify(await keptIn(page)).includes('The eleventh'), false)
})
