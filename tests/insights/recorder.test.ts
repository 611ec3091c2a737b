import { afterEach, beforeEach, expect, test } from 'bun:test'
import { bundles } from '../../db/schema.ts'
import { Counter, MAX_WAITING } from '../../src/launcher/batches.ts'
import { Recorder } from '../../src/launcher/recorder.ts'
import { becomes } from '../eventually.ts'
import {
  awayWhile,
  counted,
  type Fixture,
  headersOf,
  log,
  newFixture,
  rows,
  through,
  VIEWER,
  viewers,
} from './support.ts'

// Lost answers, an unreachable database and a full queue cannot be caused from outside.

const DAY = '2026-11-20'
let fixture: Fixture

beforeEach(async () => {
  fixture = await newFixture(`${DAY}T12:00:00Z`)
})
afterEach(() => fixture.close())

test('a batch that was written but whose answer was lost is not counted twice', async () => {
  let losses = 0
  const lossy = through(fixture.store, async (write) => {
    const result = await write()
    if (losses++ === 0) throw new Error('the answer was lost')
    return result
  })
  const recorder = await Recorder.start(lossy, log, fixture.now)
  const counter = new Counter(1, '')
  recorder.view(counter, '192.0.2.1', VIEWER)
  recorder.openAll(counter, VIEWER)
  await recorder.flush()
  recorder.view(counter, '192.0.2.1', VIEWER)
  await recorder.stop()
  expect(losses).toBeGreaterThan(1)
  expect(await counted(fixture.store)).toEqual([[1, DAY, 2, 1]])
  expect(await viewers(fixture.store)).toEqual([[1, DAY, 1]])
})

test('counts made while the database is down are written when it is back', async () => {
  let isAway = false
  const store = awayWhile(fixture.store, () => isAway)
  const recorder = await Recorder.start(store, log, fixture.now)
  isAway = true
  const counters = [new Counter(1, ''), new Counter(2, '')] as const
  for (let round = 0; round < 5; round += 1) {
    for (const counter of counters) recorder.view(counter, `192.0.2.${round}`, VIEWER)
    recorder.openAll(counters[1], VIEWER)
    await recorder.flush()
  }
  expect(await counted(fixture.store)).toEqual([])
  isAway = false
  await recorder.stop()
  expect(await counted(fixture.store)).toEqual([
    [1, DAY, 5, 0],
    [2, DAY, 5, 5],
  ])
  expect(await viewers(fixture.store)).toEqual([
    [1, DAY, 5],
    [2, DAY, 5],
  ])
})

test('every count is stored exactly: with or without a rule, large or small, for any bundle id', async () => {
  const counts = [
    ...[1, 4094, 4095, 4096, 8190, 8191, 12_345, 1_000_000].map((many) => [2, '', many, 0]),
    ...[1, 4095, 4096, 100_000].map((many) => [2, '', 0, many]),
    [1, '', 70_000, 5],
    [1, '', 5, 70_000],
    [1, 'r_one', 70_000, 4096],
    [2 ** 29 - 2, '', 4095, 4095],
    [2 ** 29 - 1, '', 4095, 4095],
    [2 ** 29, '', 5000, 5000],
    [2 ** 40, '', 7, 9],
  ] as [number, string, number, number][]
  const row = { urls: ['https://a.example'], urlMetadata: [{}], source: 'api' as const, createdAt: 0, updatedAt: 0 }
  for (const id of [2 ** 29 - 2, 2 ** 29 - 1, 2 ** 29, 2 ** 40]) {
    await fixture.store.db.insert(bundles).values({ id, slug: `bundle${id}`, slugHash: `#${id}`, ...row })
  }
  const recorder = await Recorder.start(fixture.store, log, fixture.now)
  const sums = new Map<string, [number, number]>()
  for (const [id, rule, views, clicks] of counts) {
    const counter = new Counter(id, rule)
    recorder.openAll(counter, VIEWER)
    // A million single views would take too long.
    counter.views = views
    counter.openAllClicks = clicks
    await recorder.flush()
    const [before, clicksBefore] = sums.get(`${id} ${rule}`) ?? [0, 0]
    sums.set(`${id} ${rule}`, [before + views, clicksBefore + clicks])
  }
  await recorder.stop()
  const stored = await rows(fixture.store, 'SELECT bundle_id, rule_id, views, open_all_clicks FROM daily_counters')
  expect(new Map(stored.map(([id, rule, views, clicks]) => [`${id} ${rule}`, [views, clicks]]))).toEqual(
    sums as Map<string, unknown[]>,
  )
})

test('stopping waits for a database that is down for a moment', async () => {
  let isAway = false
  const store = awayWhile(fixture.store, () => isAway)
  const recorder = await Recorder.start(store, log, fixture.now)
  isAway = true
  recorder.view(new Counter(1, ''), '192.0.2.1', VIEWER)
  setTimeout(() => (isAway = false), 500)
  await recorder.stop()
  expect(await counted(fixture.store)).toEqual([[1, DAY, 1, 0]])
})

test('a full queue drops new counts, and writes those it holds', async () => {
  let isAway = true
  const store = through(fixture.store, (write) => (isAway ? Promise.reject(new Error('away')) : write()))
  const recorder = await Recorder.start(store, log, fixture.now)
  const [kept, late] = [new Counter(1, ''), new Counter(2, '')]
  recorder.view(kept, '192.0.2.1', VIEWER)
  await recorder.flush()
  // For missing bundles, whose counts take no time to write.
  for (let bundle = 0; bundle < MAX_WAITING; bundle += 1) recorder.openAll(new Counter(1000 + bundle, ''), VIEWER)
  await recorder.flush()
  for (let round = 0; round < 300; round += 1) {
    recorder.view(late, `192.0.2.${round}`, VIEWER)
    recorder.openAll(late, VIEWER)
    await recorder.flush()
  }
  isAway = false
  await recorder.flush()
  const [[views = 0] = []] = (await rows(
    fixture.store,
    'SELECT views FROM daily_counters WHERE bundle_id = 2',
  )) as number[][]
  expect(views).toBeLessThan(300)
  expect((await counted(fixture.store))[0]).toEqual([1, DAY, 1, 0])
  // A viewer whose count was dropped is counted again.
  recorder.view(late, '192.0.2.299', VIEWER)
  await recorder.stop()
  expect(await rows(fixture.store, 'SELECT views FROM daily_counters WHERE bundle_id = 2')).toEqual([[views + 1]])
  expect(await rows(fixture.store, 'SELECT viewers FROM daily_viewers WHERE bundle_id = 2')).toEqual([[views + 1]])
})

test('a returning viewer counts once; another address, browser or bundle counts separately', async () => {
  const recorder = await Recorder.start(fixture.store, log, fixture.now)
  const counter = new Counter(1, '')
  for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) recorder.view(counter, address, VIEWER)
  recorder.view(counter, '192.0.2.1', headersOf({ 'user-agent': 'Mozilla/5.0 Firefox/1.0' }))
  recorder.view(new Counter(1, 'r_0000000001'), '192.0.2.1', VIEWER)
  recorder.view(new Counter(2, ''), '192.0.2.1', VIEWER)
  await recorder.stop()
  expect(await rows(fixture.store, 'SELECT bundle_id, rule_id, views FROM daily_counters ORDER BY 1, 2')).toEqual([
    [1, '', 4],
    [1, 'r_0000000001', 1],
    [2, '', 1],
  ])
  expect(await viewers(fixture.store)).toEqual([
    [1, DAY, 3],
    [2, DAY, 1],
  ])
})

test('counts of a deleted bundle do not block others', async () => {
  const recorder = await Recorder.start(fixture.store, log, fixture.now)
  recorder.view(new Counter(999, ''), '192.0.2.1', VIEWER)
  recorder.view(new Counter(1, ''), '192.0.2.1', VIEWER)
  await recorder.stop()
  expect(await counted(fixture.store)).toEqual([[1, DAY, 1, 0]])
})

test('a batch that the database always refuses does not block those behind it', async () => {
  const recorder = await Recorder.start(fixture.store, log, fixture.now)
  const broken = new Counter(1, '')
  recorder.openAll(broken, VIEWER)
  broken.openAllClicks = -5
  await recorder.flush()
  recorder.view(new Counter(2, ''), '192.0.2.1', VIEWER)
  await recorder.stop()
  expect(await counted(fixture.store)).toEqual([[2, DAY, 1, 0]])
})

test('recorders of two processes on one file count together, and a viewer of both once', async () => {
  const other = await fixture.open()
  const recorders = await Promise.all([fixture.store, other].map((store) => Recorder.start(store, log, fixture.now)))
  for (let round = 0; round < 20; round += 1) {
    for (const recorder of recorders) {
      recorder.view(new Counter(1, ''), `192.0.2.${round}`, VIEWER)
      recorder.openAll(new Counter(1, ''), VIEWER)
    }
    await Promise.all(recorders.map((recorder) => recorder.flush()))
  }
  await Promise.all(recorders.map((recorder) => recorder.stop()))
  await other.close()
  expect(await counted(fixture.store)).toEqual([[1, DAY, 40, 40]])
  expect(await viewers(fixture.store)).toEqual([[1, DAY, 20]])
})

test('counts of one bundle from several counters are added up, with existing rows and without', async () => {
  const recorder = await Recorder.start(fixture.store, log, fixture.now)
  const add = (bundleId: number, views: number, clicks: number) => {
    const counter = new Counter(bundleId, '')
    recorder.openAll(counter, VIEWER)
    counter.views = views
    counter.openAllClicks = clicks
  }
  add(1, 3, 1)
  await recorder.flush()
  // As after an edit, which starts a new counter. Bundle 3 does not exist.
  for (const [views, clicks] of [
    [4, 2],
    [4095, 0],
    [4, 2],
    [0, 4095],
  ] as const) {
    add(1, views, clicks)
    add(2, views, clicks)
    add(3, views, clicks)
  }
  await recorder.stop()
  expect(await rows(fixture.store, 'SELECT bundle_id, views, open_all_clicks FROM daily_counters ORDER BY 1')).toEqual([
    [1, 4106, 4100],
    [2, 4103, 4099],
  ])
})

test('counts with a longer interval wait for it, but not past the end of their day', async () => {
  // The first flush; the next would be due in a minute.
  const recorder = await Recorder.start(fixture.store, log, fixture.now, 60_000)
  recorder.view(new Counter(1, ''), '192.0.2.1', VIEWER)
  await becomes(() => counted(fixture.store), [[1, DAY, 1, 0]])
  for (const viewer of ['192.0.2.1', '192.0.2.2']) recorder.view(new Counter(1, ''), viewer, VIEWER)
  await Bun.sleep(1_200)
  expect(await counted(fixture.store)).toEqual([[1, DAY, 1, 0]])
  fixture.set('2026-11-21T00:00:00Z')
  await becomes(() => counted(fixture.store), [[1, DAY, 3, 0]])
  recorder.openAll(new Counter(1, ''), VIEWER)
  await recorder.stop()
  expect(await counted(fixture.store)).toEqual([
    [1, DAY, 3, 0],
    [1, '2026-11-21', 0, 1],
  ])
})

test('very many viewers do not wait for a long interval, and none is lost', async () => {
  const recorder = await Recorder.start(fixture.store, log, fixture.now, 60_000)
  await recorder.flush()
  for (let viewer = 0; viewer < MAX_WAITING / 4; viewer += 1)
    recorder.view(new Counter(1, ''), `10.${viewer >> 16}.${(viewer >> 8) & 255}.${viewer & 255}`, VIEWER)
  await becomes(() => viewers(fixture.store), [[1, DAY, MAX_WAITING / 4]])
  await recorder.stop()
})
