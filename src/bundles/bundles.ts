import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { brokenConstraint, type Store } from '../../db/client.ts'
import { bundles } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { Problem } from '../core/problem.ts'
import { iso } from '../core/time.ts'
import type { SignedIn } from '../identity/caller.ts'
import { bundleCountOf, capOf, capReached } from '../plans/caps.ts'
import { externalIdTaken } from './own-fields.ts'
import { loadDeletedFor, loadFor, noBundle, type StoredBundle } from './roles.ts'

/** What deleting and restoring need. */
interface Change {
  store: Store
  config: Config
  caller: SignedIn
}

/**
 * Soft-deletes a bundle: keeps its slug and versions; its launcher answers 404.
 * @throws Problem NOT_FOUND, FORBIDDEN, VERSION_CONFLICT.
 */
export async function remove(
  { store, config, caller }: Change,
  slug: string,
  expectedVersion: number | null,
): Promise<{ slug: string; deletedAt: string }> {
  const bundle = await loadFor(store.db, caller, slug, 'admin')
  refuseStale(bundle, expectedVersion)
  const deletedAt = Date.now()
  const [result] = await store.write([
    store.db
      .update(bundles)
      .set({ deletedAt })
      .where(
        and(
          eq(bundles.id, bundle.id),
          eq(bundles.ownerId, sql`${bundle.ownerId}`),
          isNull(bundles.deletedAt),
          eq(bundles.versionNumber, expectedVersion ?? bundles.versionNumber),
        ),
      ),
  ])
  if (result?.rowsAffected === 1) return { slug, deletedAt: iso(deletedAt) }
  // A concurrent change won: the right error, or, if the bundle has moved to where this caller may delete it too, another try.
  return remove({ store, config, caller }, slug, expectedVersion)
}

/**
 * Restores a deleted bundle; does nothing if it is not deleted.
 * @throws Problem NOT_FOUND, also if it has been deleted for too long; FORBIDDEN; PLAN_LIMIT if the owner’s plan is full;
 * EXTERNAL_ID_TAKEN if another bundle has its external id meanwhile.
 */
export async function restore({ store, config, caller }: Change, slug: string): Promise<StoredBundle> {
  const bundle = await loadDeletedFor(store.db, caller, slug)
  if (bundle.deletedAt === null) return bundle
  if (!isRestorable(bundle.deletedAt, config)) throw noBundle('This bundle was deleted for good.')
  const writes = [
    store.db
      .update(bundles)
      .set({ deletedAt: null })
      .where(
        and(
          eq(bundles.id, bundle.id),
          isNotNull(bundles.deletedAt),
          sql`${bundleCountOf(bundle.owner)} < ${capOf(bundle.owner, config)}`,
        ),
      ),
    // If it is still deleted, the plan is full. Checked in the same transaction, because someone may delete it again
    // right after.
    sql`SELECT 1 FROM ${bundles} WHERE ${bundles.id} = ${bundle.id} AND ${bundles.deletedAt} IS NOT NULL`,
  ]
  const [, left] = await store.write(writes).catch((error: unknown) => {
    throw brokenConstraint(error)?.includes('bundles.external_id') ? externalIdTaken(bundle.externalId ?? '') : error
  })
  if (left?.rows.length !== 0) throw await capReached(store, bundle.owner, config)
  return loadDeletedFor(store.db, caller, slug)
}

/**
 * Refuses an edit based on an outdated version.
 * @throws Problem VERSION_CONFLICT.
 */
export function refuseStale({ versionNumber }: StoredBundle, expectedVersion: number | null): void {
  if (expectedVersion === null || expectedVersion === versionNumber) return
  throw new Problem(
    'VERSION_CONFLICT',
    `This bundle is at version ${versionNumber} now, not ${expectedVersion}. Read it again, then send your change for that version.`,
  )
}

/** Whether a deleted bundle can still be restored. */
function isRestorable(deletedAt: number, { keepDeletedMs }: Pick<Config, 'keepDeletedMs'>): boolean {
  return Date.now() < deletedAt + keepDeletedMs
}
