import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { createBundle } from '../browser/service.ts'
import { deskAt, sentAt } from '../browser/variables.ts'
import { becomes } from '../eventually.ts'
import { type InProcess, startInProcess } from '../in-process.ts'
import { newPerson } from '../people.ts'
import { openScripted, type ScriptedPage } from './page.ts'

// The fields of a launcher with variables, and the countdown of one that opens later.

let server: InProcess
let page: ScriptedPage
beforeAll(async () => {
  server = await startInProcess()
})
afterEach(() => page.close())
afterAll(() => server.stop())

const FIELD = '#value-customer'
const pathsOf = (addresses: readonly string[]) =>
  addresses.map((address) => new URL(address).pathname + new URL(address).search)
/** The addresses that a value makes of the desk's links, as they are opened. */
const filled = (...values: string[]) => values.flatMap((value) => sentAt(value))

async function desk(at = '', perPress = Number.POSITIVE_INFINITY) {
  const urls = ['https://a.example/1', 'https://a.example/2', 'https://a.example/3']
  const { url, slug } = await createBundle(server.origin, deskAt(urls))
  page = await openScripted(url + at, { perPress })
  return slug
}

test.each(['/4711', '?customer=4711'])('opens what the address %s fills in', async (at) => {
  await desk(at)
  page.press('#open')
  expect(pathsOf(page.opened)).toEqual(filled('4711'))
  expect([page.text('#status'), page.count('li.opened')]).toEqual(['All 3 tabs are open.', 3])
})

test('what is typed fills every link at once, and has nothing open of the value before', async () => {
  const slug = await desk('/4711')
  page.press('#open')
  page.type(FIELD, '5')
  expect([page.count('li.opened'), page.text('#open')]).toEqual([0, 'Open all'])
  page.press('#open')
  expect(pathsOf(page.opened)).toEqual(filled('4711', '5'))
  page.leave()
  const clicks = () =>
    server.sql(
      'SELECT sum(open_all_clicks) AS sum FROM daily_counters JOIN bundles ON bundles.id = bundle_id WHERE slug = ?',
      [slug],
    )
  await becomes(clicks, [{ sum: 2 }])
})

test('starts over for a value that is changed half-way', async () => {
  await desk('?customer=4711', 1)
  page.press('#open')
  page.type(FIELD, '5')
  expect([page.text('#open'), page.one('#blocked').hidden, page.count('li.next, li.opened')]).toEqual([
    'Open all',
    true,
    0,
  ])
  for (let press = 1; press <= 3; press += 1) page.press('#open')
  expect(pathsOf(page.opened)).toEqual([filled('4711')[0] as string, ...filled('5')])
})

test('opens nothing that a refused value would lead to, in one press or many', async () => {
  await desk('?customer=..')
  page.press('#open')
  page.press('#open')
  expect(page.opened).toEqual([])
  expect(page.text('#value-customer-error')).toBe('Use another value: with this one, a link would lead elsewhere.')
  page.type(FIELD, '4711')
  page.press('#open')
  expect(pathsOf(page.opened)).toEqual(filled('4711'))
})

test.each([
  [90, 'in 90 seconds'],
  [3 * 3600, 'in 3 hours'],
  [5 * 86_400, 'in 5 days'],
])('a page that opens in %i seconds says so', async (seconds, words) => {
  const owner = await newPerson(server)
  const { slug } = await owner.makeBundle({ opensAt: new Date(Date.now() + seconds * 1000).toISOString() })
  page = await openScripted(`${server.origin}/l/${slug}`)
  expect(page.text('#away')).toBe(`, ${words}.`)
})
