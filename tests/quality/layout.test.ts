import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { axeViolations, overflowOf } from '../browser/flaws.ts'
import { expand } from '../browser/links.ts'
import { setStage } from '../browser/stage.ts'
import { newEmail, newPerson, PASSWORD } from '../people.ts'

const stage = setStage()

const PHONE = { viewport: { width: 390, height: 844 } }
const boxOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).first().boundingBox()
  if (box === null) throw new Error(`${selector} is not to be seen`)
  return box
}

test.each([390, 320])('at %i pixels, the times of a rule stay in its card, however deeply nested', async (width) => {
  const owner = await newPerson(stage.server)
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

test('an error of one field does not stretch the one next to it', async () => {
  const owner = await newPerson(stage.server)
  const { slug } = await owner.makeBundle()
  const { page } = await stage.open(`/dashboard/links/new?from=${slug}`, owner, {
    viewport: { width: 1280, height: 844 },
  })
  const before = await boxOf(page, '#title')
  await page.fill('#slug', 'No slug!')
  await page.locator('#slug-error').waitFor()
  expect(await boxOf(page, '#title')).toEqual(before)
})

test('on a phone, no word of a table head in the guides is broken', async () => {
  const { page } = await stage.open('/docs/policies', null, { viewport: { width: 390, height: 844 } })
  const lines = await page.locator('th').evaluateAll((heads) =>
    heads.flatMap((head) => {
      const range = document.createRange()
      const [text] = [...head.childNodes].filter((node) => node instanceof Text)
      if (text === undefined) return []
      return [...text.data.matchAll(/\S+/g)].map((word) => {
        range.setStart(text, word.index)
        range.setEnd(text, word.index + word[0].length)
        return [word[0], range.getClientRects().length]
      })
    }),
  )
  expect(lines.length).toBeGreaterThan(2)
  expect(lines.filter(([, count]) => count !== 1)).toEqual([])
})

test.each([390, 1280])('at %i pixels, the tag of a decided proposal is as wide as its word', async (width) => {
  const owner = await newPerson(stage.server)
  const { slug } = await owner.makeBundle()
  const proposal = { baseVersion: 1, title: 'Week one' }
  const { body } = await owner.api<{ id: string }>('POST', `/api/links/${slug}/proposals`, proposal)
  await owner.api('POST', `/api/links/${slug}/proposals/${body.id}/accept`, {})
  const options = { viewport: { width, height: 844 } }
  const { page } = await stage.open(`/dashboard/links/${slug}/proposals`, owner, options)
  expect((await boxOf(page, '.decided .tag')).width).toBeLessThan(120)
})

test('on a phone, rows do not move when an error appears', async () => {
  const owner = await newPerson(stage.server)
  const { slug } = await owner.makeBundle({ urls: ['https://a.example/', 'https://b.example/'] })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, PHONE)
  await expand(page, 0)
  // Typing scrolls to the field.
  const address = page.locator('.link-row [name=url]').first()
  await address.fill('https://a.example/')
  const before = await boxOf(page, '.link-row:nth-child(2)')
  await address.fill('ftp://a.example')
  await page.locator('.link-row .error').waitFor()
  expect(await boxOf(page, '.link-row:nth-child(2)')).toEqual(before)
  const [field, line] = [await boxOf(page, '.link-row [name=url]'), await boxOf(page, '.link-row .error')]
  const next = await boxOf(page, '.link-row [name=note]')
  expect(line.y).toBeGreaterThanOrEqual(field.y + field.height)
  expect(line.y + line.height).toBeLessThanOrEqual(next.y)
  const error = await page.locator('.link-row .error').evaluate((line) => line.scrollWidth - line.clientWidth)
  expect(error).toBe(0)
})

test('Open all stays in the window below a long description, and a right-to-left description lines up with its title', async () => {
  const owner = await newPerson(stage.server)
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
  const owner = await newPerson(stage.server)
  const { slug } = await owner.makeBundle({ resolutionPolicy: { version: 1, rules: [] } })
  const phone = await stage.open('/healthz', owner, { ...PHONE, isMobile: true, hasTouch: true })
  const small = await stage.open('/healthz', owner, PHONE)
  const fields = 'input:not([type=checkbox], [type=radio], [type=hidden], [type=file]), select, textarea'
  for (const [path, isTouch, size] of [
    [`/dashboard/links/${slug}`, true, 16],
    [`/dashboard/links/${slug}`, false, 15],
    [`/dashboard/links/${slug}/policy`, true, 16],
    [`/dashboard/links/${slug}/policy#json`, true, 16],
    ['/dashboard/links/import', true, 16],
    ['/dashboard', true, 16],
    ['/docs', true, 16],
    ['/sign-in?as=other', true, 16],
  ] as const) {
    const { page } = isTouch ? phone : small
    await page.goto(path)
    if (path.endsWith('#json')) {
      await page.click('button[value=json]')
      await page.locator('#json').waitFor()
    }
    for (const box of await page.locator('input[name=slug][type=checkbox]').all()) await box.check()
    // An expanded form.
    await page.locator('details:is(.try, .custom)').evaluateAll((all) => {
      for (const one of all) one.setAttribute('open', '')
    })
    await expand(page)
    const sizes = await page
      .locator(`main :is(${fields})`)
      .evaluateAll((all) =>
        all
          .filter((field) => field.checkVisibility())
          .map((field) => Number.parseFloat(getComputedStyle(field).fontSize)),
      )
    expect(Math.min(...sizes), path).toBe(size)
  }
})

test.each([360, 320])('at %i pixels, every section and every page of a bundle is visible', async (width) => {
  const owner = await newPerson(stage.server)
  const { slug } = await owner.makeBundle()
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, { viewport: { width, height: 640 } })
  for (const bar of ['.sections', '.tabbar']) {
    const hidden = await page.locator(bar).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
    expect(hidden, bar).toBe(0)
  }
  const [copy, more] = [await boxOf(page, '.head .actions button'), await boxOf(page, '.head .actions summary')]
  expect(more.y).toBe(copy.y)
})

test('Import does not mention dropping files to people without a mouse', async () => {
  const owner = await newPerson(stage.server)
  for (const isTouch of [true, false]) {
    const { page } = await stage.open('/dashboard/links/import', owner, {
      ...PHONE,
      isMobile: isTouch,
      hasTouch: isTouch,
    })
    expect(await page.locator('label[for=file]').innerText()).toBe(
      isTouch ? 'Or choose a file' : 'Or choose a file, or drop one on the field',
    )
  }
})

test('on a phone, what a form of an account lacks stands beside its fields, until it is mended', async () => {
  const { page } = await stage.open('/sign-up', null, { ...PHONE, isMobile: true, hasTouch: true })
  const errors = () => page.locator('.error').allTextContents()
  await page.getByRole('button', { name: 'Create account' }).click()
  expect(await errors()).toEqual(['Fill in this field.', 'Fill in this field.'])
  await page.fill('#email', 'nonsense')
  await page.locator('#password').pressSequentially('short')
  expect(await errors()).toEqual([])
  await page.getByRole('button', { name: 'Create account' }).click()
  expect(await errors()).toEqual(['Enter a valid email address.', 'Use at least 8 characters.'])
  expect(await page.locator('.field .hint').isVisible()).toBe(false)
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('email')
  expect(await page.getAttribute('#email', 'aria-describedby')).toBe('email-error')
  expect(await axeViolations(page)).toEqual([])
  await page.fill('#email', newEmail())
  await page.fill('#password', PASSWORD)
  expect(await errors()).toEqual([])
  await Promise.all([page.waitForURL('/dashboard**'), page.getByRole('button', { name: 'Create account' }).click()])
})

test('on a phone, a link that is to be copied is shown on a line of its own', async () => {
  const { page } = await stage.open('/', null, { ...PHONE, isMobile: true, hasTouch: true })
  await page.fill('#urls', 'https://a.example/')
  await page.locator('#found .found-row').waitFor()
  await Promise.all([page.waitForURL('/made/*'), page.getByRole('button', { name: 'Get the link' }).click()])
  const [field, button] = [await boxOf(page, '.url'), await boxOf(page, '.made [data-text]')]
  expect(field.width).toBeGreaterThan(260)
  expect(button.y).toBeGreaterThan(field.y + field.height)
})

test('on a phone, an empty dashboard is little more than a window long', async () => {
  const { page } = await stage.open('/dashboard', await newPerson(stage.server), { ...PHONE, isMobile: true })
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(1100)
})
