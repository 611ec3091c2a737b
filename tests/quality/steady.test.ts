import { beforeAll, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { ONBOARDING } from '../browser/bundles.ts'
import { expand, openMore } from '../browser/links.ts'
import { makeCounts } from '../browser/past.ts'
import { setStage } from '../browser/stage.ts'
import { shows } from '../browser/waiting.ts'
import { actFor, newOrganization, newPerson, type Person } from '../people.ts'

// What stays where it is while something else appears, and what stays whole on a phone.
const stage = setStage()
const WIDE = { viewport: { width: 1280, height: 860 } }
const PHONE = { viewport: { width: 390, height: 844 } }
const HEBREW = 'שלום עולם'
const RULE = {
  name: 'A rule',
  when: { op: 'equals', field: 'device', value: 'mobile' },
  tabs: [{ url: 'https://m.example/' }],
}

let owner: Person
beforeAll(async () => {
  owner = await newPerson(stage.server)
})

/** Where elements are in the window. */
const placesOf = (page: Page, ...selectors: string[]) =>
  page.evaluate(
    (all) =>
      all.flatMap((selector) =>
        [...document.querySelectorAll(selector)].map((part) => {
          const { x, y, width, height } = part.getBoundingClientRect()
          return [selector, ...[x, y, width, height].map(Math.round)]
        }),
      ),
    selectors,
  )

/** Words that are broken over two lines. */
const brokenWords = (part: Locator) =>
  part.evaluateAll((all) =>
    all.flatMap((element) => {
      const node = element.firstChild
      if (node === null) return []
      return [...(node.textContent ?? '').matchAll(/\S+/g)].flatMap((found) => {
        const range = document.createRange()
        range.setStart(node, found.index)
        range.setEnd(node, found.index + found[0].length)
        return range.getClientRects().length > 1 ? [found[0]] : []
      })
    }),
  )

const BAR = ['#open', '#copy', '#bookmarks', '.qr', '.bar .icon']

test.each([WIDE, PHONE])('the buttons of a launcher keep their places and icons, whatever opens: %j', async (size) => {
  const { url } = await owner.makeBundle({ urls: Array.from({ length: 25 }, (_, at) => `https://example.com/${at}`) })
  const { page } = await stage.open(url, null, size)
  await page.evaluate(() => {
    let left = 12
    const open = window.open.bind(window)
    window.open = () => (left-- > 0 ? open('about:blank', '_blank') : null)
    Object.assign(globalThis, { allow: () => (left = 100) })
  })
  const before = await placesOf(page, ...BAR)
  await page.click('#open')
  await page.getByRole('button', { name: 'Open next 13 of 25' }).waitFor()
  // On a phone, the button is alone there meanwhile, at the same height.
  const meanwhile = await placesOf(page, ...(size === PHONE ? ['#open'] : BAR))
  const [[, , y = 0] = []] = before
  if (size === PHONE) expect(meanwhile).toEqual([['#open', 16, y, PHONE.viewport.width - 32, 52]])
  else expect(meanwhile).toEqual(before)
  await page.evaluate(() => (globalThis as unknown as { allow(): void }).allow())
  await page.click('#rest')
  await shows(page, '#again', 'Open again')
  expect(await placesOf(page, ...BAR)).toEqual(before)
  await page.reload()
  await shows(page, '#again', 'Open again')
  expect(await placesOf(page, ...BAR)).toEqual(before)
})

test('once all tabs are open, the tabs of a launcher are where they were', async () => {
  const { url } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open(url, null, WIDE)
  await page.evaluate(() => {
    window.open = window.open.bind(window, 'about:blank') as typeof window.open
  })
  const before = await placesOf(page, '.tabs > li')
  await page.click('#open')
  await page.locator('#again').waitFor()
  expect(await placesOf(page, '.tabs > li')).toEqual(before)
})

test.each([WIDE, PHONE])('what a save says stands in the bar, and covers and moves no button: %j', async (size) => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING, resolutionPolicy: { version: 1, rules: [RULE] } })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, size)
  for (const [bar, path, says] of [
    ['.save-bar', '', 'Saved · View version'],
    ['#policy .bar', '/policy', 'No changes to save.'],
  ] as const) {
    await page.goto(`/dashboard/links/${slug}${path}`)
    const buttons = `${bar} > :is(button, a)`
    if (path === '') await page.fill('#title', 'Another')
    const before = await placesOf(page, buttons)
    await page.keyboard.press('Control+s')
    await shows(page, `${bar} .flash`, says)
    expect(await placesOf(page, buttons)).toEqual(before)
    const isCovering = await page.evaluate((found) => {
      const told = document.querySelector('.flash')?.getBoundingClientRect() ?? new DOMRect()
      return [...document.querySelectorAll(found)].some((button) => {
        const box = button.getBoundingClientRect()
        return box.width > 0 && told.bottom > box.top && told.left < box.right && told.right > box.left
      })
    }, buttons)
    expect(isCovering, path).toBe(false)
  }
})

test.each([WIDE, PHONE])('“Copied” moves nothing: %j', async (size) => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  for (const [path, parts] of [
    ['/dashboard', '.row:first-child'],
    [`/dashboard/links/${slug}`, '.head'],
  ] as const) {
    const { page } = await stage.open(path, owner, { ...size, permissions: ['clipboard-write'] })
    const places = async () => (await placesOf(page, `${parts} :not(button[data-text] *)`)).map(String)
    const before = await places()
    await page.locator('button[data-text]').first().click()
    await page.locator('button[data-text] .label', { hasText: 'Copied' }).first().waitFor({ state: 'attached' })
    expect(await places()).toEqual(before)
  }
})

test('on a phone the headers of the table by rule break between words only', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING, resolutionPolicy: { version: 1, rules: [RULE] } })
  await makeCounts(stage.server, slug)
  for (const width of [390, 320]) {
    const { page } = await stage.open(`/dashboard/links/${slug}/insights`, owner, { viewport: { width, height: 844 } })
    expect(await page.locator('.by-rule thead th').count()).toBe(4)
    expect(await brokenWords(page.locator('.by-rule thead th')), `${width}`).toEqual([])
  }
})

test.each([390, 360])('at %i pixels the pages of a bundle with proposals stand in one line', async (width) => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  for (let n = 0; n < 12; n += 1) {
    const proposed = { title: `Proposed ${n}`, reason: 'Shorter.' }
    const { status } = await owner.api('POST', `/api/links/${slug}/proposals`, proposed)
    expect(status).toBe(201)
  }
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, { viewport: { width, height: 844 } })
  expect(await page.locator('.tabbar .tag').textContent()).toBe('12')
  const places = await placesOf(page, '.tabbar > a')
  expect(new Set(places.map(([, , y]) => y)).size).toBe(1)
  const [, x = 0, , w = 0] = (places.at(-1) ?? []) as number[]
  expect(x + w).toBeLessThanOrEqual(width)
})

test('each field of a link has a label that stays when something is typed', async () => {
  const { slug } = await owner.makeBundle({ ...ONBOARDING })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, PHONE)
  await expand(page, 1)
  await openMore(page.locator('.link-row').nth(1))
  const labels = await page
    .locator('.link-row')
    .nth(1)
    .locator('.fields :is(input, textarea, select)')
    .evaluateAll((all) =>
      (all as HTMLInputElement[]).map(({ labels }) =>
        [...(labels ?? [])].map((label) => (label.checkVisibility() ? label.textContent.trim() : '')).join(),
      ),
    )
  expect(labels).toEqual(['Address', 'Title', 'Section', 'Tags, comma-separated', 'Opens', 'Check the link'])
})

/** A bundle in both scripts, whose title decides. */
const bothWays = (title: string) => ({
  title,
  urls: ['https://example.com/one', 'https://example.com/two'],
  urlMetadata: [{ note: `${HEBREW}\n${HEBREW}`, tags: [HEBREW] }, { note: 'From left to right' }],
})
const SIDES = [WIDE, PHONE].flatMap((size) =>
  (
    [
      ['right', HEBREW],
      ['left', 'Both ways'],
    ] as const
  ).map(([side, title]) => ({ side, title, size })),
)

/** The ends of the texts of all rows at a side. */
const endsOf = (rows: Locator, parts: string[], side: 'left' | 'right') =>
  rows.evaluateAll(
    (all, { parts, side }) =>
      all.flatMap((row) =>
        parts.flatMap((part) => {
          const found = row.querySelector(part)
          if (found === null) return []
          const range = document.createRange()
          range.selectNodeContents(found)
          return [Math.round(range.getBoundingClientRect()[side])]
        }),
      ),
    { parts, side },
  )

test.each(SIDES)('rows in two scripts are read from one side, the $side', async ({ side, title, size }) => {
  const { url } = await owner.makeBundle(bothWays(title))
  const { page } = await stage.open(url, null, size)
  const rows = page.locator('.tabs > li')
  const ends = await endsOf(rows, ['.name', '.where', '.note', '.tags li'], side)
  // The text of a tag has a margin of its own.
  expect([ends.length, Math.max(...ends) - Math.min(...ends) < 10]).toEqual([6, true])
  const tiles = await rows.locator('.tile').evaluateAll((all) => all.map((tile) => tile.getBoundingClientRect().x))
  expect(tiles[0]).toBe(tiles[1] ?? 0)
  const [end = 0] = ends
  expect(side === 'right' ? (tiles[0] ?? 0) > end : (tiles[0] ?? 0) < end).toBe(true)
})

test.each(SIDES)('so it is for members who may only read, from the $side', async ({ side, title, size }) => {
  const [admin, viewer] = [await newPerson(stage.server), await newPerson(stage.server)]
  const { id } = await newOrganization(admin, [[viewer, 'viewer']])
  await actFor(admin, id)
  const { slug } = await admin.makeBundle(bothWays(title))
  const { page } = await stage.open(`/dashboard/links/${slug}`, viewer, size)
  const parts = ['.tile', '.called', '.at', '.tag:not([hidden])']
  const rows = await page
    .locator('.reading > li')
    .evaluateAll(
      (rows, parts) =>
        rows.map((row) =>
          parts
            .map((part) => row.querySelector(part)?.getBoundingClientRect())
            .flatMap((at) => (at === undefined ? [] : [(at.left + at.right) / 2])),
        ),
      parts,
    )
  // The tile begins each row, on the same side.
  const end = side === 'right' ? Math.max : Math.min
  expect(rows.map((row) => [row.length, row[0] === end(...row)])).toEqual([
    [4, true],
    [3, true],
  ])
})

test.each([WIDE, PHONE])('after rules are saved, the page stays where it was scrolled to: %j', async (options) => {
  const rules = Array.from({ length: 14 }, (_, at) => ({ ...RULE, name: `Rule ${at}` }))
  const { slug } = await owner.makeBundle({ resolutionPolicy: { version: 1, rules } })
  const { page } = await stage.open(`/dashboard/links/${slug}/policy`, owner, options)
  const edit = page.locator('#rules-6-edit')
  await edit.scrollIntoViewIfNeeded()
  await edit.click()
  await page.locator('#rules-6-name').fill('Rule nine')
  await page.locator('#rules-6').evaluate((rule) => rule.scrollIntoView())
  const before = await page.evaluate(() => scrollY)
  expect(before).toBeGreaterThan(100)
  await page.getByRole('button', { name: 'Save rules' }).click()
  await page.locator('.flash').waitFor()
  expect(Math.abs((await page.evaluate(() => scrollY)) - before)).toBeLessThanOrEqual(2)
})
