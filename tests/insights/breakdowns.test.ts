import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Batches, Counter, MAX_WAITING } from '../../src/launcher/batches.ts'
import { MAX_VALUES } from '../../src/launcher/breakdowns.ts'
import { addValues } from '../../src/launcher/opens.ts'
import { Recorder } from '../../src/launcher/recorder.ts'
import { becomes } from '../eventually.ts'
import { breakdowns, counted, type Fixture, headersOf, log, newFixture, rows, through } from './support.ts'

// Many values, a lost answer and midnight cannot be had at the front door.

const DAY = '2026-11-20'
let fixture: Fixture
let recorder: Recorder

beforeEach(async () => {
  fixture = await newFixture(`${DAY}T12:00:00Z`)
  recorder = await Recorder.start(fixture.store, log, fixture.now, undefined, { authority: 'openall.example' })
})
afterEach(async () => {
  await recorder.stop()
  await fixture.close()
})

const counter = new Counter(1, '')
const look = (headers: Record<string, string>, by = recorder, of = counter) =>
  by.view(of, '192.0.2.1', headersOf(headers))
const from = (host: string) => ({ referer: `https://${host}/` })
const of = async (dimension: string) =>
  (await breakdowns(fixture.store)).filter((row) => row[2] === dimension).map(([, , , value, views]) => [value, views])

test('a view is counted by each of what its headers say, and by no two at once', async () => {
  look({ 'accept-language': 'de-AT,de;q=0.9', referer: 'https://news.example/a?b=c' })
  look({
    'accept-language': 'de',
    'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148',
  })
  look({ 'accept-language': 'fr;q=0.5, en-GB' })
  await recorder.flush()
  expect(await breakdowns(fixture.store)).toEqual([
    [1, DAY, 'device', 'desktop', 2],
    [1, DAY, 'device', 'mobile', 1],
    [1, DAY, 'language', 'de', 2],
    [1, DAY, 'language', 'en', 1],
    [1, DAY, 'referrer', '', 2],
    [1, DAY, 'referrer', 'news.example', 1],
  ])
})

test('of a referrer only the host counts, and none of the service’s own pages', async () => {
  for (const referer of [
    'https://NEWS.example/private/path?and=query#and',
    'https://news.example:8443/',
    'http://news.example',
    'https://openall.example/dashboard',
    'https://openall.example:9/other',
    'android-app://com.example.mail/',
    'http://[2001:db8::1]/',
    'https://xn--mnchen-3ya.example/',
    'https://münchen.example/',
    'about:blank',
    'nonsense',
    'file:///home/me/secret.html',
    `https://${'a'.repeat(300)}.example/`,
    'https://*/',
    '',
  ]) {
    look({ referer: encodeURI(referer).replaceAll('%5B', '[').replaceAll('%5D', ']') })
  }
  await recorder.flush()
  expect(await of('referrer')).toEqual([
    ['', 7],
    ['news.example', 3],
    ['xn--mnchen-3ya.example', 2],
    ['[2001:db8::1]', 1],
    ['com.example.mail', 1],
    ['openall.example', 1],
  ])
})

test('bots are not counted, and clicks are no views', async () => {
  look({ 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)', referer: 'https://news.example/' })
  recorder.openAll(counter, headersOf({}))
  await recorder.flush()
  expect(await breakdowns(fixture.store)).toEqual([])
})

test('countries are counted where the operator names their header', async () => {
  const there = await Recorder.start(fixture.store, log, fixture.now, undefined, { countryHeader: 'x-country' })
  for (const country of ['at', 'AT', 'XX', '', 'spoofed, DE', 'T1', 'Austria']) look({ 'x-country': country }, there)
  await there.stop()
  look({ 'x-country': 'FR' })
  await recorder.flush()
  expect(await of('country')).toEqual([
    ['', 4],
    ['AT', 2],
    ['DE', 1],
  ])
})

test('whoever makes up referrers fills neither the memory nor the store, and a referrer that is known stays', async () => {
  for (let round = 0; round < 3; round += 1) look(from('news.example'))
  await recorder.flush()
  for (let flush = 0; flush < 3; flush += 1) {
    look(from('news.example'))
    for (let n = 0; n < 500; n += 1) look(from(`made-up-${flush}-${n}.example`))
    await recorder.flush()
  }
  const stored = await of('referrer')
  expect(stored.length).toBeLessThanOrEqual(MAX_VALUES + 1)
  expect(stored[0]?.[0]).toBe('*')
  expect(stored.reduce((sum, [, views]) => sum + Number(views), 0)).toBe(3 + 3 * 501)
  expect(stored).toContainEqual(['news.example', 6])
  // Each day, bundle and dimension has its own.
  look(from('late.example'), recorder, new Counter(2, ''))
  fixture.set('2026-11-21T00:00:00Z')
  look(from('late.example'))
  await recorder.flush()
  expect((await of('referrer')).filter(([value]) => value === 'late.example')).toHaveLength(2)
  expect(await of('device')).toContainEqual(['desktop', 3 + 3 * 501])
})

test('a value that is new to the day is named while there is room, however many known ones come with it', async () => {
  for (let n = 0; n < 60; n += 1) look(from(`known-${n}.example`))
  await recorder.flush()
  for (let n = 0; n < 120; n += 1) look(from(`known-${n % 60}.example`))
  for (let n = 0; n < 30; n += 1) look(from(`new-${n}.example`))
  await recorder.flush()
  const stored = await of('referrer')
  expect(stored).toHaveLength(90)
  expect(stored.filter(([value]) => value === '*')).toEqual([])
})

test('the day’s values are bounded for all processes together, whatever rule was matched', async () => {
  const other = await fixture.open()
  const both = [recorder, await Recorder.start(other, log, fixture.now)]
  for (const [at, by] of both.entries()) {
    for (const rule of ['', 'r_0000000001']) {
      const own = new Counter(1, rule)
      for (let n = 0; n < 60; n += 1) look(from(`site-${at}${rule === '' ? 'a' : 'b'}-${n}.example`), by, own)
    }
    look({ ...from('both.example'), 'accept-language': 'en' }, by, new Counter(1, ''))
  }
  await Promise.all(both.map((one) => one.flush()))
  await both[1]!.stop()
  await other.close()
  const [[values, views] = []] = await rows(
    fixture.store,
    "SELECT count(*), sum(views) FROM daily_breakdowns WHERE dimension = 'referrer'",
  )
  expect(values).toBeLessThanOrEqual(MAX_VALUES + 1)
  expect(views).toBe(242)
  expect(await of('language')).toEqual([
    ['', 240],
    ['en', 2],
  ])
})

test('many values are written later than their views, all of them at the latest when the process stops', async () => {
  await recorder.flush()
  for (let n = 0; n < 6_000; n += 1) look(from(`site-${n}.example`))
  await becomes(() => counted(fixture.store), [[1, DAY, 6_000, 0]])
  expect(await breakdowns(fixture.store)).toEqual([])
  await recorder.stop()
  expect(await of('device')).toEqual([['desktop', 6_000]])
  expect((await of('referrer')).reduce((sum, [, views]) => sum + Number(views), 0)).toBe(6_000)
})

test('a view in the last millisecond of a day belongs to it, and a lost answer counts nothing twice', async () => {
  let losses = 0
  const lossy = through(fixture.store, async (write) => {
    const result = await write()
    if (losses++ === 0) throw new Error('the answer was lost')
    return result
  })
  const careful = await Recorder.start(lossy, log, fixture.now)
  fixture.set(`${DAY}T23:59:59.999Z`)
  look(from('a.example'), careful)
  fixture.set('2026-11-21T00:00:00.000Z')
  look(from('a.example'), careful)
  await careful.stop()
  expect(losses).toBeGreaterThan(1)
  expect((await breakdowns(fixture.store)).filter((row) => row[2] === 'referrer')).toEqual([
    [1, DAY, 'referrer', 'a.example', 1],
    [1, '2026-11-21', 'referrer', 'a.example', 1],
  ])
})

test('a bundle that is deleted for good takes its breakdowns along', async () => {
  look(from('a.example'))
  await recorder.flush()
  await fixture.store.db.run('DELETE FROM bundles WHERE id = 1')
  expect(await breakdowns(fixture.store)).toEqual([])
})

test('while the store is away, values leave room for views', () => {
  const batches = new Batches(fixture.store, log)
  batches.addRows(
    DAY,
    Array.from({ length: MAX_WAITING }, (_, bundle) => [bundle, 'device', 'desktop', 1, 0] as const),
    addValues,
  )
  expect(batches.rows).toBeLessThanOrEqual(MAX_WAITING / 2)
  const counters = Array.from({ length: MAX_WAITING / 2 }, (_, bundle) => new Counter(bundle, ''))
  expect(batches.add(DAY, counters, [])).toBe(true)
})
