import { sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { bundles, pins } from '../../db/schema.ts'
import type { SignedIn } from '../identity/caller.ts'
import { waitForReadSlot } from '../operations/read-slots.ts'
import { subjectIdOf } from '../plans/owners.ts'
import { eachShape, isAfter, matching, ORDERS, type Searching, type Shape, searched, shapeOf } from './list-order.ts'
import type { Listing } from './shapes.ts'
import { contentBytes } from './stored.ts'

/** What stands for a bundle of the page, with its size in the store. */
export interface Sized {
  id: number
  bytes: number
}

/** Where a page begins: after an entry with these, or with nulls from the start. */
export interface Place {
  key: string | number | null
  keyId: number | null
}

/** Those of a list that the caller has pinned, in its order, and whether they come after an entry: few enough to be read with each page. */
export async function pinnedIn(
  { db }: Store,
  caller: SignedIn,
  listing: Listing,
  after: Place,
): Promise<(Sized & { isAfter: number | null })[]> {
  if (listing.state === 'deleted') return []
  const { subject, userId } = caller
  await waitForReadSlot(userId)
  return pinnedOf(db)(shapeOf(listing, subject)).all({
    userId,
    owner: subjectIdOf(subject),
    ...searched(listing),
    ...after,
  })
}

const pinnedOf = prepared((db) =>
  eachShape((shape: Shape & Searching) => {
    const own = sql`SELECT ${pins.bundleId} FROM ${pins} WHERE ${pins.userId} = ${sql.placeholder('userId')}`
    return (
      db
        .select({ id: bundles.id, bytes: contentBytes(), isAfter: sql<number | null>`${isAfter(shape.sort)}` })
        .from(bundles)
        // CASE, so that SQLite reads these, and does not look for them among all of the owner.
        .where(sql`${bundles.id} IN (${own}) AND CASE WHEN ${matching(shape)} THEN 1 END`)
        .orderBy(...ORDERS[shape.sort])
        .prepare()
    )
  }),
)
