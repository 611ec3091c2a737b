import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { ONBOARDING } from './bundles.ts'
import { expand, openMore, openRows, rowsOf, toggle } from './links.ts'
import { setStage } from './stage.ts'
import { settled, shows } from './waiting.ts'

const stage = setStage()
let owner: Person
beforeAll(async () => {
  owner = await newPerson(stage.server)
})

const lineOf = (page: Page, index: number) =>
  rowsOf(page)
    .nth(index)
    .locator('.line')
    .evaluate((line) => {
      const shown = [...line.querySelectorAll('.called, .at, .unnamed, .tag')].filter((part) => part.checkVisibility())
      return shown.map((part) => part.textContent)
    })
const field = (page: Page, index: number, name: string) => rowsOf(page).nth(index).locator(`[name=${name}]`)

test('a link’s line shows what is typed, after a pause', async () => {
  const { slug } = await owner.makeBundle({ urls: ['https://www.example.com/plan?x=1'], urlMetadata: [] })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  expect(await lineOf(page, 0)).toEqual(['www.example.com/plan?x=1'])
  await expand(page, 0)
  await field(page, 0, 'note').fill('The plan\nand more of it')
  await field(page, 0, 'url').fill(' HTTP://other.example/<b>')
  await field(page, 0, 'tags').fill('read first, "a, ""b""", read first,;')
  await openMore(rowsOf(page).nth(0))
  await field(page, 0, 'openPolicy').selectOption('manual')
  const typed = ['The plan', 'other.example/<b>', 'Open manually', 'read first', 'a, "b"']
  await becomes(() => lineOf(page, 0), typed)
  await field(page, 0, 'url').fill('http://other.example/')
  await page.keyboard.press('Control+s')
  await shows(page, '#messages', 'Saved · View version')
  // The server renders the same.
  expect(await lineOf(page, 0)).toEqual(['The plan', 'other.example/', ...typed.slice(2)])
})

test('a line is reached, announced and opened by keyboard, and stays open after a save', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  await page.getByRole('button', { name: 'Add a section' }).focus()
  await page.keyboard.press('Tab')
  const focused = page.locator('summary:focus')
  expect(await focused.textContent()).toContain('Team handbook: how we work')
  for (const _ of ['up', 'down', 'remove', 'the next link']) await page.keyboard.press('Tab')
  expect(await focused.textContent()).toContain('Your introductions this week')
  await page.keyboard.press('Enter')
  expect(await openRows(page)).toEqual([false, true, false, false, false, false, false])
  await page.keyboard.press('Tab')
  await page.keyboard.press('End')
  await page.keyboard.type('/2')
  await page.keyboard.press('Control+s')
  await shows(page, '#messages', 'Saved · View version')
  expect(await openRows(page)).toEqual([false, true, false, false, false, false, false])
  expect(await lineOf(page, 1)).toContain('calendar.google.com/calendar/u/0/r/week/2')
})

test('a moved link is open after a save too, and the focus is in its field', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  await expand(page, 2)
  await rowsOf(page).nth(2).getByRole('button', { name: 'Move up' }).click()
  await becomes(() => openRows(page), [false, true, false, false, false, false, false])
  const url = field(page, 1, 'url')
  await url.fill('https://moved.example/')
  await page.keyboard.press('Control+s')
  await shows(page, '#messages', 'Saved · View version')
  expect(await openRows(page)).toEqual([false, true, false, false, false, false, false])
  expect(await rowsOf(page).evaluateAll((rows) => rows.map(({ id }) => id).slice(0, 3))).toEqual([
    'link-1',
    'link-2',
    'link-3',
  ])
  await becomes(() => url.evaluate((one) => one === document.activeElement), true)
  expect(await url.inputValue()).toBe('https://moved.example/')
  expect(await field(page, 2, 'url').inputValue()).toBe('https://calendar.google.com/calendar/u/0/r/week')
})

test('a new link is open; pasted links are closed except the last, and open if they have a message', async () => {
  const { slug } = await owner.makeBundle({ urls: ['https://a.example/'] })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  await page.getByRole('button', { name: 'Add a link' }).click()
  await becomes(() => openRows(page), [false, true])
  expect(await lineOf(page, 1)).toEqual(['New link'])
  await page.getByText('Paste several').click()
  await page.fill('#more', 'https://b.example/\nhttps://c.example/\nhttps://d.example/')
  await page.getByRole('button', { name: 'Add them' }).click()
  await rowsOf(page).nth(3).waitFor()
  // The empty row gives way.
  await becomes(() => openRows(page), [false, false, false, true])
  await field(page, 3, 'url').fill('https://b.example')
  await page.getByText('Same address as link 2.').waitFor()
  expect(await openRows(page)).toEqual([false, false, false, true])
  // An invalid field in a closed line opens it, once.
  await toggle(page, 3)
  await expand(page, 1)
  await field(page, 1, 'url').fill('ftp://b.example/')
  await toggle(page, 1)
  await page.locator('.link-row [aria-invalid]').waitFor()
  await becomes(() => openRows(page), [false, true, false, false])
  await toggle(page, 1)
  await page.fill('#title', 'Closed again')
  await settled(page)
  await page.getByRole('heading', { name: '4 links' }).waitFor()
  expect((await openRows(page))[1]).toBe(false)
})

test('without JavaScript a line opens to its fields, which are sent whether open or closed', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const options = { javaScriptEnabled: false, viewport: { width: 390, height: 844 } }
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, options)
  expect(await rowsOf(page).locator('.grip').first().isVisible()).toBe(false)
  await expand(page, 1)
  await field(page, 1, 'note').fill('Typed')
  await rowsOf(page).nth(0).getByRole('button', { name: 'Move down' }).click()
  expect(await lineOf(page, 0)).toEqual(['Typed', 'calendar.google.com/calendar/u/0/r/week'])
  await page.getByRole('button', { name: 'Add a link' }).click()
  expect((await openRows(page)).indexOf(true)).toBe(7)
  await field(page, 7, 'url').fill('no address')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.link-row .error').waitFor()
  expect(await field(page, 7, 'url').isVisible()).toBe(true)
})

test('Alt and an arrow move the link that has the focus, which keeps it', async () => {
  const { slug } = await owner.makeBundle({ urls: ['https://a.example/', 'https://b.example/', 'https://c.example/'] })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  await rowsOf(page).nth(2).locator('.link-fold > summary').focus()
  await page.keyboard.press('Alt+ArrowUp')
  await page.keyboard.press('Alt+ArrowUp')
  const lines = async () => (await Promise.all([0, 1, 2].map((at) => lineOf(page, at)))).flat()
  await becomes(lines, ['c.example/', 'a.example/', 'b.example/'])
  expect(await page.textContent('#live')).toBe('Link moved to 1 of 3')
  await page.keyboard.press('Alt+ArrowDown')
  await becomes(lines, ['a.example/', 'c.example/', 'b.example/'])
  await becomes(
    () => page.locator('summary:focus').textContent(),
    await rowsOf(page).nth(1).locator('.link-fold > summary').textContent(),
  )
})

test('beside Save stands what has changed, and nothing once it is as it was', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  const changes = page.locator('.changes')
  await expand(page, 1)
  await field(page, 1, 'note').fill('Introductions')
  await becomes(() => changes.textContent(), 'Introductions edited')
  await page.fill('#title', 'Week one')
  await becomes(() => changes.textContent(), 'Title edited, Introductions edited')
  await rowsOf(page).nth(6).getByRole('button', { name: 'Move up' }).click()
  await becomes(() => changes.textContent(), 'Title edited, Introductions edited and 1 more')
})

test('on a slow network a new link is there at once, and what is typed meanwhile is not lost', async () => {
  const [a, b, c, d] = ['https://a.example/', 'https://b.example/', 'https://c.example/', 'https://d.example/'] as const
  const { slug } = await owner.makeBundle({ urls: [a, b] })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  const gate = Promise.withResolvers<void>()
  await page.route(`**/dashboard/links/${slug}`, async (route) => {
    await gate.promise
    await route.continue()
  })
  const add = page.getByRole('button', { name: 'Add a link' })
  const addresses = () =>
    rowsOf(page)
      .locator('[name=url]')
      .evaluateAll((all) => (all as HTMLInputElement[]).map(({ value }) => value))
  for (const [index, url] of [c, d].entries()) {
    await add.click()
    expect(await rowsOf(page).count()).toBe(3 + index)
    await page.keyboard.type(url)
  }
  await rowsOf(page).nth(1).getByRole('button', { name: 'Move up' }).click()
  await page.fill('#title', 'Typed at last')
  gate.resolve()
  await becomes(addresses, [b, a, c, d])
  expect(await page.inputValue('#title')).toBe('Typed at last')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('title')
  await page.keyboard.press('Control+s')
  await shows(page, '#messages', 'Saved · View version')
  const { body } = await owner.api<{ title: string; urls: string[] }>('GET', `/api/links/${slug}`)
  expect([body.title, body.urls]).toEqual(['Typed at last', [b, a, c, d]])
})
