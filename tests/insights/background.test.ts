import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { brokenConstraint } from '../../db/client.ts'
import { newScene, rows, type Scene } from './support.ts'

// How counts are written to a file: on a thread of libSQL's, which nothing at the front door shows.

let scene: Scene

beforeEach(async () => {
  scene = await newScene('2026-11-20T12:00:00Z')
})
afterEach(() => scene.close())

const batch = (id: string, at: number) => ({
  sql: 'INSERT INTO counter_batches (at, id) VALUES (?2, ?1)',
  args: [id, at],
})
const batches = () => rows(scene.store, 'SELECT id, at FROM counter_batches ORDER BY at')

test('the event loop goes on while counts are written', async () => {
  let isWritten = false
  let turns = 0
  const writing = scene.store
    .writeCounters([
      {
        sql: `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
          INSERT INTO counter_batches (id, at) SELECT 'sum', sum(n) FROM numbers`,
        args: [1_000_000],
      },
    ])
    .finally(() => {
      isWritten = true
    })
  while (!isWritten) {
    await nextTurn()
    turns += 1
  }
  await writing
  expect(await batches()).toEqual([['sum', 500_000_500_000]])
  expect(turns).toBeGreaterThan(100)
})

test('counts and edits at the same time are all written, one transaction at a time', async () => {
  const { store } = scene
  const wanted = Array.from({ length: 200 }, (_, at) => [`batch ${at}`, at])
  await Promise.all(
    wanted.map(([id, at]) =>
      Number(at) % 2 === 0
        ? store.writeCounters([batch(String(id), Number(at))])
        : store.write([sql`INSERT INTO counter_batches (id, at) VALUES (${id}, ${at})`]),
    ),
  )
  expect(await batches()).toEqual(wanted)
})

test('texts are written as they are, and of what is refused nothing', async () => {
  const { store } = scene
  const texts = ["it's", "';--", '? ?1 ?2 ??', '$& $1 \\', '–\u2028𝒂', "''", ' ']
  await store.writeCounters(texts.map((text, at) => batch(text, at)))
  expect(await batches()).toEqual(texts.map((text, at) => [text, at]))

  const twice = [batch('new', 100), batch(' ', 101)]
  const refusal = (write: Promise<unknown>) => write.then(() => null, brokenConstraint)
  expect(await refusal(store.writeCounters(twice))).toContain('UNIQUE constraint failed: counter_batches.id')
  const saidOf = (write: Promise<unknown>) => write.then(() => null, String)
  expect(await saidOf(store.writeCounters([batch('a\0b', 102)]))).toContain('without NUL')
  await store.writeCounters([batch('later', 103)])
  expect((await batches()).slice(texts.length)).toEqual([['later', 103]])
})

test('a store that is closed writes first what it was given', async () => {
  const { store } = scene
  const writing = Promise.all(Array.from({ length: 20 }, (_, at) => store.writeCounters([batch(`batch ${at}`, at)])))
  await store.close()
  await writing
  const again = await scene.open()
  expect(await rows(again, 'SELECT count(*) FROM counter_batches')).toEqual([[20]])
  await again.close()
})
