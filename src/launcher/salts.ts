import { randomBytes } from 'node:crypto'
import { eq, lt } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { salts, viewerHashes } from '../../db/schema.ts'
import { DAY_MS } from '../core/time.ts'

/** Hashes deleted per transaction: a day may have millions, and edits wait for the transaction. */
const HASHES_PER_WRITE = 1_000
/** Time per call, because today’s counts must be written too. */
const EFFORT_MS = 100

/** A UTC day as `YYYY-MM-DD`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** A UTC day as the number of days since 1970. */
export function dayNumber(day: string): number {
  return Date.parse(day) / DAY_MS
}

/** The first millisecond of a time’s UTC day. */
export function startOfDay(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS
}

/** The salt of a day as text, the same for every process on this store: the first process that needs it creates it. */
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
 * Destroys everything that could identify viewers of days before `today`: first the salts, then the hashes, whose number
 * `daily_viewers` already has. Idempotent, and safe to run in several processes.
 * @returns false if hashes are left, or the log cannot be emptied yet: call it again.
 */
export async function endDaysBefore(store: Store, today: string): Promise<boolean> {
  await store.write([store.db.delete(salts).where(lt(salts.day, today))])
  const until = performance.now() + EFFORT_MS
  let isLeft = true
  while (isLeft && performance.now() < until) {
    await store.writeCounters([
      {
        sql: `DELETE FROM viewer_hashes WHERE (day, bundle_id, hash) IN (
          SELECT day, bundle_id, hash FROM viewer_hashes WHERE day < ? ORDER BY day, bundle_id, hash LIMIT ?)`,
        args: [dayNumber(today), HASHES_PER_WRITE],
      },
    ])
    const [left] = await store.db
      .select({ day: viewerHashes.day })
      .from(viewerHashes)
      .where(lt(viewerHashes.day, dayNumber(today)))
      .limit(1)
    isLeft = left !== undefined
  }
  const isEmpty = await store.checkpointWal()
  return isEmpty && !isLeft
}
