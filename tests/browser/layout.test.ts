import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { arrive } from '../people.ts'
import { overflowOf } from './flaws.ts'
import { setStage } from './stage.ts'

const stage = setStage()

const PHONE = { viewport: { width: 390, height: 844 } }
const boxOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).first().boundingBox()
  if (box === null) throw new Error(`${selector} is not to be seen`)
  return box
}

test.each([390, 320])('at %i pixels, the times of a rule stay in its card, however deep they stand', async (width) => {
  const owner = await arrive(stage.server)
  const hours = { op: 'timeWindow', days: ['mon'], from: '09:00', to: '17:00', timeZone: 'Europe/Berlin' }
  const date = { op: 'after', field: 'now', value: '2026-11-01T00:00:00Z' }
  const when = { op: 'and', of: [hours, { op: 'or', of: [date, { op: 'not', of: [hours] }] }] }
  const { slug } = await owner.makeBundle({
    resolutionPolicy: { version: 1, rules: [{ name: 'Hours', when, tabs: [{ url: 'https://a.example/' }] }] },
  })
  const { page } = await stage.open(`/dashboard/links/${slug}/policy`, owner, { viewport: { width, height: 844 } })
  await page.click('#rules-0-edit')
  await page.locator('#rules-0-name').waitFor()
  const outside = await page.evaluate(() => {
    const card = document.querySelector('.rule')
    const edge = card?.getBoundingClientRect().right ?? 0
    return [...(card?.querySelectorAll('*') ?? [])]
      .filter((part) => part.checkVisibility() && part.getBoundingClientRect().right > edge)
      .map(({ outerHTML }) => outerHTML.slice(0, 80))
  })
  expect(outside).toEqual([])
  expect(await overflowOf(page)).toBe(0)
})

test('an error of one field stretches none beside it', async () => {
  const { page } = await stage.open('/dashboard/links/new', await arrive(stage.server), {
    viewport: { width: 1280, height: 844 },
  })
  const before = await boxOf(page, '#title')
  await page.fill('#slug', 'No slug!')
  await page.locator('#slug-error').waitFor()
  expect(await boxOf(page, '#title')).toEqual(before)
})

test('on a phone, the rows stay where they are when an address turns out to be none', async () => {
  const owner = await arrive(stage.server)
  const { slug } = await owner.makeBundle({ urls: ['https://a.example/', 'https://b.example/'] })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, PHONE)
  const before = await boxOf(page, '.link-row:nth-child(2)')
  await page.locator('.link-row [name=url]').first().fill('ftp://a.example')
  await page.locator('.link-row .error').waitFor()
  expect(await boxOf(page, '.link-row:nth-child(2)')).toEqual(before)
  const [field, line] = [await boxOf(page, '.link-row [name=url]'), await boxOf(page, '.link-row .error')]
  expect(Math.abs(field.y + field.height - (line.y + line.height / 2))).toBeLessThan(2)
  const error = await page.locator('.link-row .error').evaluate((line) => line.scrollWidth - line.clientWidth)
  expect(error).toBe(0)
})

test('a long description leaves Open all in the window, and one from right to left stands below its title', async () => {
  const owner = await arrive(stage.server)
  const { url } = await owner.makeBundle({
    title: 'שלום עולם',
    description: Array.from({ length: 60 }, () => 'סדר היום של הישיבה').join('\n'),
  })
  for (const javaScriptEnabled of [true, false]) {
    const { page } = await stage.open(url, null, { ...PHONE, javaScriptEnabled })
    const [title, description] = [await boxOf(page, 'h1'), await boxOf(page, '.description')]
    expect(description.x + description.width).toBeCloseTo(title.x + title.width)
    if (!javaScriptEnabled) continue
    const { y, height } = await boxOf(page, '#open')
    expect(y + height).toBeLessThanOrEqual(844)
  }
})

test('no dense field makes a phone zoom in: its text has 16 pixels', async () => {
  const owner = await arrive(stage.server)
  const { slug } = await owner.makeBundle({ resolutionPolicy: { version: 1, rules: [] } })
  const fields = 'input:not([type=checkbox], [type=radio], [type=hidden], [type=file]), select, textarea'
  for (const [path, isTouch, size] of [
    [`/dashboard/links/${slug}`, true, 16],
    [`/dashboard/links/${slug}`, false, 15],
    [`/dashboard/links/${slug}/policy`, true, 16],
    ['/dashboard/links/import', true, 16],
  ] as const) {
    const { page } = await stage.open(path, owner, { ...PHONE, isMobile: isTouch, hasTouch: isTouch })
    const sizes = await page
      .locator(`main :is(${fields})`)
      .evaluateAll((all) =>
        all
          .filter((field) => field.checkVisibility())
          .map((field) => Number.parseFloat(getComputedStyle(field).fontSize)),
      )
    expect(Math.min(...sizes), path).toBe(size)
    await page.close()
  }
})

test.each([360, 320])('at %i pixels, every section and every page of a bundle is in sight', async (width) => {
  const owner = await arrive(stage.server)
  const { slug } = await owner.makeBundle()
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, { viewport: { width, height: 640 } })
  for (const bar of ['.sections', '.tabbar']) {
    const hidden = await page.locator(bar).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
    expect(hidden, bar).toBe(0)
  }
  const [copy, more] = [await boxOf(page, '.head .actions button'), await boxOf(page, '.head .actions summary')]
  expect(more.y).toBe(copy.y)
})
