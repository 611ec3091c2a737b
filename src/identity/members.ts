import { and, eq, ne, or, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { claims, invitation, member, organization, session, type user, verification } from '../../db/schema.ts'
import { linksOf } from './proof.ts'
import { ROLES, type Role } from './roles.ts'

// What better-auth does not hold of memberships, or does not hold when two people act at once.

/** Whether a text is one of the roles: better-auth would also take its own `owner` and `member`, and lists. */
export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text)
}

/** An organisation of a user, and what they are there. */
export interface OwnOrganization {
  id: string
  name: string
  role: Role
}

/** The organisations that a user belongs to, by name. */
export function organizationsOf({ db }: Store, userId: string): Promise<OwnOrganization[]> {
  return memberships(db).all({ userId })
}

const memberships = prepared((db) =>
  db
    .select({ id: organization.id, name: organization.name, role: member.role })
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

/**
 * Takes a member out of an organisation at their own wish, and their sessions with them.
 * @returns whether it was done: its only admin stays.
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

/** Whether the organisation has an admin also without the member that a statement is about. */
function keepsAnAdmin(organizationId: string) {
  const admins = sql`(SELECT count(*) FROM ${member} AS other WHERE other.organization_id = ${organizationId} AND other.role = 'admin')`
  return or(ne(member.role, 'admin'), sql`${admins} > 1`)
}

/**
 * Makes an account ready to be deleted: organisations that have nobody else go with it, and their bundles with
 * them; others are left; what stands elsewhere under the account's address is erased. Decided in the write, so
 * that two last admins who delete their accounts at once cannot both get through.
 * @returns the name of an organisation that others would be left in without an admin; then nothing was done.
 */
export async function leaveAll(
  { db, write }: Store,
  { id, email, emailVerified }: Pick<typeof user.$inferSelect, 'id' | 'email' | 'emailVerified'>,
): Promise<string | null> {
  const needing = sql`SELECT mine.organization_id FROM ${member} AS mine WHERE mine.user_id = ${id} AND mine.role = 'admin'
    AND (SELECT count(*) FROM ${member} AS other WHERE other.organization_id = mine.organization_id AND other.role = 'admin') = 1
    AND (SELECT count(*) FROM ${member} AS other WHERE other.organization_id = mine.organization_id) > 1`
  const mayGo = sql`NOT EXISTS (${needing})`
  const alone = sql`${organization.id} IN (SELECT organization_id FROM ${member} GROUP BY organization_id HAVING count(*) = 1 AND min(user_id) = ${id})`
  const [needed] = await write([
    db.select({ name: organization.name }).from(organization).where(sql`${organization.id} IN (${needing})`).limit(1),
    db.delete(organization).where(and(alone, mayGo)),
    db.delete(invitation).where(and(eq(invitation.email, email), mayGo)),
    // A link that was mailed before would make the account anew.
    db.delete(verification).where(and(linksOf(sql`${id}`), mayGo)),
    // Only a confirmed address is the account's own.
    db
      .update(claims)
      .set({ email: null })
      .where(and(eq(claims.email, emailVerified ? email : ''), mayGo)),
    db.delete(member).where(and(eq(member.userId, id), mayGo)),
  ])
  const name = needed?.rows[0]?.name
  return name === undefined ? null : String(name)
}
