import { and, asc, eq, gt, lte } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { bundles, searchBackfill } from '../../db/schema.ts'
import { Backfill } from './backfill.ts'
import { insertSearchText, searchText } from './search.ts'

/** Bundles per batch, which takes about ten milliseconds. */
const BATCH = 100

/**
 * Fills `bundle_search` for bundles older than that table, while the service runs; until then their own columns are
 * searched. Each batch is one transaction that also saves the position: after a crash the next process continues there,
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
    .where(and(gt(bundles.id, at.afterBundle), lte(bundles.id, at.untilBundle)))
    .orderBy(asc(bundles.id))
    .limit(BATCH)
  const still = eq(searchBackfill.afterBundle, at.afterBundle)
  const last = rows.at(-1)?.id
  await write([
    // Only if the bundle is unchanged since it was read: an edit has written its own row.
    ...rows.map((bundle) => {
      const { id, versionNumber } = bundle
      return insertSearchText(and(eq(bundles.id, id), eq(bundles.versionNumber, versionNumber)), searchText(bundle))
    }),
    last === undefined
      ? db.delete(searchBackfill).where(still)
      : db.update(searchBackfill).set({ afterBundle: last }).where(still),
  ])
  return last === undefined
}
