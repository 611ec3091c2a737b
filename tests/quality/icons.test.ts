import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { axeViolations, overflowOf } from '../browser/flaws.ts'
import { ORDINARY } from '../browser/ordinary.ts'
import { setStage } from '../browser/stage.ts'
import { weigh } from '../browser/weight.ts'
import { startIconSites } from '../contract/icon-sites.ts'
import { becomes, eventually } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'

// Pages with icons of sites: the scenes of pages.test.ts have letters.

const stage = setStage({ env: { SERVICE_ICONS: 'on', SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' } })
const sites = startIconSites()
afterAll(() => sites.stop())

let owner: Person
let slug: string
const NAMES = ['png', 'light', 'dark', 'svg', 'none']
beforeAll(async () => {
  owner = await newPerson(stage.server)
  const urls = ORDINARY.urls.map((url, at) => sites.at(`${NAMES[at % 5]}.${at}`, new URL(url).pathname))
  ;({ slug } = await owner.makeBundle({ ...ORDINARY, urls }))
  const launcher = async () => (await owner.fetch(`/l/${slug}`)).text()
  await eventually(async () => (await launcher()).match(/"tile favicon/g)?.length === 20, 'the launcher has its icons')
})

/** Opens a page, and collects the origins that it asks. */
async function openWatched(path: string, as: Person | null) {
  const { page } = await stage.open('/healthz', as, { viewport: { width: 1280, height: 844 }, reducedMotion: 'reduce' })
  const asked = new Set<string>()
  page.on('request', (request) => asked.add(new URL(request.url()).origin))
  const weight = await weigh(page)
  await page.goto(path)
  return { page, asked, weight }
}

async function expectSound(page: Page, path: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const violations = await axeViolations(page, { colorsAlone: colorScheme === 'dark' })
    expect([path, colorScheme, violations]).toEqual([path, colorScheme, []])
  }
  for (const width of [1280, 390, 320]) {
    await page.setViewportSize({ width, height: 844 })
    expect([path, width, Math.max(0, await overflowOf(page))]).toEqual([path, width, 0])
  }
}

/** The grounds on which icons stand that are themselves light, and dark. */
const grounds = (page: Page) =>
  page.evaluate(() =>
    ['light', 'dark'].map((tone) => {
      const icon = document.querySelector(`.tabs .favicon.${tone}`)
      return icon !== null && getComputedStyle(icon).backgroundColor !== 'rgba(0, 0, 0, 0)'
    }),
  )

test('a launcher with icons is sound: no axe violations, no overflow at 320 pixels, no other origin, at most 21 KB', async () => {
  const { page, asked, weight } = await openWatched(`/l/${slug}`, null)
  await page.locator('.favicon').last().scrollIntoViewIfNeeded()
  const loaded = () =>
    page
      .locator('.favicon')
      .evaluateAll((all) => all.filter((one) => (one as HTMLImageElement).naturalWidth === 0).length)
  await page.locator('.favicon').evaluateAll((all) => {
    for (const one of all) one.setAttribute('loading', 'eager')
  })
  await becomes(loaded, 0)
  expect(await weight.bytes()).toBeLessThanOrEqual(21 * 1024)
  await expectSound(page, 'launcher')
  expect([...asked]).toEqual([stage.server.origin])
})

test('an icon that its ground would swallow has a plate, in either scheme', async () => {
  const { page } = await openWatched(`/l/${slug}`, null)
  await page.emulateMedia({ colorScheme: 'light' })
  expect(await grounds(page)).toEqual([true, false])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await grounds(page)).toEqual([false, true])
})

test('so are the dashboard’s pages with icons', async () => {
  for (const path of ['/dashboard', `/dashboard/links/${slug}`, `/dashboard/links/${slug}/versions`]) {
    const { page, asked } = await openWatched(path, owner)
    const sizes = await page
      .locator('main .tile:not(.more)')
      .evaluateAll((all) => all.map((one) => [one.clientWidth, one.clientHeight].join()))
    expect([path, sizes.length > 2, [...new Set(sizes)]]).toEqual([path, true, ['24,24']])
    await expectSound(page, path)
    expect([...asked]).toEqual([stage.server.origin])
  }
})
