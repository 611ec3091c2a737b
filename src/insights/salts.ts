import { randomBytes } from 'node:crypto'
import { eq, lt } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { salts, viewerHashes } from '../../db/schema.ts'

export const DAY_MS = 86_400_000
/** Hashes deleted in one transaction: a day may have millions, and what is edited meanwhile waits for its end. */
const HASHES_PER_WRITE = 1_000
/** Time spent on hashes in one go: today's counts want to be written as well. */
const EFFORT_MS = 100

/** A UTC day as `YYYY-MM-DD`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** The first millisecond of a time's UTC day. UTC has no daylight saving, so every day is as long. */
export function startOfDay(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS
}

/** The salt of a day as text, the same for every process on this store: the first to ask makes it (decisions 7). */
export async function saltOf(store: Store, day: string): Promise<string> {
  await store.write([
    store.db
      .insert(salts)
      .values({ day, salt: randomBytes(32) })
      .onConflictDoNothing(),
  ])
  const [row] = await store.db.select().from(salts).where(eq(salts.day, day))
  if (row === undefined) throw new Error(`no salt for ${day}`)
  return Buffer.from(row.salt).toString('base64url')
}

/**
 * Destroys what could tie anything to a viewer of a day before `today`: the salt first, then the hashes, whose
 * number `daily_viewers` has had all along. Safe to run again and by several processes.
 * @returns false where there is more to do: many hashes, or a log that cannot be emptied yet. Run it again.
 */
export async function endDaysBefore(store: Store, today: string): Promise<boolean> {
  await store.write([store.db.delete(salts).where(lt(salts.day, today))])
  const until = performance.now() + EFFORT_MS
  let isLeft = true
  while (isLeft && performance.now() < until) {
    await store.writeCounters([
      {
        sql: 'DELETE FROM viewer_hashes WHERE rowid IN (SELECT rowid FROM viewer_hashes WHERE day < ? LIMIT ?)',
        args: [today, HASHES_PER_WRITE],
      },
    ])
    const [left] = await store.db
      .select({ day: viewerHashes.day })
      .from(viewerHashes)
      .where(lt(viewerHashes.day, today))
      .limit(1)
    isLeft = left !== undefined
  }
  const isEmpty = await store.checkpointWal()
  return isEmpty && !isLeft
}
