import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, gt, inArray, isNull, lte, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { bundleChanges, bundleSites, bundles, sites } from '../../db/schema.ts'

/**
 * Longer than a site is looked at, with all turns that are waited for: after this, the process that leased it is taken to be dead,
 * or to have had none.
 */
const LEASE_MS = 600_000

/** Leases sites whose icon is to be looked for, those that have waited longest first. @returns their origins. */
export async function takeDueSites(
  { db, write }: Pick<Store, 'db' | 'write'>,
  most: number,
  now: number,
): Promise<string[]> {
  const due = and(isNull(sites.unusedSince), lte(sites.dueAt, now))
  const found = await db.select({ origin: sites.origin }).from(sites).where(due).orderBy(sites.dueAt).limit(most)
  if (found.length === 0) return []
  const origins = found.map(({ origin }) => origin)
  const [leased] = await write([
    db
      .update(sites)
      .set({ dueAt: now + LEASE_MS })
      .where(and(inArray(sites.origin, origins), due))
      .returning({ origin: sites.origin }),
  ])
  return (leased?.rows ?? []).map(({ origin }) => String(origin))
}

/** Launchers that one write tells of, and the pause between writes. */
const AT_ONCE = 500
const PAUSE_MS = 50

/** Has every process drop the launchers that show a site, because its icon is another. */
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
        sql`INSERT INTO ${bundleChanges} (slug, at) SELECT ${bundles.slug}, ${Date.now()} FROM ${bundles} WHERE ${inArray(bundles.id, ids)}`,
      ])
      last = ids.at(-1) ?? last
    }
    if (linking.length < AT_ONCE) return
    await sleep(PAUSE_MS)
  }
}
