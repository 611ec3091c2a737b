import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Query } from '../../db/client.ts'
import { bundleLinks, bundles, checkedLinks, owners } from '../../db/schema.ts'
import type { Mailer } from '../mail/mailer.ts'
import { noteBroken } from './mails.ts'
import { isStill, isUntold, type Link } from './pairs.ts'
import { proposeRepair, type Repairing } from './repairs.ts'

// What is found of a link is told to each bundle that has it. Any number of processes may do so on one store: what each bundle was
// told of is stored in the transaction that tells it.

/** Links looked through in one go, and bundles of each. */
const LINKS_AT_ONCE = 10
const BUNDLES_AT_ONCE = 20

/** What telling needs. */
export interface Telling extends Repairing {
  mailer: Pick<Mailer, 'isConfigured'>
}

/** Tells some bundles of what was found of their links, and proposes repairs. @returns whether there was anything to tell. */
export async function tellSome(telling: Telling, now: number): Promise<boolean> {
  const links = await telling.store.db
    .select()
    .from(checkedLinks)
    .where(sql`${checkedLinks.toldUpTo} IS NOT NULL`)
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
    .where(and(eq(bundleLinks.linkId, link.id), gt(bundleLinks.bundleId, link.toldUpTo ?? 0)))
    .orderBy(asc(bundleLinks.bundleId))
    .limit(BUNDLES_AT_ONCE)
  for (const bundle of having) {
    if (link.state === 'broken') await write(tellBroken(telling, link, bundle, now))
    await proposeRepair(telling, link, bundle.id, now)
  }
  const last = having.length < BUNDLES_AT_ONCE ? null : (having.at(-1)?.id ?? null)
  const isSame = and(eq(checkedLinks.id, link.id), eq(checkedLinks.toldUpTo, sql`${link.toldUpTo}`), isStill(link))
  await write([db.update(checkedLinks).set({ toldUpTo: last }).where(isSame)])
}

/** One event for all links of a bundle that are broken by now. */
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
