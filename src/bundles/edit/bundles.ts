import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { brokenConstraint, type Store } from '../../../db/client.ts'
import { prepared } from '../../../db/prepared.ts'
import { bundles, member, owners } from '../../../db/schema.ts'
import type { Config } from '../../config/config.ts'
import { Problem } from '../../core/problem.ts'
import { iso } from '../../core/time.ts'
import { type Role, requireRole, type SignedIn, type Subject } from '../../identity/caller.ts'
import { bundleCountOf, capOf, capReached } from '../../plans/owners.ts'
import { LISTED_NAMES, pick, UNLISTED_NAMES } from '../content/content.ts'
import { linkOf } from '../links/link-fields.ts'
import { aliasesIn, externalIdTaken, toMetadata } from './unversioned.ts'

export type StoredBundle = Omit<typeof bundles.$inferSelect, 'addressHash' | 'slugHash' | 'viewedAt' | 'bytes'> & {
  owner: Subject
}

/** The fields of a caller that decide which bundles they reach. */
type Reaching = Pick<SignedIn, 'kind' | 'userId' | 'subject'>

/**
 * Loads a bundle for a caller who needs a role over it. The only place that checks roles over bundles, but for `pins.ts`, which
 * checks again in its transaction. A member of the owning organisation has their role there, whichever subject is active.
 * @throws Problem NOT_FOUND; FORBIDDEN with what is missing.
 */
export async function loadFor(db: Store['db'], caller: Reaching, slug: string, needed: Role): Promise<StoredBundle> {
  const [row] = await rows(db).all({ slug, userId: caller.userId })
  if (row === undefined || row.bundle.deletedAt === null) return loaded(row, caller, needed)
  // Only those who can restore it learn that it was deleted.
  if (row.bundle.ownerId === null || roleOver(row, caller) !== 'admin') throw noBundle()
  throw noBundle('This bundle was deleted: restore_bundle brings it back.')
}

/** Loads a bundle, deleted or not, for an admin. */
async function loadDeletedFor(db: Store['db'], caller: Reaching, slug: string) {
  const [row] = await rows(db).all({ slug, userId: caller.userId })
  return loaded(row, caller, 'admin')
}

/** The bundle with a slug, its owner, and the user’s role in the owning organisation. */
const rows = prepared((db) =>
  db
    .select({ bundle: bundles, userId: owners.userId, organizationId: owners.organizationId, role: member.role })
    .from(bundles)
    .leftJoin(owners, eq(owners.id, bundles.ownerId))
    .leftJoin(
      member,
      and(eq(member.organizationId, owners.organizationId), eq(member.userId, sql.placeholder('userId'))),
    )
    .where(eq(bundles.slug, sql.placeholder('slug')))
    .prepare(),
)

type Row = Awaited<ReturnType<ReturnType<typeof rows>['all']>>[number]

const NO_BUNDLE =
  'There is no bundle with this slug. A slug is what a link ends in, /l/<slug>: list_bundles with q finds it by its title.'

/** The error for a slug that is unknown or whose bundle is deleted. */
function noBundle(message = NO_BUNDLE): Problem {
  const userMessage = 'This bundle doesn’t exist. It may have been deleted.'
  return new Problem('NOT_FOUND', message, { userMessage })
}

function loaded(row: Row | undefined, caller: Reaching, needed: Role): StoredBundle {
  if (row === undefined) throw noBundle()
  if (row.bundle.ownerId === null)
    throw new Problem(
      'FORBIDDEN',
      'This bundle has no owner yet: claim it first, or read what its link shows with get_tabs.',
    )
  const owner = subjectOf(row)
  const role = roleOver(row, caller)
  if (role === null) {
    const userMessage = 'This bundle belongs to another account. If that’s yours, sign in with it.'
    throw new Problem('FORBIDDEN', 'you do not own this bundle: get_tabs reads what its link shows', { userMessage })
  }
  requireRole(role, needed)
  const { addressHash: _, slugHash: _hash, viewedAt: _viewed, bytes: _bytes, ...bundle } = row.bundle
  return { ...bundle, owner }
}

/** The caller’s role over an owned bundle; null if they do not reach it. */
function roleOver(row: Row, caller: Reaching): Role | null {
  // A key reaches only its own subject’s bundles; a person, every bundle over which they have a role.
  const isReached = caller.kind === 'session' || isSameSubject(subjectOf(row), caller.subject)
  if (!isReached) return null
  return row.userId === caller.userId ? 'admin' : row.role
}

export function isSameSubject(one: Subject, other: Subject): boolean {
  if (one.type === 'user') return other.type === 'user' && one.userId === other.userId
  return other.type === 'organization' && one.organizationId === other.organizationId
}

/** The owner of a bundle, from the columns of `owners`. */
export function subjectOf({
  userId,
  organizationId,
}: {
  userId: string | null
  organizationId: string | null
}): Subject {
  if (userId !== null) return { type: 'user', userId }
  if (organizationId !== null) return { type: 'organization', organizationId }
  throw new Error('an owner that is neither user nor organisation')
}

/** The parameters for deleting and restoring. */
interface Change {
  store: Store
  config: Config
  caller: SignedIn
}

/**
 * Soft-deletes a bundle: it keeps its slug and versions, and its launcher answers 404.
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
  // A concurrent change won. Another try throws the right error, or deletes the bundle if its new owner allows that.
  return remove({ store, config, caller }, slug, expectedVersion)
}

/**
 * Restores a deleted bundle; does nothing if it is not deleted.
 * @throws Problem NOT_FOUND, also if it has been deleted for too long; FORBIDDEN; PLAN_LIMIT if the owner’s plan is full;
 * EXTERNAL_ID_TAKEN if another bundle now has its external id.
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
    // If it is still deleted, the plan is full. Checked in the same transaction, because someone may delete it again soon after.
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

type Site = Pick<Config, 'origin' | 'shortPaths'>

/** A bundle as lists show it; if deleted, with the time of deletion. */
export function toListItem(bundle: StoredBundle, site: Site) {
  const { slug, owner, source, versionNumber, externalId, deletedAt } = bundle
  return {
    slug,
    url: linkOf(slug, site),
    versionNumber,
    ...pick(LISTED_NAMES, bundle),
    owner,
    createdAt: iso(bundle.createdAt),
    updatedAt: iso(bundle.updatedAt),
    source,
    externalId,
    aliases: aliasesIn(bundle.aliases),
    ...(deletedAt === null ? {} : { deletedAt: iso(deletedAt) }),
  }
}

/** A bundle as the API answers it in full. */
export function toBundle(bundle: StoredBundle, site: Site) {
  return { ...toListItem(bundle, site), metadata: toMetadata(bundle), ...pick(UNLISTED_NAMES, bundle) }
}

/** The ETag of a bundle: its version. */
export function etag({ versionNumber }: Pick<StoredBundle, 'versionNumber'>): string {
  return `"v${versionNumber}"`
}
