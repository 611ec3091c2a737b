import { and, eq, sql } from 'drizzle-orm'
import { readNamed } from '../../db/catch-up.ts'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { bundles, member, owners } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import type { SignedIn, Subject } from '../identity/caller.ts'
import { type Role, requireRole } from '../identity/roles.ts'

/** A stored bundle with its owner. */
export type StoredBundle = Omit<typeof bundles.$inferSelect, 'addressHash'> & { owner: Subject }

/**
 * Loads a bundle for a caller who needs a role over it. The only place that checks roles over bundles (decisions 3). A
 * member of the owning organisation has their role there, whichever subject is active.
 * @throws Problem NOT_FOUND; FORBIDDEN, saying what is missing.
 */
export async function loadFor(db: Store['db'], caller: SignedIn, slug: string, needed: Role): Promise<StoredBundle> {
  const [row] = await rowsOf(db, caller, slug)
  return loaded(row?.bundle.deletedAt === null ? row : undefined, caller, needed)
}

/** The same for a bundle that may be deleted. */
export async function loadDeletedFor(db: Store['db'], caller: SignedIn, slug: string, needed: Role) {
  const [row] = await rowsOf(db, caller, slug)
  return loaded(row, caller, needed)
}

function rowsOf(db: Store['db'], { userId }: SignedIn, slug: string): Promise<Row[]> {
  return readNamed(db, () => rows(db).all({ slug, userId }))
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

/** The error for a slug that no bundle has, or none that was not deleted. */
function noBundle(): Problem {
  const userMessage = 'This bundle doesn’t exist. It may have been deleted.'
  return new Problem('NOT_FOUND', 'There is no bundle with this slug.', { userMessage })
}

function loaded(row: Row | undefined, caller: SignedIn, needed: Role): StoredBundle {
  if (row === undefined) throw noBundle()
  if (row.bundle.ownerId === null) throw new Problem('FORBIDDEN', 'This bundle has no owner yet: claim it first.')
  const owner = subjectOf(row)
  // A key reaches only its own subject’s bundles, a person every bundle that they have a role over.
  const isReached = caller.kind === 'session' || isSame(owner, caller.subject)
  const role = row.userId === caller.userId ? 'admin' : row.role
  if (role === null || !isReached) {
    const userMessage = 'This bundle belongs to another account. If that’s yours, sign in with it.'
    throw new Problem('FORBIDDEN', 'you do not own this bundle', { userMessage })
  }
  requireRole(role, needed)
  const { addressHash: _, ...bundle } = row.bundle
  return { ...bundle, owner }
}

function isSame(one: Subject, other: Subject): boolean {
  if (one.type === 'user') return other.type === 'user' && one.userId === other.userId
  return other.type === 'organization' && one.organizationId === other.organizationId
}

function subjectOf({ userId, organizationId }: { userId: string | null; organizationId: string | null }): Subject {
  if (userId !== null) return { type: 'user', userId }
  if (organizationId !== null) return { type: 'organization', organizationId }
  throw new Error('an owner that is neither user nor organisation')
}
