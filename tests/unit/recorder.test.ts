import { afterEach, beforeEach, expect, setSystemTime, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { openStore, type Store } from '../../db/client.ts'
import { bundles } from '../../db/schema.ts'
import { newCounter, Recorder } from '../../src/insights/recorder.ts'
import { openLog } from '../../src/log.ts'

// A lost answer, a store that is away and a midnight cannot be had at the front door.

const log = openLog('silent')
const AGENT = 'Mozilla/5.0 Firefox/153.0'
let folder: string
let store: Store

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'openall-'))
  store = await openStore({ url: `file:${join(folder, 'test.db')}` })
  const row = { urls: ['https://a.example'], urlMetadata: [{}], source: 'api' as const, createdAt: 0, updatedAt: 0 }
  await store.db.insert(bundles).values([
    { id: 1, slug: 'first', ...row },
    { id: 2, slug: 'second', ...row },
  ])
})

afterEach(async () => {
  setSystemTime()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Through the store itself: a second SQLite in one process would undo the first one's locks. */
async function rows(query: string): Promise<unknown[]> {
  const found = await store.db.values(sql.raw(query))
  return found.map((row) => Array.from(row))
}

const counted = () => rows('SELECT bundle_id, day, views, open_all_clicks FROM daily_counters ORDER BY 2, 1')
const today = () => new Date().toISOString().slice(0, 10)

/** The store, its counter writes in the hands of `how`. */
function through(how: (write: () => Promise<unknown>) => Promise<unknown>): Store {
  return {
    ...store,
    writeCounters: (statements) => how(() => store.writeCounters(statements)) as ReturnType<Store['writeCounters']>,
  }
}

test('a batch that was written and whose answer was lost is not counted twice', async () => {
  let losses = 0
  const lossy = through(async (write) => {
    const result = await write()
    if (losses++ === 0) throw new Error('the answer was lost')
    return result
  })
  const recorder = await Recorder.start(lossy, log)
  const counter = newCounter(1, '')
  recorder.view(counter, '192.0.2.1', AGENT)
  recorder.openAll(counter)
  await recorder.flush()
  recorder.view(counter, '192.0.2.1', AGENT)
  await recorder.stop()
  expect(losses).toBeGreaterThan(1)
  expect(await counted()).toEqual([[1, today(), 2, 1]])
})

test('counts made while the store is away are written when it is back', async () => {
  let isAway = true
  const away = through((write) => (isAway ? Promise.reject(new Error('away')) : write()))
  const recorder = await Recorder.start(away, log)
  const counters = [newCounter(1, ''), newCounter(2, '')] as const
  for (let round = 0; round < 5; round += 1) {
    for (const counter of counters) recorder.view(counter, `192.0.2.${round}`, AGENT)
    recorder.openAll(counters[1])
    await recorder.flush()
  }
  expect(await counted()).toEqual([])
  isAway = false
  await recorder.stop()
  expect(await counted()).toEqual([
    [1, today(), 5, 0],
    [2, today(), 5, 5],
  ])
  expect(await rows('SELECT count(*) FROM viewer_hashes')).toEqual([[10]])
})

test('a viewer who comes again is one viewer, and another address or browser another', async () => {
  const recorder = await Recorder.start(store, log)
  const counter = newCounter(1, '')
  for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) recorder.view(counter, address, AGENT)
  recorder.view(counter, '192.0.2.1', `${AGENT} other`)
  await recorder.stop()
  expect(await counted()).toEqual([[1, today(), 4, 0]])
  expect(await rows('SELECT count(*) FROM viewer_hashes')).toEqual([[3]])
})

test('counts of a bundle that is gone keep nobody else’s from being written', async () => {
  const recorder = await Recorder.start(store, log)
  recorder.view(newCounter(999, ''), '192.0.2.1', AGENT)
  recorder.view(newCounter(1, ''), '192.0.2.1', AGENT)
  await recorder.stop()
  expect(await counted()).toEqual([[1, today(), 1, 0]])
})

test('what is seen before midnight counts for the day that ends, after it for the next', async () => {
  setSystemTime(new Date('2026-11-20T23:59:59.900Z'))
  const recorder = await Recorder.start(store, log)
  const counter = newCounter(1, '')
  recorder.view(counter, '192.0.2.1', AGENT)
  recorder.view(counter, '192.0.2.2', AGENT)
  setSystemTime(new Date('2026-11-21T00:00:00.000Z'))
  recorder.view(counter, '192.0.2.1', AGENT)
  await recorder.stop()
  expect(await counted()).toEqual([
    [1, '2026-11-20', 2, 0],
    [1, '2026-11-21', 1, 0],
  ])
  // The day that is over keeps how many, and nothing to tell who.
  expect(await rows('SELECT day, viewers FROM daily_viewers')).toEqual([['2026-11-20', 2]])
  expect(await rows('SELECT DISTINCT day FROM viewer_hashes')).toEqual([['2026-11-21']])
  expect(await rows('SELECT day FROM salts')).toEqual([['2026-11-21']])
})

test('recorders of several processes on one store share the day’s salt', async () => {
  const recorders = await Promise.all([Recorder.start(store, log), Recorder.start(store, log)])
  for (const recorder of recorders) recorder.view(newCounter(1, ''), '192.0.2.1', AGENT)
  for (const recorder of recorders) await recorder.stop()
  expect(await counted()).toEqual([[1, today(), 2, 0]])
  expect(await rows('SELECT count(*) FROM viewer_hashes')).toEqual([[1]])
})
