import { and, asc, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { bundleLinks, bundles, checkedLinks, owners } from '../../db/schema.ts'

// What is found of a link is told to each bundle that has it. Any number of processes may do so on one store: what each bundle was
// told of is stored in the transaction that tells it.

/** Links looked through in one go, and bundles of each. */
const LINKS_AT_ONCE = 10
const BUNDLES_AT_ONCE = 20

export type Link = typeof checkedLinks.$inferSelect
/** A bundle that has a link. */
export type Having = Pick<typeof bundles.$inferSelect, 'id' | 'versionNumber'> & { ownerId: number }

/** Tells some bundles of what was found of their links. @returns whether there was anything to tell. */
export async function tellSome(store: Store, now: number): Promise<boolean> {
  const links = await store.db
    .select()
    .from(checkedLinks)
    .where(sql`${checkedLinks.toldUpTo} IS NOT NULL`)
    .orderBy(asc(checkedLinks.id))
    .limit(LINKS_AT_ONCE)
  for (const link of links) await tell(store, link, now)
  return links.length > 0
}

async function tell({ db, write }: Store, link: Link, now: number): Promise<void> {
  const having = await db
    .select({ id: bundles.id, versionNumber: bundles.versionNumber })
    .from(bundleLinks)
    .innerJoin(bundles, and(eq(bundles.id, bundleLinks.bundleId), isNull(bundles.deletedAt)))
    .innerJoin(owners, and(eq(owners.id, bundles.ownerId), eq(owners.id, link.ownerId), eq(owners.checkLinks, true)))
    .where(and(eq(bundleLinks.linkId, link.id), gt(bundleLinks.bundleId, link.toldUpTo ?? 0)))
    .orderBy(asc(bundleLinks.bundleId))
    .limit(BUNDLES_AT_ONCE)
  for (const one of having)
    await write(link.state === 'broken' ? tellBroken(link, { ...one, ownerId: link.ownerId }, now) : [])
  const last = having.length < BUNDLES_AT_ONCE ? null : (having.at(-1)?.id ?? null)
  const isSame = and(eq(checkedLinks.id, link.id), eq(checkedLinks.toldUpTo, sql`${link.toldUpTo}`), isStill(link))
  await write([db.update(checkedLinks).set({ toldUpTo: last }).where(isSame)])
}

/** Whether nothing else was found of a link since. */
function isStill({ state, since }: Link): SQL {
  return sql`${checkedLinks.state} = ${state} AND ${checkedLinks.since} = ${since}`
}

/** One event for all links of a bundle that are broken by now. */
function tellBroken(link: Link, { id, ownerId, versionNumber }: Having, now: number): Query[] {
  const isUntold = sql`EXISTS (SELECT 1 FROM ${bundleLinks} JOIN ${checkedLinks} ON ${checkedLinks.id} = ${bundleLinks.linkId}
    WHERE ${bundleLinks.bundleId} = ${id} AND ${checkedLinks.id} = ${link.id} AND ${isStill(link)} AND ${bundleLinks.toldOf} IS NOT ${checkedLinks.since})`
  const broken = sql`SELECT ${checkedLinks.since} FROM ${checkedLinks} WHERE ${checkedLinks.id} = link_id AND ${checkedLinks.state} = 'broken'`
  return [
    sql`INSERT INTO happened (owner_id, type, bundle_id, version_number, at)
      SELECT ${ownerId}, 'bundle.links_broken', ${id}, ${versionNumber}, ${now} WHERE ${isUntold}`,
    sql`UPDATE ${bundleLinks} SET told_of = (${broken}) WHERE bundle_id = ${id} AND EXISTS (${broken})`,
  ]
}
