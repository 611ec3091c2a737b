import { and, eq, ne, or, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { LOOK, member, type OrganizationLook, organization, session } from '../../db/schema.ts'
import { ROLES, type Role } from './caller.ts'

// Membership rules that better-auth lacks, or does not enforce under concurrent requests.

/** Whether a text is a role of this service: better-auth would also accept `owner`, `member` and lists. */
export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text)
}

/** An organisation of a user, with their role. */
export interface OwnOrganization extends OrganizationLook {
  id: string
  role: Role
  /** The end of its start page’s address; null for no start page. */
  handle: string | null
}

/** The organisations that a user belongs to, by name. */
export function organizationsOf({ db }: Store, userId: string): Promise<OwnOrganization[]> {
  return memberships(db).all({ userId })
}

const memberships = prepared((db) =>
  db
    .select({
      id: organization.id,
      ...LOOK,
      role: member.role,
      handle: organization.handle,
    })
    .from(member)
    .innerJoin(organization, eq(organization.id, member.organizationId))
    .where(eq(member.userId, sql.placeholder('userId')))
    .orderBy(sql`${organization.name} COLLATE NOCASE`, organization.id)
    .prepare(),
)

interface Membership {
  id: string
  organizationId: string
}

/**
 * Changes a member’s role, unless no admin would be left. The write itself counts admins, so two admins who demote each
 * other cannot both succeed.
 * @returns whether it was done.
 */
export async function changeRole({ db, write }: Store, { id, organizationId }: Membership, role: Role) {
  const mayChange = role === 'admin' ? undefined : keepsAnAdmin(organizationId)
  const [result] = await write([
    db
      .update(member)
      .set({ role })
      .where(and(eq(member.id, id), mayChange)),
  ])
  return result?.rowsAffected === 1
}

/** Removes a member, by the same rule. @returns whether it was done. */
export async function removeMember({ db, write }: Store, { id, organizationId }: Membership) {
  const [result] = await write([db.delete(member).where(and(eq(member.id, id), keepsAnAdmin(organizationId)))])
  return result?.rowsAffected === 1
}

/**
 * Ends a membership; the member’s sessions no longer act for the organisation.
 * @returns whether it was done: the only admin cannot leave.
 */
export async function leave({ db, write }: Store, userId: string, organizationId: string): Promise<boolean> {
  const mine = and(eq(member.userId, userId), eq(member.organizationId, organizationId))
  const [result] = await write([
    db.delete(member).where(and(mine, keepsAnAdmin(organizationId))),
    db
      .update(session)
      .set({ activeOrganizationId: null })
      .where(
        and(
          eq(session.userId, userId),
          eq(session.activeOrganizationId, organizationId),
          sql`NOT EXISTS (SELECT 1 FROM ${member} WHERE ${mine})`,
        ),
      ),
  ])
  return result?.rowsAffected === 1
}

/** The SQL condition that an admin remains without the member in the current row. */
function keepsAnAdmin(organizationId: string) {
  const admins = sql`(SELECT count(*) FROM ${member} AS other WHERE other.organization_id = ${organizationId} AND other.role = 'admin')`
  return or(ne(member.role, 'admin'), sql`${admins} > 1`)
}

/** The role of a user in any of their organisations; null for a non-member. */
export async function roleIn({ db }: Store, userId: string, organizationId: string): Promise<Role | null> {
  const [row] = await db
    .select({ role: member.role })
    .from(member)
    .where(and(eq(member.organizationId, organizationId), eq(member.userId, userId)))
  return row?.role ?? null
}
