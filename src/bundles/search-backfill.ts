import { and, asc, eq, gt, isNotNull, lte, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { bundles, searchBackfill, searchPending } from '../../db/schema.ts'
import { Backfill } from './backfill.ts'
import { insertSearchText, searchText, unchanged } from './search.ts'

/** Bundles per batch, which takes about ten milliseconds. */
const BATCH = 100

/**
 * Fills `bundle_search` for bundles older than that table, and has `SearchIndex` index them, while the service runs; until
 * then their own columns are searched. Each batch is one transaction that also saves the position: after a crash the next process continues there,
 * and of two doing the same batch the second changes nothing.
 */
export function startSearchBackfill(store: Store, log: Logger): Backfill {
  return new Backfill(log, {
    batch: async () => ({ isDone: await batch(store), isMine: true }),
    failure: 'older bundles could not be indexed for search; trying again',
  })
}

/** Processes one batch. @returns whether it was the last. */
async function batch({ db, write }: Store): Promise<boolean> {
  const [at] = await db.select().from(searchBackfill)
  if (at === undefined) return true
  const rows = await db
    .select()
    .from(bundles)
    .where(among(at.afterBundle, at.untilBundle))
    .orderBy(asc(bundles.id))
    .limit(BATCH)
  const still = eq(searchBackfill.afterBundle, at.afterBundle)
  const last = rows.at(-1)?.id
  await write([
    ...rows.map((bundle) => insertSearchText(unchanged(bundle), searchText(bundle))),
    sql`INSERT OR IGNORE INTO ${searchPending} SELECT ${bundles.ownerId}, ${bundles.id} FROM ${bundles} WHERE ${and(among(at.afterBundle, last ?? at.untilBundle), isNotNull(bundles.ownerId))}`,
    last === undefined
      ? db.delete(searchBackfill).where(still)
      : db.update(searchBackfill).set({ afterBundle: last }).where(still),
  ])
  return last === undefined
}

function among(afterBundle: number, untilBundle: number) {
  return and(gt(bundles.id, afterBundle), lte(bundles.id, untilBundle))
}
