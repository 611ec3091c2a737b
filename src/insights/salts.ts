import { randomBytes } from 'node:crypto'
import { eq, lt, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { dailyViewers, salts, viewerHashes } from '../../db/schema.ts'

const DAY_MS = 86_400_000

/** A UTC day as `YYYY-MM-DD`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** The first millisecond after a time's UTC day. */
export function endOfDay(time: number): number {
  return (Math.floor(time / DAY_MS) + 1) * DAY_MS
}

/** The salt of a day, the same for every process on this store: the first to ask makes it (decisions 7). */
export async function saltOf(store: Store, day: string): Promise<Buffer> {
  await store.write([
    store.db
      .insert(salts)
      .values({ day, salt: randomBytes(32) })
      .onConflictDoNothing(),
  ])
  const [row] = await store.db.select().from(salts).where(eq(salts.day, day))
  if (row === undefined) throw new Error(`no salt for ${day}`)
  return Buffer.from(row.salt)
}

/**
 * Ends every day before `today`: its viewer hashes become a count, and its salt is deleted. Nothing that
 * outlives the day can then be tied to a viewer. Safe to run again and by several processes.
 */
export async function endDaysBefore({ db, write }: Store, today: string): Promise<void> {
  await write([
    db
      .insert(dailyViewers)
      .select(
        db
          .select({
            bundleId: viewerHashes.bundleId,
            day: viewerHashes.day,
            viewers: sql<number>`count(*)`.as('viewers'),
          })
          .from(viewerHashes)
          .where(lt(viewerHashes.day, today))
          .groupBy(viewerHashes.bundleId, viewerHashes.day),
      )
      .onConflictDoUpdate({
        target: [dailyViewers.bundleId, dailyViewers.day],
        set: { viewers: sql`${dailyViewers.viewers} + excluded.viewers` },
      }),
    db.delete(viewerHashes).where(lt(viewerHashes.day, today)),
    db.delete(salts).where(lt(salts.day, today)),
  ])
}
