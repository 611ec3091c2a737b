import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { openStore, type Store } from '../../db/client.ts'
import { Counter } from '../../src/launcher/batches.ts'
import { Recorder } from '../../src/launcher/recorder.ts'
import { type Sqld, startSqld } from '../sqld.ts'
import { addBundles, counted, log, through, traces, VIEWER, viewers } from './support.ts'

let sqld: Sqld
let store: Store

beforeAll(async () => {
  sqld = await startSqld()
  store = await openStore({ url: sqld.url, authToken: sqld.token })
  await addBundles(store)
})
afterAll(async () => {
  await store.close()
  await sqld.stop()
})

test('with a libSQL server a lost answer counts nothing twice, and days end as with a file', async () => {
  let now = Date.parse('2026-11-20T12:00:00Z')
  let losses = 0
  const lossy = through(store, async (write) => {
    const result = await write()
    if (losses++ === 0) throw new Error('the answer was lost')
    return result
  })
  const recorder = await Recorder.start(lossy, log, () => now)
  const counter = new Counter(1, '')
  const look = async () => {
    recorder.view(counter, '192.0.2.1', VIEWER)
    await recorder.flush()
  }
  await look()
  await look()
  now = Date.parse('2026-11-21T00:00:00Z')
  await look()
  now += 15_000
  await recorder.stop()
  expect(await counted(store)).toEqual([
    [1, '2026-11-20', 2, 0],
    [1, '2026-11-21', 1, 0],
  ])
  expect(await viewers(store)).toEqual([
    [1, '2026-11-20', 1],
    [1, '2026-11-21', 1],
  ])
  expect(await traces(store)).toEqual({ hashes: ['2026-11-21'], salts: ['2026-11-21'] })
})

test('waiting writes are sent to a libSQL server together', async () => {
  const { fetch } = globalThis
  let requests = 0
  globalThis.fetch = Object.assign((...given: Parameters<typeof fetch>) => {
    requests += 1
    return fetch(...given)
  }, fetch)
  await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      store.write([sql`INSERT INTO counter_batches (id, at) VALUES (${`together ${at}`}, ${at})`]),
    ),
  ).finally(() => {
    globalThis.fetch = fetch
  })
  expect(requests).toBeLessThan(5)
})
