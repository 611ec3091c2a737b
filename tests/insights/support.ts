import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { openStore, type Store } from '../../db/client.ts'
import { bundles } from '../../db/schema.ts'
import { openLog } from '../../src/runtime/log.ts'

export const log = openLog('silent')

/** A browser's headers. */
export const headersOf = (headers: Record<string, string>) =>
  new Headers({ 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/153.0', ...headers })
/** A browser that says nothing of its viewer but that it is on a computer. */
export const VIEWER = headersOf({})

/** A database file with bundles 1 and 2, and a clock that stands still until it is set. */
export interface Fixture {
  folder: string
  store: Store
  /** Sets the clock, as ISO 8601. */
  set(time: string): void
  now(): number
  /** Opens the same file again, like another process. */
  open(): Promise<Store>
  close(): Promise<void>
}

export async function newFixture(time: string): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), 'openall-'))
  const open = () => openStore({ url: `file:${join(folder, 'test.db')}` })
  const store = await open()
  await addBundles(store)
  let now = Date.parse(time)
  return {
    folder,
    store,
    set: (time) => (now = Date.parse(time)),
    now: () => now,
    open,
    async close() {
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function addBundles({ db }: Store): Promise<void> {
  const row = { urls: ['https://a.example'], urlMetadata: [{}], source: 'api' as const, createdAt: 0, updatedAt: 0 }
  await db.insert(bundles).values([
    { id: 1, slug: 'first', slugHash: '#first', ...row },
    { id: 2, slug: 'second', slugHash: '#second', ...row },
  ])
}

/** Runs a query through the store itself: a second copy of SQLite in one process would release the first one's locks. */
export async function rows(store: Store, query: string): Promise<unknown[][]> {
  const found = await store.db.values(sql.raw(query))
  return found.map((row) => Array.from(row as unknown[]))
}

/** Views and clicks as they are stored: bundle, day, views, clicks. */
export const counted = (store: Store) =>
  rows(store, 'SELECT bundle_id, day, views, open_all_clicks FROM daily_counters ORDER BY 2, 1')

/** Distinct viewers as they are stored: bundle, day, viewers. */
export const viewers = (store: Store) => rows(store, 'SELECT bundle_id, day, viewers FROM daily_viewers ORDER BY 2, 1')

/** Breakdowns as they are stored, most views first: bundle, day, dimension, value, views. */
export const breakdowns = (store: Store) =>
  rows(store, 'SELECT bundle_id, day, dimension, value, views FROM daily_breakdowns ORDER BY 2, 1, 3, 5 DESC, 4')

/** The days of which data derived from viewers is kept: hashes and salts. */
export const traces = async (store: Store) => ({
  hashes: (await rows(store, "SELECT DISTINCT date(day * 86400, 'unixepoch') FROM viewer_hashes ORDER BY 1")).flat(),
  salts: (await rows(store, 'SELECT day FROM salts ORDER BY 1')).flat(),
})

/** A store whose counter writes go through `how`. */
export function through(store: Store, how: (write: () => Promise<unknown>) => Promise<unknown>): Store {
  return {
    ...store,
    writeCounters: (statements) => how(() => store.writeCounters(statements)) as ReturnType<Store['writeCounters']>,
  }
}

/** A store that refuses writes while `isAway`. */
export function awayWhile(store: Store, isAway: () => boolean): Store {
  const guard = <T>(write: () => Promise<T>) => (isAway() ? Promise.reject(new Error('away')) : write())
  return {
    ...store,
    write: (queries) => guard(() => store.write(queries)),
    writeCounters: (statements) => guard(() => store.writeCounters(statements)),
    checkpointWal: () => guard(() => store.checkpointWal()),
  }
}
