import { and, eq, ne, or, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { member, organization } from '../../db/schema.ts'
import { ROLES, type Role } from './roles.ts'

// What better-auth does not hold of memberships, or does not hold when two people act at once.

/** Whether a text is one of the roles: better-auth would also take its own `owner` and `member`, and lists. */
export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text)
}

interface Membership {
  id: string
  organizationId: string
}

/**
 * Changes a member's role, unless that would leave the organisation without an admin: counted in the write, so
 * two admins who demote each other cannot both get through.
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

/** The same for taking a member out. */
export async function removeMember({ db, write }: Store, { id, organizationId }: Membership) {
  const [result] = await write([db.delete(member).where(and(eq(member.id, id), keepsAnAdmin(organizationId)))])
  return result?.rowsAffected === 1
}

/** Whether the organisation has an admin also without the member that a statement is about. */
function keepsAnAdmin(organizationId: string) {
  const admins = sql`(SELECT count(*) FROM ${member} AS other WHERE other.organization_id = ${organizationId} AND other.role = 'admin')`
  return or(ne(member.role, 'admin'), sql`${admins} > 1`)
}

/**
 * Makes an account ready to be deleted: organisations that have nobody else go with it, and their bundles with them.
 * @returns the name of an organisation that others would be left in without an admin; then nothing was done.
 */
export async function leaveAll({ db, write }: Store, userId: string): Promise<string | null> {
  const all = sql`(SELECT count(*) FROM ${member} AS other WHERE other.organization_id = ${member.organizationId})`
  const admins = sql`(SELECT count(*) FROM ${member} AS other WHERE other.organization_id = ${member.organizationId} AND other.role = 'admin')`
  const [needed] = await db
    .select({ name: organization.name })
    .from(member)
    .innerJoin(organization, eq(organization.id, member.organizationId))
    .where(and(eq(member.userId, userId), eq(member.role, 'admin'), sql`${admins} = 1`, sql`${all} > 1`))
    .limit(1)
  if (needed !== undefined) return needed.name
  const alone = sql`${organization.id} IN (SELECT organization_id FROM ${member} GROUP BY organization_id HAVING count(*) = 1 AND min(user_id) = ${userId})`
  await write([db.delete(organization).where(alone)])
  return null
}
