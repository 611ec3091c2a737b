import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { NewBundle } from '../../src/bundles/content/shapes.ts'
import { dateOf } from '../../src/core/dates.js'
import { becomes } from '../eventually.ts'
import { newPerson } from '../people.ts'
import { createBundle } from './service.ts'
import { setStage } from './stage.ts'

const stage = setStage()

const LOGS = {
  title: 'Logs of {day}',
  urls: ['https://logs.example/{day}', 'https://deploys.example/{week}'],
  variables: [
    { name: 'day', default: '=today' },
    { name: 'week', default: '=week' },
  ],
}
/** At any time, one of them has another day than UTC. */
const FAR = new Date().getUTCHours() < 12 ? 'Etc/GMT+12' : 'Pacific/Kiritimati'

const open = async (query = '', content: NewBundle = LOGS, timezoneId = FAR) => {
  const { slug } = await createBundle(stage.server.origin, content)
  const { page } = await stage.open(`/l/${slug}${query}`, null, { timezoneId })
  return page
}
const hrefs = (page: Page) =>
  page.locator('a.tab').evaluateAll((tabs) => tabs.map((tab) => (tab as HTMLAnchorElement).href))
const linksAt = (zone: string) => [
  `https://logs.example/${dateOf('=today', zone)}`,
  `https://deploys.example/${dateOf('=week', zone)}`,
]

test('a page fills dates in by the zone of its browser, and so does its bookmarks file', async () => {
  expect(dateOf('=today', FAR)).not.toBe(dateOf('=today', 'UTC'))
  const page = await open()
  await becomes(() => hrefs(page), linksAt(FAR))
  expect(await page.textContent('h1')).toBe(`Logs of ${dateOf('=today', FAR)}`)
  expect(new URL(page.url()).search).toBe('')
  expect(await page.getAttribute('#bookmarks', 'href')).toEndWith(`?tz=${encodeURIComponent(FAR)}`)
})

test('the zone of the address comes first, and a sent date stays', async () => {
  const utc = await open('?tz=UTC')
  await becomes(() => hrefs(utc), linksAt('UTC'))
  const today = dateOf('=today', 'UTC')
  const sent = await open(`?day=${today}`)
  await becomes(() => hrefs(sent), [`https://logs.example/${today}`, linksAt(FAR)[1] ?? ''])
})

test('a link that is copied after a change has the change alone', async () => {
  const page = await open()
  await page.locator('.given .pick').first().click()
  expect(await page.locator('#value-day').getAttribute('placeholder')).toBe(dateOf('=today', FAR))
  await page.fill('#value-day', '2020-02-29')
  await page.locator('#value-day').blur()
  await becomes(() => new URL(page.url()).search, '?day=2020-02-29')
  await page.fill('#value-day', '')
  await becomes(() => hrefs(page), linksAt(FAR))
})

test('where a rule reads the date, the service chooses the tabs by the zone of the browser', async () => {
  const owner = await newPerson(stage.server)
  const when = { op: 'equals', field: 'query.day', value: dateOf('=today', FAR) }
  const rules = [{ name: 'There', when, tabs: [{ url: 'https://there.example/' }] }]
  const { slug } = await owner.makeBundle({ ...LOGS, resolutionPolicy: { version: 1, rules } })
  const { page } = await stage.open(`/l/${slug}`, null, { timezoneId: FAR })
  await becomes(() => hrefs(page), ['https://there.example/'])
  expect(await page.textContent('#open')).toContain('Open')
})

test('a page that was left open overnight has the dates of the next day once it is shown', async () => {
  const { slug } = await createBundle(stage.server.origin, LOGS)
  const { page } = await stage.open('/healthz', null, { timezoneId: 'UTC' })
  await page.goto(`/l/${slug}`)
  await becomes(() => hrefs(page), linksAt('UTC'))
  await page.evaluate(() => {
    const { now } = Date
    Date.now = () => now() + 86_400_000
    document.body.dataset.before = ''
    dispatchEvent(new Event('pageshow'))
  })
  await page.waitForSelector('body:not([data-before])')
  await becomes(() => hrefs(page), linksAt('UTC'))
})

test('the editor offers the dates and shows what they are today', async () => {
  const owner = await newPerson(stage.server)
  const { slug } = await owner.makeBundle(LOGS)
  const { page } = await stage.open(`/dashboard/links/${slug}`, owner)
  await page.locator('#variables .menu summary').first().click()
  const today = dateOf('=today', 'UTC')
  expect(await page.locator('#variables .menu .hint').first().textContent()).toContain(`Today it is ${today}`)
  const offered = page.locator('#date-defaults option')
  expect(await offered.count()).toBe(5)
  expect(await offered.first().getAttribute('label')).toContain(today)
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/editor.png` })
})
