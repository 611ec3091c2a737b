import { and, asc, eq, gt, lte } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { bundles, searchBackfill } from '../../db/schema.ts'
import { Backfill } from './backfill.ts'
import { insertSearchText } from './search.ts'

/** Bundles of one batch, which takes some ten milliseconds. */
const BATCH = 100

/**
 * Writes what bundles from before there was `bundle_search` are found by, while the service runs; until then they are
 * searched in their own columns. Every batch is one transaction that also says how far it came: after a crash the next
 * process goes on from there, and of two that do the same batch the second changes nothing.
 */
export function startSearchBackfill(store: Store, log: Logger): Backfill {
  return new Backfill(log, {
    batch: async () => ({ isDone: await batch(store), isMine: true }),
    failure: 'older bundles could not be made ready for search; trying again',
  })
}

/** One batch. @returns whether it was the last. */
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
    // Only for the version that was read: an edit since then has written its own, and a deletion wants none.
    ...rows.map((bundle) => {
      const { id, versionNumber } = bundle
      return insertSearchText(and(eq(bundles.id, id), eq(bundles.versionNumber, versionNumber)), bundle)
    }),
    last === undefined
      ? db.delete(searchBackfill).where(still)
      : db.update(searchBackfill).set({ afterBundle: last }).where(still),
  ])
  return last === undefined
}
