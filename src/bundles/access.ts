import { and, eq, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { bundles, member, owners } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import type { SignedIn, Subject } from '../identity/caller.ts'
import { type Role, requireRole } from '../identity/roles.ts'

/** A bundle as it is stored, with its owner. */
export type StoredBundle = Omit<typeof bundles.$inferSelect, 'addressHash'> & { owner: Subject }

/**
 * Reads a bundle for a caller who needs a role over it: the one place where roles over bundles are checked
 * (decisions 3). A member of the owning organisation has their role there whichever subject is active.
 * @throws Problem NOT_FOUND; FORBIDDEN, which names what is missing.
 */
export async function loadFor(db: Store['db'], caller: SignedIn, slug: string, needed: Role): Promise<StoredBundle> {
  const [row] = await rows(db).all({ slug, userId: caller.userId })
  return loaded(row?.bundle.deletedAt === null ? row : undefined, caller, needed)
}

/** The same for a bundle that may have been deleted. */
export async function loadDeletedFor(db: Store['db'], caller: SignedIn, slug: string, needed: Role) {
  const [row] = await rows(db).all({ slug, userId: caller.userId })
  return loaded(row, caller, needed)
}

/** The bundle of a slug, with its owner and what a user is there. */
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

function loaded(row: Row | undefined, caller: SignedIn, needed: Role): StoredBundle {
  if (row === undefined) throw new Problem('NOT_FOUND', 'There is no bundle with this slug.')
  if (row.bundle.ownerId === null) throw new Problem('FORBIDDEN', 'This bundle has no owner yet: claim it first.')
  const owner = subjectOf(row)
  // A key reaches its own subject's bundles only; a person every bundle that they have a role over.
  const isReached = caller.kind === 'session' || isSame(owner, caller.subject)
  const role = row.userId === caller.userId ? 'admin' : row.role
  if (role === null || !isReached) throw new Problem('FORBIDDEN', 'you do not own this bundle')
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
