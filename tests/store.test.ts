import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import { brokenConstraint, openStore, type Store } from '../db/client.ts'
import { bundles } from '../db/schema.ts'
import { addBundles, rows } from './insights/support.ts'
import { STORES } from './server.ts'
import { startSqld } from './sqld.ts'

// What `db/` promises to everything else, the same over a file and over a libSQL server.

setDefaultTimeout(180_000)

const insert = (id: string, at: number) => sql`INSERT INTO counter_batches (id, at) VALUES (${id}, ${at})`
const count = (where: string) => `SELECT count(*) FROM counter_batches WHERE id LIKE '${where}'`
const BUNDLE = { urls: ['https://a.example'], urlMetadata: [{}], source: 'api' as const, createdAt: 0, updatedAt: 0 }

describe.each(STORES)('over %s', (kind) => {
  let store: Store
  /** The same database, opened by another process. */
  let other: Store
  let stop: () => Promise<void> | void
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'openall-store-'))
    const sqld = kind === 'file' ? null : await startSqld()
    const database =
      sqld === null ? { url: `file:${join(folder, 'test.db')}` } : { url: sqld.url, authToken: sqld.token }
    stop = async () => {
      await sqld?.stop()
      rmSync(folder, { recursive: true, force: true })
    }
    store = await openStore(database)
    other = await openStore(database)
    await addBundles(store)
  })
  afterAll(async () => {
    await store?.close()
    await other?.close()
    await stop()
  })

  const failed = (write: Promise<unknown>) => write.then(() => null).catch((error: unknown) => error)

  test('a write is whole or not at all, and names the constraint that it violated', async () => {
    const error = await failed(store.write([insert('half', 1), insert('half', 1)]))
    expect(brokenConstraint(error)).toContain('UNIQUE constraint failed: counter_batches.')
    expect(brokenConstraint(await failed(store.write([sql`INSERT INTO nowhere VALUES (1)`])))).toBeNull()
    expect(await rows(store, count('half'))).toEqual([[0]])
  })

  test('a write returns rows and how many it changed, and every reader sees it at once', async () => {
    const [changed, found] = await store.write([
      insert('seen', 7),
      sql`SELECT at FROM counter_batches WHERE id = 'seen'`,
    ])
    expect([changed?.rowsAffected, found?.rows[0]?.at]).toEqual([1, 7])
    for (const one of [store, other]) expect(await rows(one, count('seen'))).toEqual([[1]])
    expect(await store.readLong(sql`SELECT at FROM counter_batches WHERE id = 'seen'`)).toBe(7)
  })

  test('of many simultaneous writes a refused one affects no other', async () => {
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 20 }, (_, at) => store.write([insert(`together ${at}`, at)])),
      store.write([insert('undone', 99), insert('together 7', 7)]),
      store.write([sql`INSERT INTO nowhere VALUES (1)`]),
      store.write([insert('together last', 20)]),
    ])
    const refused = outcomes.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))
    expect(refused).toEqual([20, 21])
    expect(await rows(store, count('together%'))).toEqual([[21]])
    expect(await rows(store, count('undone'))).toEqual([[0]])
  })

  test('of two processes that write at once neither loses a write', async () => {
    const writes = Array.from({ length: 40 }, (_, at) =>
      (at % 2 === 0 ? store : other).write([insert(`race ${at}`, at), insert(`race also ${at}`, at)]),
    )
    await Promise.all(writes)
    expect(await rows(store, count('race%'))).toEqual([[80]])
  })

  test('counters and edits that write at once wait for each other', async () => {
    await store.writeCounters([{ sql: 'INSERT INTO counter_batches (id, at) VALUES (?, ?)', args: ['sum', 0] }])
    const add = { sql: 'UPDATE counter_batches SET at = at + ? WHERE id = ?', args: [1, 'sum'] }
    await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        at % 2 === 0
          ? store.writeCounters([add])
          : store.write([sql`UPDATE counter_batches SET at = at + 1 WHERE id = 'sum'`]),
      ),
    )
    expect(await rows(store, "SELECT at FROM counter_batches WHERE id = 'sum'")).toEqual([[30]])
  })

  test('every kind of value comes back as it was written', async () => {
    const slug = 'values-of-all-kinds'
    const now = Date.parse('2026-11-20T12:00:00.123Z')
    const given = {
      ...BUNDLE,
      slug,
      slugHash: `#${slug}`,
      title: 'ä 🚀 "quoted" \\',
      description: null,
      createdAt: now,
      updatedAt: now,
    }
    await store.db.insert(bundles).values({ ...given, urlMetadata: [{ note: '’', tags: ['a', 'b'] }] })
    const [read] = await store.db.select().from(bundles).where(eq(bundles.slug, slug))
    expect(read).toMatchObject({ ...given, urlMetadata: [{ note: '’', tags: ['a', 'b'] }] })
    const values = sql`SELECT ${2 ** 53 - 1} AS i, ${-0.25} AS r, ${null} AS n, x'00ff' AS b`
    const [result] = await store.write([values])
    const [{ i, r, n, b } = {}] = result!.rows as unknown as Record<string, unknown>[]
    expect([i, r, n, [...new Uint8Array(b as ArrayBuffer)]]).toEqual([2 ** 53 - 1, -0.25, null, [0, 255]])
  })

  test('foreign keys, cascades and triggers hold', async () => {
    const error = await failed(
      store.write([
        sql`INSERT INTO daily_counters (bundle_id, day, rule_id, views, open_all_clicks)
        VALUES (987654, '2026-11-20', '', 1, 0)`,
      ]),
    )
    expect(brokenConstraint(error)).toContain('FOREIGN KEY constraint failed')
    const changes = async () => (await rows(store, "SELECT count(*) FROM bundle_changes WHERE slug = 'second'"))[0]![0]
    const before = Number(await changes())
    await store.write([sql`UPDATE bundles SET title = 'changed' WHERE id = 2`])
    expect(Number(await changes())).toBeGreaterThan(before)
    await store.write([
      sql`INSERT INTO daily_counters (bundle_id, day, rule_id, views, open_all_clicks) VALUES (2, '2026-11-20', '', 1, 0)`,
    ])
    await store.write([sql`DELETE FROM bundles WHERE id = 2`])
    expect(await rows(store, 'SELECT count(*) FROM daily_counters WHERE bundle_id = 2')).toEqual([[0]])
  })

  test('reads in one batch see one state', async () => {
    const at = () => store.db.select({ n: sql<number>`count(*)` }).from(bundles)
    const [first, second] = await store.db.batch([at(), at()])
    expect(first).toEqual(second)
  })

  test('a store that answers is reached, fails no write, and counts what failed but for constraints', async () => {
    await store.reach()
    expect(store.writesFailSince).toBeNull()
    const before = store.failures
    await failed(store.write([insert('failing', 1), insert('failing', 1)]))
    expect(store.failures).toBe(before)
    await failed(store.db.run(sql`SELECT nothing FROM nowhere`))
    expect(store.failures).toBe(before + 1)
    expect(await store.checkpointWal()).toBe(true)
  })
})
