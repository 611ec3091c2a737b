import { beforeAll, expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import { setStage } from '../browser/stage.ts'
import { DESK } from '../browser/variables.ts'
import { newPerson, type Person } from '../people.ts'

const stage = setStage({ popups: 'allowed' })
let owner: Person
beforeAll(async () => {
  owner = await newPerson(stage.server)
})

const open = async (path: string) => (await stage.open(path, owner, { forcedColors: 'active' })).page

/** The colours that could distinguish an element from its neighbours. */
const paint = (element: Locator) =>
  element.evaluate((node) => {
    const { backgroundColor, color, textDecorationLine, fill, stroke } = getComputedStyle(node)
    return [backgroundColor, color, textDecorationLine, fill, stroke].join(' ')
  })

test('the current section, tab and range are recognisable in forced colours', async () => {
  const { slug } = await owner.makeBundle()
  const page = await open(`/dashboard/links/${slug}/insights`)
  for (const list of ['.sections', '.tabbar', '.segments']) {
    const [current, other] = [page.locator(`${list} a[aria-current]`), page.locator(`${list} a:not([aria-current])`)]
    expect([list, await paint(current.first())]).not.toEqual([list, await paint(other.first())])
  }
})

test('the stubs and the picture of the home page stay visible in forced colours', async () => {
  const page = await open('/')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const place of ['.uses .stub', '.magic .fan g']) {
    const { x, y } = (await page.locator(place).first().boundingBox()) ?? { x: 0, y: 0 }
    const seen = (down: number) =>
      page.screenshot({ clip: { x: x + 2, y: y + down, width: 6, height: 6 }, fullPage: true })
    const [drawn, ground] = [await seen(4), await seen(-12)]
    expect([place, drawn]).not.toEqual([place, ground])
  }
})

test('a selected day, the current view of the rules and the bars of a chart keep a system colour', async () => {
  const week = { op: 'timeWindow', days: ['mon'], from: '09:00', to: '17:00', timeZone: 'UTC' }
  const rule = { name: 'Mondays', when: week, tabs: [{ url: 'https://m.example/' }] }
  const { slug } = await owner.makeBundle({ resolutionPolicy: { version: 1, rules: [rule] } })
  const rules = await open(`/dashboard/links/${slug}/policy`)
  await rules.getByRole('button', { name: 'Edit Mondays' }).click()
  const day = (isChecked: boolean) => rules.locator(`.day input${isChecked ? ':checked' : ':not(:checked)'} + span`)
  await day(true).first().waitFor()
  expect(await paint(day(true).first())).not.toBe(await paint(day(false).first()))
  const switches = await rules.locator('.switch').all()
  expect(switches.length).toBeGreaterThan(1)
  for (const one of switches) {
    const [on, off] = [one.locator('[aria-pressed="true"]'), one.locator('[aria-pressed="false"]')]
    expect(await paint(on)).not.toBe(await paint(off))
  }
  const today = new Date().toISOString().slice(0, 10)
  const insert = "INSERT INTO daily_counters SELECT id, ?, '', 5, 2 FROM bundles WHERE slug = ?"
  await stage.server.sql(insert, [today, slug])
  const insights = await open(`/dashboard/links/${slug}/insights`)
  const fill = await insights
    .locator('.share rect:not(.whole)')
    .first()
    .evaluate((node) => getComputedStyle(node).fill)
  const highlight = await insights.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'))
    probe.style.cssText = 'forced-color-adjust: none; color: Highlight'
    return getComputedStyle(probe).color
  })
  expect(fill).toBe(highlight)
})

/** What is left of an element where the colours of pages are gone: its lines. */
const lines = (element: Locator) =>
  element.evaluate((node) => {
    const { borderStyle, borderWidth, outlineStyle, outlineWidth, textDecorationLine } = getComputedStyle(node)
    const drawn = (style: string, width: string) => (style === 'none' || width === '0px' ? null : `${style} ${width}`)
    const underline = textDecorationLine === 'none' ? null : textDecorationLine
    return { border: drawn(borderStyle, borderWidth), outline: drawn(outlineStyle, outlineWidth), underline }
  })

test('blanks, values, fields, what is wrong and the focus of a launcher with variables have lines in forced colours', async () => {
  const { slug } = await owner.makeBundle(DESK)
  const blank = await open(`/l/${slug}`)
  for (const place of ['h1', '.tab .name', '.tab .where']) {
    expect([place, (await lines(blank.locator(`${place} .blank`).first())).border]).toEqual([
      place,
      expect.stringMatching(/^dashed [\d.]+px$/),
    ])
  }
  expect((await lines(blank.locator('#value-customer'))).outline).toBe('solid 2px')
  expect((await lines(blank.locator('#value-range'))).border).toBe('solid 1px')
  await blank.keyboard.press('Tab')
  expect((await lines(blank.locator('#value-range'))).outline).toBe('solid 2px')

  const wrong = await open(`/l/${slug}?customer=..`)
  await wrong.evaluate(() => (document.activeElement as HTMLElement).blur())
  expect(await lines(wrong.locator('#value-customer'))).not.toEqual(await lines(wrong.locator('#value-range')))

  // The arrow of a list is drawn by the browser: a background would be gone.
  const looks = async (list: Locator) => list.evaluate((node) => getComputedStyle(node).appearance)
  expect(await looks(blank.locator('#value-range'))).not.toBe('none')
  expect(await looks((await open('/dashboard')).locator('select').first())).not.toBe('none')

  const filled = await open(`/l/${slug}/4711`)
  for (const place of ['h1', '.tab .name', '.tab .where', '.pick']) {
    expect([place, (await lines(filled.locator(`${place} .value`).first())).underline]).toEqual([place, 'underline'])
  }
  expect((await lines(filled.locator('.pick').first())).border).toBe('solid 1px')
  await filled.keyboard.press('Tab')
  expect((await lines(filled.locator('.pick').first())).outline).toBe('solid 2px')
})

test('a value is as readable in forced colours as the text around it', async () => {
  const { slug } = await owner.makeBundle(DESK)
  const page = await open(`/l/${slug}/4711`)
  const paints = await page.locator('h1, h1 .value, .pick .value, .tab .where .value').evaluateAll((nodes) =>
    nodes.map((node) => {
      const { color, backgroundImage } = getComputedStyle(node)
      return `${color} ${backgroundImage}`
    }),
  )
  expect(new Set(paints).size).toBeLessThanOrEqual(2)
  for (const paint of paints) expect(paint).toEndWith(' none')
})
