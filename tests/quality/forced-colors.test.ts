import { beforeAll, expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import { setStage } from '../browser/stage.ts'
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

test('the ticks of the home page stay visible in forced colours', async () => {
  const page = await open('/')
  const { x, y } = (await page.locator('.promises li').first().boundingBox()) ?? { x: 0, y: 0 }
  const seen = (down: number) => page.screenshot({ clip: { x, y: y + down, width: 15, height: 22 } })
  const [tick, ground] = [await seen(0), await seen(24)]
  expect(tick).not.toEqual(ground)
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
  const view = (isPressed: boolean) => rules.locator(`.switch [aria-pressed="${isPressed}"]`)
  expect(await paint(view(true))).not.toBe(await paint(view(false)))
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
