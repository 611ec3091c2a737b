import { and, eq, isNotNull, isNull, or, sql } from 'drizzle-orm'
import type { Store } from '../../../db/client.ts'
import { prepared } from '../../../db/prepared.ts'
import { bundles, member, owners, pins, sharedPins } from '../../../db/schema.ts'
import { Problem } from '../../core/problem.ts'
import { iso } from '../../core/time.ts'
import { allows, type SignedIn } from '../../identity/caller.ts'
import type { PinState } from '../content/answers.ts'
import { loadFor } from '../edit/bundles.ts'

// Pins are personal: they change only the order of that person's lists. A key pins for the person who created it. An admin can also
// pin for everybody: that orders the organisation's start page.

/** How many bundles a person can pin, in all workspaces together: lists read them with each page. */
const MOST = 50

/**
 * Pins a bundle for the caller; does nothing if it is already pinned.
 * @throws Problem NOT_FOUND; FORBIDDEN if they may not read it; PLAN_LIMIT if they have pinned as many as they can.
 */
export async function pin(store: Store, caller: SignedIn, slug: string): Promise<PinState> {
  const { userId } = caller
  const bundle = await loadFor(store.db, caller, slug, 'viewer')
  if (await isPinned(store, userId, slug)) return { slug, isPinned: true }
  const own = eq(pins.userId, userId)
  const isRoom = sql`(SELECT count(*) FROM ${pins} WHERE ${own}) < ${MOST}`
  const isReadable = and(
    eq(bundles.id, bundle.id),
    eq(bundles.ownerId, sql`${bundle.ownerId}`),
    isNull(bundles.deletedAt),
    or(eq(owners.userId, userId), eq(member.userId, userId)),
  )
  const [, result] = await store.write([
    // Nobody sees a pinned bundle that is deleted, so it must not take the place of another.
    sql`DELETE FROM ${pins} WHERE ${own} AND NOT ${isRoom} AND bundle_id IN (SELECT ${bundles.id} FROM ${bundles} WHERE ${isNotNull(bundles.deletedAt)} AND ${bundles.id} IN (SELECT bundle_id FROM ${pins} WHERE ${own}))`,
    sql`INSERT INTO ${pins} (user_id, bundle_id, pinned_at) SELECT ${userId}, ${bundles.id}, ${Date.now()}
      FROM ${bundles} JOIN ${owners} ON ${owners.id} = ${bundles.ownerId}
      LEFT JOIN ${member} ON ${member.organizationId} = ${owners.organizationId} AND ${member.userId} = ${userId}
      WHERE ${isReadable} AND ${isRoom} ON CONFLICT DO NOTHING`,
  ])
  if (result?.rowsAffected === 1 || (await isPinned(store, userId, slug))) return { slug, isPinned: true }
  // Either there is no room, or the caller may no longer read the bundle, which this finds out.
  await loadFor(store.db, caller, slug, 'viewer')
  throw new Problem('PLAN_LIMIT', `You’ve pinned ${MOST} bundles, which is the limit. Unpin one first.`)
}

/**
 * Unpins a bundle for the caller; does nothing if it is not pinned.
 * @throws Problem NOT_FOUND; FORBIDDEN if they may not read it.
 */
export async function unpin(store: Store, caller: SignedIn, slug: string): Promise<PinState> {
  const { id } = await loadFor(store.db, caller, slug, 'viewer')
  await store.write([store.db.delete(pins).where(and(eq(pins.userId, caller.userId), eq(pins.bundleId, id)))])
  return { slug, isPinned: false }
}

/** How many bundles an organisation's admins can pin for everybody. */
const MOST_SHARED = 25

/**
 * Pins a bundle of an organisation for everybody, or undoes that: its start page shows it first.
 * @throws Problem NOT_FOUND; FORBIDDEN for others than its admins; BAD_REQUEST for a person’s bundle; PLAN_LIMIT.
 */
export async function pinForEveryone(
  store: Store,
  caller: SignedIn,
  slug: string,
  isPinned: boolean,
): Promise<PinState> {
  if (!allows(caller.scopes, 'links:write')) throw new Problem('FORBIDDEN', 'forEveryone needs scope links:write')
  const { id, ownerId, owner } = await loadFor(store.db, caller, slug, 'admin')
  if (owner.type !== 'organization') throw new Problem('BAD_REQUEST', 'forEveryone is for bundles of an organisation')
  const own = eq(sharedPins.bundleId, id)
  if (!isPinned) {
    await store.write([store.db.delete(sharedPins).where(own)])
    return { slug, isPinned }
  }
  const pinned = sql`(SELECT count(*) FROM ${sharedPins} JOIN ${bundles} ON ${bundles.id} = ${sharedPins.bundleId} WHERE ${bundles.ownerId} = ${ownerId} AND ${isNull(bundles.deletedAt)} AND ${bundles.id} <> ${id})`
  const [result] = await store.write([
    sql`INSERT INTO ${sharedPins} (bundle_id, pinned_at) SELECT ${bundles.id}, ${Date.now()} FROM ${bundles}
      WHERE ${bundles.id} = ${id} AND ${bundles.ownerId} = ${ownerId} AND ${isNull(bundles.deletedAt)} AND ${pinned} < ${MOST_SHARED}
      ON CONFLICT DO UPDATE SET pinned_at = pinned_at`,
  ])
  if (result?.rowsAffected === 1) return { slug, isPinned }
  await loadFor(store.db, caller, slug, 'admin')
  throw new Problem(
    'PLAN_LIMIT',
    `Your organisation has pinned ${MOST_SHARED} bundles for everybody, which is the limit. Unpin one first.`,
  )
}

async function isPinned({ db }: Store, userId: string, slug: string): Promise<boolean> {
  return (await found(db).all({ userId, slug })).length > 0
}

/** Whether the person and whether an admin has pinned a bundle; neither for no bundle. */
export async function pinsOn(store: Store, userId: string, slug: string | undefined) {
  if (slug === undefined) return { isPinned: false, isPinnedForEveryone: false }
  const [own, shared] = await Promise.all([isPinned(store, userId, slug), foundShared(store.db).all({ slug })])
  return { isPinned: own, isPinnedForEveryone: shared.length > 0 }
}

const foundShared = prepared((db) =>
  db
    .select({ id: sharedPins.bundleId })
    .from(bundles)
    .innerJoin(sharedPins, eq(sharedPins.bundleId, bundles.id))
    .where(eq(bundles.slug, sql.placeholder('slug')))
    .prepare(),
)

const found = prepared((db) =>
  db
    .select({ id: pins.bundleId })
    .from(bundles)
    .innerJoin(pins, and(eq(pins.bundleId, bundles.id), eq(pins.userId, sql.placeholder('userId'))))
    .where(eq(bundles.slug, sql.placeholder('slug')))
    .prepare(),
)

/** A person’s pins, the oldest first. */
export async function pinsOf({ db }: Store, userId: string): Promise<{ slug: string; pinnedAt: string }[]> {
  const rows = await db
    .select({ slug: bundles.slug, pinnedAt: pins.pinnedAt })
    .from(pins)
    .innerJoin(bundles, eq(bundles.id, pins.bundleId))
    .where(eq(pins.userId, userId))
    .orderBy(pins.pinnedAt, pins.bundleId)
  return rows.map(({ slug, pinnedAt }) => ({ slug, pinnedAt: iso(pinnedAt) }))
}
