import { and, eq, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { bundles, member, owners } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import type { SignedIn, Subject } from '../identity/caller.ts'
import { type Role, requireRole } from '../identity/roles.ts'

export type StoredBundle = Omit<typeof bundles.$inferSelect, 'addressHash' | 'slugHash' | 'viewedAt' | 'bytes'> & {
  owner: Subject
}

/** Of a caller, what decides which bundles they reach. */
type Reaching = Pick<SignedIn, 'kind' | 'userId' | 'subject'>

/**
 * Loads a bundle for a caller who needs a role over it. The only place that checks roles over bundles. A
 * member of the owning organisation has their role there, whichever subject is active.
 * @throws Problem NOT_FOUND; FORBIDDEN, saying what is missing.
 */
export async function loadFor(db: Store['db'], caller: Reaching, slug: string, needed: Role): Promise<StoredBundle> {
  const [row] = await rows(db).all({ slug, userId: caller.userId })
  if (row === undefined || row.bundle.deletedAt === null) return loaded(row, caller, needed)
  // Told only to those who can restore it.
  if (row.bundle.ownerId === null || roleOver(row, caller) !== 'admin') throw noBundle()
  throw noBundle('This bundle was deleted: restore_bundle brings it back.')
}

/** The same for an admin, of a bundle that may be deleted. */
export async function loadDeletedFor(db: Store['db'], caller: Reaching, slug: string) {
  const [row] = await rows(db).all({ slug, userId: caller.userId })
  return loaded(row, caller, 'admin')
}

/** The bundle with a slug, its owner and the user’s role there. */
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

/** The error for an unknown slug, or one whose bundle is deleted. */
export function noBundle(message = NO_BUNDLE): Problem {
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
