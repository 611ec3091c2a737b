import { timingSafeEqual } from 'node:crypto'
import { and, eq, gt, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Store } from '../../db/client.ts'
import { COLORS, invitation, LOOK, member, type OrganizationLook, organization, user } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { Problem } from '../core/problem.ts'
import { routes } from '../core/routes.ts'
import { keyedHash } from '../core/secrets.ts'
import type { Role, Session } from '../identity/caller.ts'
import { realEmail } from '../identity/sessions.ts'

// Re-exported for views, which may not import the database.
export { COLORS }

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
export interface OrganizationInFull extends OrganizationLook {
  id: string
  /** The end of its start page’s address; null for no start page. */
  handle: string | null
  /** Milliseconds since 1970. */
  createdAt: number
  role: Role
  /** Admins first, then by name. */
  members: Member[]
  /** For admins; empty for others. */
  invitations: Invited[]
}

/** An organisation with its members; null if it does not exist or the user is not a member. */
export async function organizationFor({ db }: Store, userId: string, id: string): Promise<OrganizationInFull | null> {
  const own = sql`EXISTS (SELECT 1 FROM ${member} AS mine WHERE mine.organization_id = ${id} AND mine.user_id = ${userId})`
  const admins = sql`EXISTS (SELECT 1 FROM ${member} AS mine WHERE mine.organization_id = ${id} AND mine.user_id = ${userId} AND mine.role = 'admin')`
  const [[found], members, invitations] = await db.batch([
    db
      .select({
        id: organization.id,
        ...LOOK,
        handle: organization.handle,
        createdAt: organization.createdAt,
      })
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

/** The error for an organisation that does not exist or that the caller is not a member of. */
export function noOrganization(): Problem {
  return new Problem('NOT_FOUND', 'This organisation doesn’t exist, or you’re not a member of it.')
}

/** An open invitation, for the invited person. */
export interface OpenInvitation {
  /** The invitation’s id. */
  id: string
  name: string
  role: Role
}

/** The open invitations to a person's address, at most 100; none if the address is not verified. */
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

/** The SQL condition for an invitation that can be accepted. */
export function isOpen() {
  return and(eq(invitation.status, 'pending'), gt(invitation.expiresAt, new Date()))
}

// The id of an invitation is known to its organisation’s admins, so it proves nothing. A mailed invitation also has a secret,
// which proves that its reader has the mailbox. It is derived, so no stored data reveals it.

/** The input of the secret. An invitation that is mailed again expires later, so its first mail stops working. */
type Mailed = Pick<typeof invitation.$inferSelect, 'id' | 'expiresAt'>

/** The path of an invitation’s page with its secret, which only the mail contains. */
export function mailedPath(mailed: Mailed, config: Pick<Config, 'secret'>): string {
  return routes.account.join.href({ id: mailed.id, secret: secretOf(mailed, config) })
}

/** 132 bits: too many to guess. */
function secretOf({ id, expiresAt }: Mailed, { secret }: Pick<Config, 'secret'>): string {
  return keyedHash(secret, 'invitation', `${id}\0${expiresAt.getTime()}`).slice(0, 22)
}

/** Whether `sent` is the secret in an invitation’s mail. */
export function isMailedSecret(sent: string, invitation: Mailed, config: Pick<Config, 'secret'>): boolean {
  const [given, expected] = [Buffer.from(sent), Buffer.from(secretOf(invitation, config))]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** An invitation, for the person it was sent to. */
export interface Invitation {
  id: string
  /** The invited address, in lower case. */
  email: string
  role: Role
  expiresAt: Date
  /** Whether it was accepted; otherwise it is open. */
  isAccepted: boolean
  organization: { id: string; name: string }
  inviter: { name: string; email: string }
  /** The account that has the invited address, if there is one. */
  account: { id: string; isVerified: boolean } | null
}

/** An invitation that is open or was accepted; null if it was revoked, replaced or declined, has expired or never existed. */
export async function invitationOf({ db }: Store, id: string): Promise<Invitation | null> {
  const inviter = alias(user, 'inviter')
  const [row] = await db
    .select({
      id: invitation.id,
      email: invitation.email,
      role: invitation.role,
      expiresAt: invitation.expiresAt,
      status: invitation.status,
      organization: { id: organization.id, name: organization.name },
      inviter: { name: inviter.name, email: inviter.email },
      account: { id: user.id, isVerified: user.emailVerified },
    })
    .from(invitation)
    .innerJoin(organization, eq(organization.id, invitation.organizationId))
    .innerJoin(inviter, eq(inviter.id, invitation.inviterId))
    .leftJoin(user, eq(user.email, invitation.email))
    .where(and(eq(invitation.id, id), or(isOpen(), eq(invitation.status, 'accepted'))))
  if (row === undefined) return null
  const { status, ...found } = row
  return { ...found, isAccepted: status === 'accepted' }
}

/** The organisation that a person joined through an invitation, if they are still a member; otherwise null. */
export async function joinedBy(
  { db }: Store,
  { userId, email, emailVerified }: Pick<Session, 'userId' | 'email' | 'emailVerified'>,
  id: string,
): Promise<{ id: string; name: string } | null> {
  if (!emailVerified) return null
  const [row] = await db
    .select({ id: organization.id, name: organization.name })
    .from(invitation)
    .innerJoin(organization, eq(organization.id, invitation.organizationId))
    .innerJoin(member, and(eq(member.organizationId, organization.id), eq(member.userId, userId)))
    .where(and(eq(invitation.id, id), eq(invitation.email, email), eq(invitation.status, 'accepted')))
  return row ?? null
}
