import { and, eq, gt, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { invitation, member, organization, user } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import type { Role } from '../identity/roles.ts'
import { realEmail } from '../identity/sessions.ts'

export interface Member {
  /** Id of the membership. */
  id: string
  userId: string
  name: string
  email: string
  role: Role
  /** Milliseconds since 1970. */
  since: number
}

/** A pending invitation. */
export interface Invited {
  id: string
  email: string
  role: Role
  /** Milliseconds since 1970. */
  expiresAt: number
}

/** An organisation as shown to its members. */
export interface OrganizationInFull {
  id: string
  name: string
  /** Milliseconds since 1970. */
  createdAt: number
  role: Role
  /** Admins first, then by name. */
  members: Member[]
  /** For admins; empty for others. */
  invitations: Invited[]
}

/** An organisation of a user; null if they are not a member, as if it did not exist. */
export async function organizationFor({ db }: Store, userId: string, id: string): Promise<OrganizationInFull | null> {
  const own = sql`EXISTS (SELECT 1 FROM ${member} AS mine WHERE mine.organization_id = ${id} AND mine.user_id = ${userId})`
  const admins = sql`EXISTS (SELECT 1 FROM ${member} AS mine WHERE mine.organization_id = ${id} AND mine.user_id = ${userId} AND mine.role = 'admin')`
  const [[found], members, invitations] = await db.batch([
    db
      .select({ id: organization.id, name: organization.name, createdAt: organization.createdAt })
      .from(organization)
      .where(and(eq(organization.id, id), own)),
    db
      .select({
        id: member.id,
        userId: member.userId,
        name: user.name,
        email: realEmail,
        role: member.role,
        since: member.createdAt,
      })
      .from(member)
      .innerJoin(user, eq(user.id, member.userId))
      .where(and(eq(member.organizationId, id), own))
      .orderBy(sql`${member.role} <> 'admin'`, sql`${user.name} COLLATE NOCASE`, user.email),
    db
      .select({
        id: invitation.id,
        email: invitation.email,
        role: invitation.role,
        expiresAt: invitation.expiresAt,
      })
      .from(invitation)
      .where(and(eq(invitation.organizationId, id), isOpen(), admins))
      .orderBy(invitation.email),
  ])
  const me = members.find((one) => one.userId === userId)
  if (found === undefined || me === undefined) return null
  return {
    ...found,
    createdAt: found.createdAt.getTime(),
    role: me.role,
    members: members.map((one) => ({ ...one, since: one.since.getTime() })),
    invitations: invitations.map((one) => ({ ...one, expiresAt: one.expiresAt.getTime() })),
  }
}

/** The error for an organisation that does not exist, or whose member one is not. */
export function noOrganization(): Problem {
  return new Problem('NOT_FOUND', 'This organisation doesn’t exist, or you’re not a member of it.')
}

/** An open invitation, for the invited person. */
export interface OpenInvitation {
  /** Of the invitation. */
  id: string
  name: string
  role: Role
}

/** The open invitations to a person's address, which must be verified. */
export async function invitationsTo(
  { db }: Store,
  { email, emailVerified }: Pick<typeof user.$inferSelect, 'email' | 'emailVerified'>,
): Promise<OpenInvitation[]> {
  if (!emailVerified) return []
  return db
    .select({ id: invitation.id, name: organization.name, role: invitation.role })
    .from(invitation)
    .innerJoin(organization, eq(organization.id, invitation.organizationId))
    .where(and(eq(invitation.email, email), isOpen()))
    .limit(100)
}

/** The id of a user’s organisation by its slug, or null. */
export async function organizationIdBySlug({ db }: Store, userId: string, slug: string): Promise<string | null> {
  const [row] = await db
    .select({ id: organization.id })
    .from(organization)
    .innerJoin(member, and(eq(member.organizationId, organization.id), eq(member.userId, userId)))
    .where(eq(organization.slug, slug))
  return row?.id ?? null
}

/** The condition of an invitation that can be accepted. */
export function isOpen() {
  return and(eq(invitation.status, 'pending'), gt(invitation.expiresAt, new Date()))
}
