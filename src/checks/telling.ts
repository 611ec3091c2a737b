import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Query } from '../../db/client.ts'
import { bundleLinks, bundles, checkedLinks, owners } from '../../db/schema.ts'
import type { Mailer } from '../mail/mailer.ts'
import { noteBroken } from './mails.ts'
import { isStill, isUntold, type Link } from './pairs.ts'
import { proposeRepair, type Repairing } from './repairs.ts'

// Notifies owners of the results of link checks, for each bundle with the link. Any number of processes may do so on one store:
// the transaction that notifies also stores of which result.

/** How many links are handled at once, and how many bundles of each. */
const LINKS_AT_ONCE = 10
const BUNDLES_AT_ONCE = 20

/** The parameters for notifying. */
export interface Telling extends Repairing {
  mailer: Pick<Mailer, 'isConfigured'>
}

/** Notifies the owners of some bundles of results for their links, and proposes repairs. @returns whether there were any. */
export async function tellSome(telling: Telling, now: number): Promise<boolean> {
  const links = await telling.store.db
    .select()
    .from(checkedLinks)
    .where(sql`${checkedLinks.lastNotifiedBundleId} IS NOT NULL`)
    .orderBy(asc(checkedLinks.id))
    .limit(LINKS_AT_ONCE)
  for (const link of links) await tell(telling, link, now)
  return links.length > 0
}

async function tell(telling: Telling, link: Link, now: number): Promise<void> {
  const { db, write } = telling.store
  const having = await db
    .select({ id: bundles.id, versionNumber: bundles.versionNumber })
    .from(bundleLinks)
    .innerJoin(bundles, and(eq(bundles.id, bundleLinks.bundleId), isNull(bundles.deletedAt)))
    .innerJoin(owners, and(eq(owners.id, bundles.ownerId), eq(owners.id, link.ownerId), eq(owners.checkLinks, true)))
    .where(and(eq(bundleLinks.linkId, link.id), gt(bundleLinks.bundleId, link.lastNotifiedBundleId ?? 0)))
    .orderBy(asc(bundleLinks.bundleId))
    .limit(BUNDLES_AT_ONCE)
  for (const bundle of having) {
    if (link.state === 'broken') await write(tellBroken(telling, link, bundle, now))
    await proposeRepair(telling, link, bundle.id, now)
  }
  const last = having.length < BUNDLES_AT_ONCE ? null : (having.at(-1)?.id ?? null)
  const isSame = and(
    eq(checkedLinks.id, link.id),
    eq(checkedLinks.lastNotifiedBundleId, sql`${link.lastNotifiedBundleId}`),
    isStill(link),
  )
  await write([db.update(checkedLinks).set({ lastNotifiedBundleId: last }).where(isSame)])
}

/** The writes for one event about all links of a bundle that are broken by now. */
function tellBroken(
  { mailer }: Telling,
  link: Link,
  { id, versionNumber }: Pick<typeof bundles.$inferSelect, 'id' | 'versionNumber'>,
  now: number,
): Query[] {
  const isNews = isUntold(link, id)
  const broken = sql`SELECT ${checkedLinks.since} FROM ${checkedLinks} WHERE ${checkedLinks.id} = link_id AND ${checkedLinks.state} = 'broken'`
  return [
    sql`INSERT INTO happened (owner_id, type, bundle_id, version_number, at)
      SELECT ${link.ownerId}, 'bundle.links_broken', ${id}, ${versionNumber}, ${now} WHERE ${isNews}`,
    ...noteBroken(mailer, link.ownerId, isNews, now),
    sql`UPDATE ${bundleLinks} SET told_of = (${broken}) WHERE bundle_id = ${id} AND EXISTS (${broken})`,
  ]
}
