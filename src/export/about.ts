import { eq, getTableColumns } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { account, user } from '../../db/schema.ts'
import { organizationFor } from '../accounts/organizations.ts'
import { pinsOf } from '../bundles/pins.ts'
import { Problem } from '../core/problem.ts'
import { iso } from '../core/time.ts'
import { organizationsOf } from '../identity/members.ts'
import { realEmail, sessionsOf } from '../identity/sessions.ts'
import { SWITCHES } from '../mail/switches.ts'
import { toListed } from '../proposals/present.ts'
import { madeBy } from '../proposals/stored.ts'

const { takenEmail: _, takenHint: __, disabledAt: ___, ...rest } = getTableColumns(user)
const { mailProposed: _____, mailDecided: ______, mailKeyEnds: _______, mailLinksBroken: ________, ...profile } = rest

/** What belongs to a person besides keys and bundles. */
export async function aboutPerson(store: Store, userId: string) {
  const { db } = store
  const [[person], accounts] = await db.batch([
    db
      .select({ profile: { ...profile, email: realEmail }, mails: SWITCHES })
      .from(user)
      .where(eq(user.id, userId)),
    db
      .select({ provider: account.providerId, createdAt: account.createdAt })
      .from(account)
      .where(eq(account.userId, userId)),
  ])
  const sessions = await sessionsOf(store, userId)
  return {
    ...person,
    signInMethods: accounts.map(({ provider, createdAt }) => ({ provider, createdAt: createdAt.toISOString() })),
    sessions: sessions.map(({ userAgent, createdAt }) => ({ userAgent, createdAt: iso(createdAt) })),
    organizations: await organizationsOf(store, userId),
    pins: await pinsOf(store, userId),
    proposals: (await madeBy(store, userId)).map(toListed),
  }
}

/** What belongs to an organisation besides keys and bundles. */
export async function aboutOrganization(store: Store, userId: string, id: string) {
  const found = await organizationFor(store, userId, id)
  if (found === null) throw new Problem('NOT_FOUND', 'You do not belong to an organisation with this id.')
  const { name, createdAt, members, invitations } = found
  return {
    organization: { id, name, createdAt: iso(createdAt) },
    members: members.map(({ since, id: _, ...member }) => ({ ...member, since: iso(since) })),
    invitations: invitations.map(({ expiresAt, id: _, ...invited }) => ({ ...invited, expiresAt: iso(expiresAt) })),
  }
}
