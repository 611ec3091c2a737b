import { afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import type { NewBundle } from '../../src/bundles/content/shapes.ts'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { startDestinations } from './destinations.ts'
import { noteEvents } from './launcher-events.ts'
import { setStage } from './stage.ts'
import { deskAt, sentAt } from './variables.ts'

const stage = setStage({ popups: 'allowed' })
let owner: Person
let destinations: ReturnType<typeof startDestinations>

beforeAll(async () => {
  owner = await newPerson(stage.server)
})
beforeEach(() => {
  destinations = startDestinations()
})
afterEach(() => destinations.stop())

async function launcher(bundle: NewBundle, at = '') {
  const { slug } = await owner.makeBundle(bundle)
  const { page } = await stage.open('about:blank', null)
  const noted = noteEvents(page, slug)
  await page.goto(`${stage.server.origin}/l/${slug}${at}`)
  const told = async () => {
    const { body } = await owner.api<{ tabs: { opens: number }[] }>('GET', `/api/links/${slug}/insights`)
    return body.tabs.map(({ opens }) => opens)
  }
  return { page, told, ...noted }
}

/** The link of a tab, with the launcher in front. */
async function tab(page: Page, at: number) {
  await page.bringToFront()
  return page.locator('a.tab').nth(at)
}

test('a tab counts once however it is opened: click, middle button, ctrl or shift, keyboard; then Open all opens the rest', async () => {
  const { page, told, events, opens } = await launcher({ urls: destinations.urls(7) })
  const ways: ((link: Locator) => Promise<void>)[] = [
    (link) => link.click(),
    (link) => link.click({ button: 'middle' }),
    (link) => link.click({ modifiers: ['ControlOrMeta'] }),
    (link) => link.click({ modifiers: ['Shift'] }),
    (link) => link.press('Enter'),
  ]
  for (const [at, open] of ways.entries()) {
    await open(await tab(page, at))
    // Not the visits: the browser may let a tab in the background wait.
    await becomes(() => page.locator('li.opened').count(), at + 1)
  }
  // What is chosen in the menu of the right button is not known.
  await (await tab(page, 5)).click({ button: 'right' })
  await becomes(told, [1, 1, 1, 1, 1, 0, 0])
  expect(events).toEqual([])
  await page.bringToFront()
  await page.click('#open')
  await becomes(told, [1, 1, 1, 1, 1, 1, 1])
  expect([events.length, opens.length]).toEqual([1, 7])
  // By hand once more is another opening, and so is all of them.
  await (await tab(page, 2)).click()
  await page.bringToFront()
  await page.getByRole('button', { name: 'Open again' }).click()
  await becomes(told, [2, 2, 3, 2, 2, 2, 2])
})

test('what was opened before a reload is not counted again, and a page that is left tells what it knows', async () => {
  const { page, told } = await launcher({ urls: destinations.urls(3) })
  await (await tab(page, 0)).click({ modifiers: ['ControlOrMeta'] })
  await page.reload()
  await becomes(told, [1, 0, 0])
  expect(await page.locator('li.opened').count()).toBe(1)
  await (await tab(page, 1)).click({ modifiers: ['ControlOrMeta'] })
  await page.close({ runBeforeUnload: true })
  await becomes(told, [1, 1, 0])
})

test('of a filled launcher the links themselves are told, as the bundle has them, and no value', async () => {
  const urls = destinations.urls(3)
  const desk = deskAt([urls[0]!, urls[1]!.toUpperCase().replace('HTTP', 'http'), urls[2]!])
  const { page, told, opens, sent } = await launcher(desk, '?customer=47%2011')
  await page.click('#open')
  await becomes(() => destinations.visits.length, 3)
  await becomes(told, [1, 1, 1])
  expect(opens).toEqual(desk.urls)
  await page.bringToFront()
  await page.click('.pick')
  await page.keyboard.type('8154711')
  await page.keyboard.press('Enter')
  await becomes(told, [2, 2, 2])
  expect(destinations.addresses).toContain(sentAt('8154711')[0]!)
  expect(sent.join()).not.toMatch(/47 11|47%2011|47\+11|8154711/)
})
