import { and, eq, ne, or, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import {
  claims,
  invitation,
  member,
  NOBODY,
  organization,
  session,
  type user,
  verification,
  webhooks,
} from '../../db/schema.ts'
import { linksOf } from './proof.ts'
import { ROLES, type Role } from './roles.ts'

// Membership rules that better-auth lacks, or does not keep under concurrent requests.

/** Whether a text is one of our roles: better-auth would also accept `owner`, `member` and lists. */
export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text)
}

/** An organisation of a user, with their role. */
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

/** The same for removing a member. */
export async function removeMember({ db, write }: Store, { id, organizationId }: Membership) {
  const [result] = await write([db.delete(member).where(and(eq(member.id, id), keepsAnAdmin(organizationId)))])
  return result?.rowsAffected === 1
}

/**
 * Lets a member leave an organisation, which their sessions then no longer act for.
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

/** Whether an admin remains without the member that the statement is about. */
function keepsAnAdmin(organizationId: string) {
  const admins = sql`(SELECT count(*) FROM ${member} AS other WHERE other.organization_id = ${organizationId} AND other.role = 'admin')`
  return or(ne(member.role, 'admin'), sql`${admins} > 1`)
}

/**
 * Prepares the deletion of an account: organisations without other members are deleted with their bundles, others are
 * left, and traces of its address elsewhere are erased. The writes themselves check for admins, so two last admins who
 * delete their accounts at once cannot both succeed.
 * @returns the name of an organisation that would lose its last admin; then nothing was done.
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
    // A link mailed earlier would re-create the account.
    db.delete(verification).where(and(linksOf(sql`${id}`), mayGo)),
    // Only a verified address is the account's own.
    db
      .update(claims)
      .set({ email: null })
      .where(and(eq(claims.email, emailVerified ? email : ''), mayGo)),
    // Webhooks of organisations stay, and name nobody.
    db
      .update(webhooks)
      .set({ createdBy: NOBODY })
      .where(and(eq(webhooks.createdBy, id), mayGo)),
    db.delete(member).where(and(eq(member.userId, id), mayGo)),
  ])
  const name = needed?.rows[0]?.name
  return name === undefined ? null : String(name)
}

/** The role of a user in any of their organisations; null for a non-member. */
export async function roleIn({ db }: Store, userId: string, organizationId: string): Promise<Role | null> {
  const [row] = await db
    .select({ role: member.role })
    .from(member)
    .where(and(eq(member.organizationId, organizationId), eq(member.userId, userId)))
  return row?.role ?? null
}
