import { and, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { bundleLinks, checkedLinks, proposals } from '../../db/schema.ts'

// Pairs of a bundle and one of its links, with what was done about a result of checks. The `since` of a result identifies it.

export type Link = typeof checkedLinks.$inferSelect

/** The condition that a link still has the same result. */
export function isStill({ state, since }: Pick<Link, 'state' | 'since'>): SQL {
  return sql`${checkedLinks.state} = ${state} AND ${checkedLinks.since} = ${since}`
}

/** The condition that the owner of a bundle was not notified of a link’s result. */
export function isUntold(link: Link, bundleId: number): SQL {
  return isNotDone(link, bundleId, sql`${bundleLinks.toldOf}`)
}

/** The condition that no repair was proposed for a link’s result. */
export function isUnrepaired(link: Link, bundleId: number): SQL {
  return isNotDone(link, bundleId, sql`${bundleLinks.repairedOf}`)
}

/** The write that withdraws open repairs whose results no longer hold. @param which the condition that selects them. */
export function withdrawRepairs(db: Store['db'], which: SQL | undefined, now: number): Query {
  // Not imported from proposals: that module imports all their validation, and this one is loaded as the service starts.
  const isOpen = and(sql`${proposals.state} = 'open'`, isNotNull(proposals.repairs), which)
  return db.update(proposals).set({ state: 'withdrawn', decidedAt: now }).where(isOpen)
}

function isNotDone(link: Link, bundleId: number, doneOf: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM ${bundleLinks} JOIN ${checkedLinks} ON ${checkedLinks.id} = ${bundleLinks.linkId}
    WHERE ${bundleLinks.bundleId} = ${bundleId} AND ${checkedLinks.id} = ${link.id} AND ${isStill(link)} AND ${doneOf} IS NOT ${checkedLinks.since})`
}
