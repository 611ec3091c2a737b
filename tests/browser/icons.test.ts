import { afterAll, expect, test } from 'bun:test'
import { startIconSites } from '../contract/icon-sites.ts'
import { becomes, eventually } from '../eventually.ts'
import { newPerson } from '../people.ts'
import { openMore } from './links.ts'
import { setStage } from './stage.ts'

const stage = setStage({ env: { SERVICE_ICONS: 'on', SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' } })
const sites = startIconSites()
afterAll(() => sites.stop())

/** The width of each icon as it was loaded; a letter for a site without one. */
const SHOWN = `[...document.querySelectorAll('.tabs .tile')].map((tile) => tile.naturalWidth ?? tile.textContent)`

test('a launcher shows icons without moving anything, from this service alone, those further down only when they are near', async () => {
  const owner = await newPerson(stage.server)
  const named = ['png', 'none', 'light', 'svg', 'dark', 'gif', 'ico', 'jpg']
  // Far enough down that the last is not loaded at once.
  const urls = [
    ...named.map((name) => sites.at(name)),
    ...Array.from({ length: 16 }, (_, at) => sites.at('none', `/${at}`)),
  ]
  const { slug } = await owner.makeBundle({ urls: [...urls, sites.at('webp')] })
  await eventually(
    async () => (await (await owner.fetch(`/l/${slug}`)).text()).match(/"tile favicon/g)?.length === 8,
    'the launcher has its icons',
  )
  const { page } = await stage.open('/', null, { viewport: { width: 390, height: 400 } })
  const requests: string[] = []
  page.on('request', (request) => requests.push(new URL(request.url()).origin))
  await page.addInitScript(`self.moved = 0
    new PerformanceObserver((list) => { for (const { value } of list.getEntries()) self.moved += value })
      .observe({ type: 'layout-shift', buffered: true })`)
  await page.goto(`/l/${slug}`)
  await becomes(async () => ((await page.evaluate(SHOWN)) as unknown[]).slice(0, 6), [64, 'N', 64, 64, 64, 64])
  const lazy = await page.locator('.favicon').evaluateAll((all) => all.map((one) => one.getAttribute('loading')))
  expect(lazy).toEqual([null, null, null, null, null, 'lazy', 'lazy', 'lazy'])
  const sizes = await page
    .locator('.tabs .tile')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width))
  expect(new Set(sizes)).toEqual(new Set([32]))
  await page.locator('.favicon').last().scrollIntoViewIfNeeded()
  await becomes(async () => ((await page.evaluate(SHOWN)) as unknown[]).at(-1), 64)
  expect([await page.evaluate('self.moved'), [...new Set(requests)]]).toEqual([0, [stage.server.origin]])
})

test('the preview beside the editor shows them too, and letters once they are switched off', async () => {
  const owner = await newPerson(stage.server)
  const { slug } = await owner.makeBundle({ urls: [sites.at('png'), sites.at('none')] })
  await eventually(
    async () => (await (await owner.fetch(`/l/${slug}`)).text()).includes('"tile favicon'),
    'the launcher has its icon',
  )
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner, { viewport: { width: 1280, height: 900 } })
  const preview = page.frameLocator('iframe').first()
  const shown = (): Promise<(number | string | null)[]> =>
    preview
      .locator('.tabs .tile')
      .evaluateAll((all) => all.map((tile) => (tile as HTMLImageElement).naturalWidth ?? tile.textContent))
      // Another frame takes its place whenever the form has changed.
      .catch(() => [])
  await becomes(shown, [64, 'N'])
  await openMore(page.locator('.beside'))
  await page.getByLabel('Show site icons').uncheck()
  await becomes(shown, ['P', 'N'])
})

test('a row of the editor has the icon that is found of its link, for as long as the address is on that site', async () => {
  const owner = await newPerson(stage.server)
  const { slug } = await owner.makeBundle({ urls: [sites.at('none.71')] })
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  await page.locator('.link-row summary').first().click()
  const url = page.locator('.link-row [name=url]')
  const tile = (): Promise<(number | string | null)[]> =>
    page
      .locator('.link-row .line .tile')
      .evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth ?? one.textContent))
  await url.fill(sites.at('png.71'))
  await becomes(tile, ['P'])
  await url.blur()
  await becomes(tile, [64])
  await url.fill(sites.at('png.71', '/another/page'))
  await becomes(tile, [64])
  await url.fill(sites.at('none.71'))
  await becomes(tile, ['N'])
  await url.fill(sites.at('png.71'))
  await becomes(tile, [64])
  await openMore(page.locator('.beside'))
  await page.getByLabel('Show site icons').uncheck()
  await url.fill(sites.at('png.71', '/letters'))
  await becomes(tile, ['P'])
})
