import { timingSafeEqual } from 'node:crypto'
import { and, eq, or } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Store } from '../../db/client.ts'
import { invitation, member, organization, user } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { keyedHash } from '../core/secrets.ts'
import type { Session } from '../identity/caller.ts'
import type { Role } from '../identity/roles.ts'
import { isOpen } from './organizations.ts'

// The id of an invitation is known to its organisation’s admins, so it proves nothing. A mailed invitation also has a
// secret, which proves that its reader has the mailbox. It is derived, so nothing that is stored could reveal it.

/** What the secret is derived from: an invitation that is mailed again ends later, and its first mail stops working. */
type Mailed = Pick<typeof invitation.$inferSelect, 'id' | 'expiresAt'>

/** The path of an invitation’s page, as only the mail to its address has it. */
export function mailedPath(mailed: Mailed, config: Pick<Config, 'secret'>): string {
  return `/invitations/${mailed.id}/${secretOf(mailed, config)}`
}

/** 132 bits: too many to guess. */
function secretOf({ id, expiresAt }: Mailed, { secret }: Pick<Config, 'secret'>): string {
  return keyedHash(secret, 'invitation', `${id}\0${expiresAt.getTime()}`).slice(0, 22)
}

/** Whether this is the secret that an invitation was mailed with. */
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

/** The organisation that a person joined by an invitation, if they are still a member; otherwise null. */
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
