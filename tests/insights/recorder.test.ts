import { afterEach, beforeEach, expect, test } from 'bun:test'
import { bundles } from '../../db/schema.ts'
import { MAX_WAITING } from '../../src/launcher/batches.ts'
import { Counter } from '../../src/launcher/counter.ts'
import { Recorder } from '../../src/launcher/recorder.ts'
import { becomes } from '../eventually.ts'
import { AGENT, awayWhile, counted, log, newScene, rows, type Scene, through, viewers } from './support.ts'

// A lost answer, a store that is away and a full queue cannot be had at the front door.

const DAY = '2026-11-20'
let scene: Scene

beforeEach(async () => {
  scene = await newScene(`${DAY}T12:00:00Z`)
})
afterEach(() => scene.close())

test('a batch that was written and whose answer was lost is not counted twice', async () => {
  let losses = 0
  const lossy = through(scene.store, async (write) => {
    const result = await write()
    if (losses++ === 0) throw new Error('the answer was lost')
    return result
  })
  const recorder = await Recorder.start(lossy, log, scene.now)
  const counter = new Counter(1, '')
  recorder.view(counter, '192.0.2.1', AGENT)
  recorder.openAll(counter)
  await recorder.flush()
  recorder.view(counter, '192.0.2.1', AGENT)
  await recorder.stop()
  expect(losses).toBeGreaterThan(1)
  expect(await counted(scene.store)).toEqual([[1, DAY, 2, 1]])
  expect(await viewers(scene.store)).toEqual([[1, DAY, 1]])
})

test('counts made while the store is away are written when it is back', async () => {
  let isAway = false
  const store = awayWhile(scene.store, () => isAway)
  const recorder = await Recorder.start(store, log, scene.now)
  isAway = true
  const counters = [new Counter(1, ''), new Counter(2, '')] as const
  for (let round = 0; round < 5; round += 1) {
    for (const counter of counters) recorder.view(counter, `192.0.2.${round}`, AGENT)
    recorder.openAll(counters[1])
    await recorder.flush()
  }
  expect(await counted(scene.store)).toEqual([])
  isAway = false
  await recorder.stop()
  expect(await counted(scene.store)).toEqual([
    [1, DAY, 5, 0],
    [2, DAY, 5, 5],
  ])
  expect(await viewers(scene.store)).toEqual([
    [1, DAY, 5],
    [2, DAY, 5],
  ])
})

test('every count is stored as it was made: of a rule or none, large or small, whatever the bundle’s id', async () => {
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
    await scene.store.db.insert(bundles).values({ id, slug: `bundle${id}`, ...row })
  }
  const recorder = await Recorder.start(scene.store, log, scene.now)
  const sums = new Map<string, [number, number]>()
  for (const [id, rule, views, clicks] of counts) {
    const counter = new Counter(id, rule)
    recorder.openAll(counter)
    // A million views one by one would take their time.
    counter.views = views
    counter.openAllClicks = clicks
    await recorder.flush()
    const [before, clicksBefore] = sums.get(`${id} ${rule}`) ?? [0, 0]
    sums.set(`${id} ${rule}`, [before + views, clicksBefore + clicks])
  }
  await recorder.stop()
  const stored = await rows(scene.store, 'SELECT bundle_id, rule_id, views, open_all_clicks FROM daily_counters')
  expect(new Map(stored.map(([id, rule, views, clicks]) => [`${id} ${rule}`, [views, clicks]]))).toEqual(
    sums as Map<string, unknown[]>,
  )
})

test('the end waits for a store that is away for a moment', async () => {
  let isAway = false
  const store = awayWhile(scene.store, () => isAway)
  const recorder = await Recorder.start(store, log, scene.now)
  isAway = true
  recorder.view(new Counter(1, ''), '192.0.2.1', AGENT)
  setTimeout(() => (isAway = false), 500)
  await recorder.stop()
  expect(await counted(scene.store)).toEqual([[1, DAY, 1, 0]])
})

test('past its bound the queue drops what is new, and what it holds is written', async () => {
  let isAway = true
  const store = through(scene.store, (write) => (isAway ? Promise.reject(new Error('away')) : write()))
  const recorder = await Recorder.start(store, log, scene.now)
  const [kept, late] = [new Counter(1, ''), new Counter(2, '')]
  recorder.view(kept, '192.0.2.1', AGENT)
  await recorder.flush()
  // Of bundles that are gone, so that writing them takes no time.
  for (let bundle = 0; bundle < MAX_WAITING; bundle += 1) recorder.openAll(new Counter(1000 + bundle, ''))
  await recorder.flush()
  for (let round = 0; round < 300; round += 1) {
    recorder.view(late, `192.0.2.${round}`, AGENT)
    recorder.openAll(late)
    await recorder.flush()
  }
  isAway = false
  await recorder.flush()
  const [[views = 0] = []] = (await rows(
    scene.store,
    'SELECT views FROM daily_counters WHERE bundle_id = 2',
  )) as number[][]
  expect(views).toBeLessThan(300)
  expect((await counted(scene.store))[0]).toEqual([1, DAY, 1, 0])
  // Whoever was dropped is told anew.
  recorder.view(late, '192.0.2.299', AGENT)
  await recorder.stop()
  expect(await rows(scene.store, 'SELECT views FROM daily_counters WHERE bundle_id = 2')).toEqual([[views + 1]])
  expect(await rows(scene.store, 'SELECT viewers FROM daily_viewers WHERE bundle_id = 2')).toEqual([[views + 1]])
})

test('a viewer who comes again is one viewer; another address, browser or bundle is another', async () => {
  const recorder = await Recorder.start(scene.store, log, scene.now)
  const counter = new Counter(1, '')
  for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) recorder.view(counter, address, AGENT)
  recorder.view(counter, '192.0.2.1', `${AGENT} other`)
  recorder.view(new Counter(1, 'r_0000000001'), '192.0.2.1', AGENT)
  recorder.view(new Counter(2, ''), '192.0.2.1', AGENT)
  await recorder.stop()
  expect(await rows(scene.store, 'SELECT bundle_id, rule_id, views FROM daily_counters ORDER BY 1, 2')).toEqual([
    [1, '', 4],
    [1, 'r_0000000001', 1],
    [2, '', 1],
  ])
  expect(await viewers(scene.store)).toEqual([
    [1, DAY, 3],
    [2, DAY, 1],
  ])
})

test('counts of a bundle that is gone keep nobody else’s from being written', async () => {
  const recorder = await Recorder.start(scene.store, log, scene.now)
  recorder.view(new Counter(999, ''), '192.0.2.1', AGENT)
  recorder.view(new Counter(1, ''), '192.0.2.1', AGENT)
  await recorder.stop()
  expect(await counted(scene.store)).toEqual([[1, DAY, 1, 0]])
})

test('a batch that the store will never take holds up none behind it', async () => {
  const recorder = await Recorder.start(scene.store, log, scene.now)
  const broken = new Counter(1, '')
  recorder.openAll(broken)
  broken.openAllClicks = -5
  await recorder.flush()
  recorder.view(new Counter(2, ''), '192.0.2.1', AGENT)
  await recorder.stop()
  expect(await counted(scene.store)).toEqual([[2, DAY, 1, 0]])
})

test('recorders of two processes on one file count together, a viewer of both as one', async () => {
  const other = await scene.open()
  const recorders = await Promise.all([scene.store, other].map((store) => Recorder.start(store, log, scene.now)))
  for (let round = 0; round < 20; round += 1) {
    for (const recorder of recorders) {
      recorder.view(new Counter(1, ''), `192.0.2.${round}`, AGENT)
      recorder.openAll(new Counter(1, ''))
    }
    await Promise.all(recorders.map((recorder) => recorder.flush()))
  }
  await Promise.all(recorders.map((recorder) => recorder.stop()))
  await other.close()
  expect(await counted(scene.store)).toEqual([[1, DAY, 40, 40]])
  expect(await viewers(scene.store)).toEqual([[1, DAY, 20]])
})

test('counts of one bundle that come in several are added up, beside rows that are there and rows that are not', async () => {
  const recorder = await Recorder.start(scene.store, log, scene.now)
  const add = (bundleId: number, views: number, clicks: number) => {
    const counter = new Counter(bundleId, '')
    recorder.openAll(counter)
    counter.views = views
    counter.openAllClicks = clicks
  }
  add(1, 3, 1)
  await recorder.flush()
  // As after an edit: what was viewed before and what is viewed after it are counted apart. Of 3 there is no bundle.
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
  expect(await rows(scene.store, 'SELECT bundle_id, views, open_all_clicks FROM daily_counters ORDER BY 1')).toEqual([
    [1, 4106, 4100],
    [2, 4103, 4099],
  ])
})

test('counts that are written less often wait for their time, but not over the end of their day', async () => {
  // Its first look, after which nothing is due for a minute, and each that follows.
  const recorder = await Recorder.start(scene.store, log, scene.now, 60_000)
  recorder.view(new Counter(1, ''), '192.0.2.1', AGENT)
  await becomes(() => counted(scene.store), [[1, DAY, 1, 0]])
  for (const viewer of ['192.0.2.1', '192.0.2.2']) recorder.view(new Counter(1, ''), viewer, AGENT)
  await Bun.sleep(1_200)
  expect(await counted(scene.store)).toEqual([[1, DAY, 1, 0]])
  scene.set('2026-11-21T00:00:00Z')
  await becomes(() => counted(scene.store), [[1, DAY, 3, 0]])
  recorder.openAll(new Counter(1, ''))
  await recorder.stop()
  expect(await counted(scene.store)).toEqual([
    [1, DAY, 3, 0],
    [1, '2026-11-21', 0, 1],
  ])
})

test('very many viewers do not wait for the time of a long interval: none of them is lost', async () => {
  const recorder = await Recorder.start(scene.store, log, scene.now, 60_000)
  await recorder.flush()
  for (let viewer = 0; viewer < MAX_WAITING / 4; viewer += 1)
    recorder.view(new Counter(1, ''), `10.${viewer >> 16}.${(viewer >> 8) & 255}.${viewer & 255}`, AGENT)
  await becomes(() => viewers(scene.store), [[1, DAY, MAX_WAITING / 4]])
  await recorder.stop()
})
