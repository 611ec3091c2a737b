import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, gt, inArray, isNull, lte, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { bundleChanges, bundleSites, bundles, sites } from '../../db/schema.ts'

/**
 * Longer than looking at a site takes, waits for turns included: after this, the process that leased it counts as dead, or as
 * having got no turn.
 */
const LEASE_MS = 600_000

/** From how many due sites those to look at are chosen. */
const CHOSEN_FROM = 200
/** For how many bundles that link to a site the owners are read. */
const OWNERS = 8
/** How long a site whose owners have had their share makes room for others. */
const MAKES_ROOM_MS = 5_000

/** A site that is due, and the owner whose place it takes; null if no bundle links to it any more. */
export interface DueSite {
  origin: string
  ownerId: number | null
}

/** Places for sites being looked at. */
export interface Places {
  free: number
  /** The most places of one owner. */
  each: number
  takenBy: ReadonlyMap<number | null, number>
}

/** Leases sites whose icon is due, those that have waited longest first, as far as their owners have places left. */
export async function takeDueSites(
  { db, write }: Pick<Store, 'db' | 'write'>,
  { free, each, takenBy }: Places,
  now: number,
): Promise<DueSite[]> {
  const due = and(isNull(sites.unusedSince), lte(sites.dueAt, now))
  // Column names are written out, because drizzle omits table names in queries on one table.
  const ownersOf = sql<string>`(SELECT json_group_array(DISTINCT owner_id) FROM (SELECT bundles.owner_id FROM bundle_sites
    JOIN bundles ON bundles.id = bundle_sites.bundle_id WHERE bundle_sites.origin = sites.origin
    ORDER BY bundle_sites.bundle_id DESC LIMIT ${OWNERS}))`
  const columns = { origin: sites.origin, owners: ownersOf }
  const found = await db.select(columns).from(sites).where(due).orderBy(sites.dueAt).limit(CHOSEN_FROM)
  const counts = new Map(takenBy)
  const taken = new Map<string, DueSite>()
  const waiting: string[] = []
  for (const { origin, owners } of found) {
    if (taken.size === free) break
    const ids = JSON.parse(owners) as (number | null)[]
    const ownerId = (ids.length === 0 ? [null] : ids).find((id) => (counts.get(id) ?? 0) < each)
    if (ownerId === undefined) {
      waiting.push(origin)
      continue
    }
    taken.set(origin, { origin, ownerId })
    counts.set(ownerId, (counts.get(ownerId) ?? 0) + 1)
  }
  const put = (origins: string[], ms: number) =>
    db
      .update(sites)
      .set({ dueAt: now + ms })
      .where(and(inArray(sites.origin, origins), due))
      .returning({ origin: sites.origin })
  // Sites of other owners may come after the ones read.
  const areInTheWay = found.length === CHOSEN_FROM && taken.size < free && waiting.length > 0
  if (taken.size === 0 && !areInTheWay) return []
  const [leased] = await write([
    put([...taken.keys()], LEASE_MS),
    ...(areInTheWay ? [put(waiting, MAKES_ROOM_MS)] : []),
  ])
  return (leased?.rows ?? []).flatMap(({ origin }) => taken.get(String(origin)) ?? [])
}

/** How many launchers one write covers, and the pause between writes. */
const AT_ONCE = 500
const PAUSE_MS = 50

/** Makes every process drop the cached launchers that link to a site, because its icon has changed. */
export async function tellLaunchers(
  { db, write }: Pick<Store, 'db' | 'write'>,
  origin: string,
  isStopping: () => boolean,
): Promise<void> {
  for (let last = 0; !isStopping(); ) {
    const linking = await db
      .select({ bundleId: bundleSites.bundleId })
      .from(bundleSites)
      .where(and(eq(bundleSites.origin, origin), gt(bundleSites.bundleId, last)))
      .orderBy(bundleSites.bundleId)
      .limit(AT_ONCE)
    if (linking.length > 0) {
      const ids = linking.map(({ bundleId }) => bundleId)
      await write([
        sql`INSERT INTO ${bundleChanges} (bundle_id, slug, at) SELECT ${bundles.id}, ${bundles.slug}, ${Date.now()} FROM ${bundles} WHERE ${inArray(bundles.id, ids)}`,
      ])
      last = ids.at(-1) ?? last
    }
    if (linking.length < AT_ONCE) return
    await sleep(PAUSE_MS)
  }
}
