import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { brokenConstraint } from '../../db/client.ts'
import { type Fixture, newFixture, rows } from './support.ts'

// How files are written: in groups and on libSQL's thread, which is not visible from outside.

/** As many as share a transaction. */
const EDITORS = 64

let fixture: Fixture

beforeEach(async () => {
  fixture = await newFixture('2026-11-20T12:00:00Z')
})
afterEach(() => fixture.close())

const batch = (id: string, at: number) => ({
  sql: 'INSERT INTO counter_batches (at, id) VALUES (?2, ?1)',
  args: [id, at],
})
const batches = () => rows(fixture.store, 'SELECT id, at FROM counter_batches ORDER BY at')

/** How many turns the event loop gets during a write. */
async function turnsUntil(writing: Promise<unknown>): Promise<number> {
  let isWritten = false
  let turns = 0
  const written = writing.finally(() => {
    isWritten = true
  })
  while (!isWritten) {
    await nextTurn()
    turns += 1
  }
  await written
  return turns
}

test('counts wait for two transactions at most, however many people edit at the time', async () => {
  const { store } = fixture
  let isOver = false
  let edits = 0
  const edit = async (_: unknown, editor: number) => {
    for (; !isOver; edits += 1) {
      await store.write([sql`UPDATE bundles SET title = ${edits} WHERE id = 1`])
      // Editors come back at different times, as over a network.
      for (let pause = (editor * 7 + edits) % 61; pause > 0; pause -= 1) await nextTurn()
    }
  }
  const editors = Promise.all(Array.from({ length: EDITORS }, edit))
  const waited: number[] = []
  for (let at = 1; at <= 20; at += 1) {
    const before = edits
    await store.writeCounters([batch(`amid ${at}`, at)])
    waited.push(edits - before)
  }
  isOver = true
  await editors
  expect(Math.max(...waited)).toBeLessThanOrEqual(3 * EDITORS)
})

test('the event loop keeps running while counts are written', async () => {
  const turns = await turnsUntil(
    fixture.store.writeCounters([
      {
        sql: `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
          INSERT INTO counter_batches (id, at) SELECT 'sum', sum(n) FROM numbers`,
        args: [1_000_000],
      },
    ]),
  )
  expect(await batches()).toEqual([['sum', 500_000_500_000]])
  expect(turns).toBeGreaterThan(100)
})

test('the event loop keeps running while waiting for the disk', async () => {
  const turns = await turnsUntil(
    fixture.store.write([sql`INSERT INTO counter_batches (id, at) VALUES (hex(zeroblob(32000000)), 1)`]),
  )
  expect(turns).toBeGreaterThan(100)
})

test('waiting writes share one transaction, where a refused one rolls back only itself', async () => {
  const { store } = fixture
  const insert = (id: string, at: number) => sql`INSERT INTO counter_batches (id, at) VALUES (${id}, ${at})`
  let isOver = false
  const writing = Promise.allSettled([
    ...Array.from({ length: 30 }, (_, at) => store.write([insert(`batch ${at}`, at)])),
    store.write([insert('alone', 99), insert('batch 7', 7)]),
    store.write([sql`INSERT INTO nowhere VALUES (1)`]),
    store.write([insert('last', 30), sql`SELECT id, at FROM counter_batches WHERE at = 30`]),
  ]).finally(() => {
    isOver = true
  })
  const seen = new Set<number>()
  while (!isOver) {
    await nextTurn()
    seen.add((await batches()).length)
  }
  // The writes may have been answered during the last look.
  seen.add((await batches()).length)
  expect([...seen].filter((rows) => rows !== 0)).toEqual([31])
  const outcomes = await writing
  expect(outcomes.slice(0, 30).every(({ status }) => status === 'fulfilled')).toBe(true)
  const [twice, wrong, last] = outcomes.slice(30)
  expect(brokenConstraint((twice as PromiseRejectedResult).reason)).toContain('counter_batches.id')
  expect((wrong as PromiseRejectedResult).reason).toMatchObject({ code: 'SQLITE_ERROR' })
  const [changed, found] = (last as PromiseFulfilledResult<Awaited<ReturnType<typeof store.write>>>).value
  expect(changed).toMatchObject({ rowsAffected: 1, rows: [] })
  expect(found).toMatchObject({ columns: ['id', 'at'], rows: [{ id: 'last', at: 30 }] })
})

test('simultaneous counts and edits are all written, one transaction at a time', async () => {
  const { store } = fixture
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

test('text is written unchanged, and nothing of a refused write', async () => {
  const { store } = fixture
  const texts = ["it's", "';--", '? ?1 ?2 ??', '$& $1 \\', '–\u2028𝒂', "''", ' ']
  await store.writeCounters(texts.map((text, at) => batch(text, at)))
  expect(await batches()).toEqual(texts.map((text, at) => [text, at]))

  const twice = [batch('new', 100), batch(' ', texts.length - 1)]
  const refusal = (write: Promise<unknown>) => write.then(() => null, brokenConstraint)
  expect(await refusal(store.writeCounters(twice))).toContain('counter_batches.id')
  const saidOf = (write: Promise<unknown>) => write.then(() => null, String)
  expect(await saidOf(store.writeCounters([batch('a\0b', 102)]))).toContain('must not contain NUL')
  await store.writeCounters([batch('later', 103)])
  expect((await batches()).slice(texts.length)).toEqual([['later', 103]])
})

test('a database being closed first writes what is pending', async () => {
  const { store } = fixture
  const writing = Promise.all(Array.from({ length: 20 }, (_, at) => store.writeCounters([batch(`batch ${at}`, at)])))
  await store.close()
  await writing
  const again = await fixture.open()
  expect(await rows(again, 'SELECT count(*) FROM counter_batches')).toEqual([[20]])
  await again.close()
})
