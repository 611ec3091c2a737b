import { and, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { bundleLinks, checkedLinks, proposals } from '../../db/schema.ts'

// A bundle and a link of it, and what was done about a finding: the `since` of the finding says which one it was.

export type Link = typeof checkedLinks.$inferSelect

/** Whether nothing else was found of a link since. */
export function isStill({ state, since }: Pick<Link, 'state' | 'since'>): SQL {
  return sql`${checkedLinks.state} = ${state} AND ${checkedLinks.since} = ${since}`
}

/** Whether the owner of a bundle was not told of what was found of a link. */
export function isUntold(link: Link, bundleId: number): SQL {
  return isNotDone(link, bundleId, sql`${bundleLinks.toldOf}`)
}

/** Whether no repair was proposed for it. */
export function isUnrepaired(link: Link, bundleId: number): SQL {
  return isNotDone(link, bundleId, sql`${bundleLinks.repairedOf}`)
}

/** Withdraws open repairs, of which what was found is not so any more. */
export function withdrawRepairs(db: Store['db'], which: SQL | undefined, now: number): Query {
  // Written out: the module of proposals brings all that validates them, and this one is loaded as the service starts.
  const isOpen = and(sql`${proposals.state} = 'open'`, isNotNull(proposals.repairs), which)
  return db.update(proposals).set({ state: 'withdrawn', decidedAt: now }).where(isOpen)
}

function isNotDone(link: Link, bundleId: number, doneOf: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM ${bundleLinks} JOIN ${checkedLinks} ON ${checkedLinks.id} = ${bundleLinks.linkId}
    WHERE ${bundleLinks.bundleId} = ${bundleId} AND ${checkedLinks.id} = ${link.id} AND ${isStill(link)} AND ${doneOf} IS NOT ${checkedLinks.since})`
}
