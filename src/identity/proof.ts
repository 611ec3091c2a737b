import { and, eq, isNull, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { account, apiKeys, session, user, verification, webhookEntities } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import type { SignedIn } from './caller.ts'
import { endPlaceholders } from './taken.ts'

// Who has proven an address (decisions 13). An account may be signed up with any address; what belongs to the address
// belongs to whoever has proven it: by a mailed link, or by a provider that vouches for it. Every way in comes through here.

/** The claim of a provider that an address was proven to it: some send it as text, and any other text is none. */
export function isVouchedFor(claim: unknown): boolean {
  return claim === true || claim === 'true'
}

/** The refusal of what belongs to an address that nobody has proven. */
export function emailUnverified(email: string | null): Problem {
  const sentTo = email === null ? 'in the mail we sent to it' : `in the mail we sent to ${email}`
  return new Problem(
    'EMAIL_UNVERIFIED',
    `Confirm your e-mail address first: open the link ${sentTo}, or have another sent from your settings.`,
  )
}

/**
 * Refuses a caller whose address nobody has proven; for a key, that of the member it was minted by.
 * @throws Problem EMAIL_UNVERIFIED.
 */
export function requireProvenAddress(caller: SignedIn): void {
  const isProven = caller.kind === 'session' ? caller.session.emailVerified : caller.key.isMinterVerified
  if (!isProven) throw emailUnverified(caller.kind === 'session' ? caller.session.email : null)
}

/** How long after a sign-in what is worth stealing can still be done with the session alone, in seconds. */
export const RECENT_SECONDS = 86_400

/** Whether somebody signed in within the last day. @param signedInAt milliseconds since 1970. */
export function isRecent(signedInAt: number): boolean {
  return Date.now() - signedInAt < RECENT_SECONDS * 1000
}

/** The refusal of what a session of long ago may not do: a browser that was left open proves little. */
export function signInAgain(): Problem {
  return new Problem(
    'RECENT_SIGN_IN_REQUIRED',
    'This needs a sign-in within the last 24 hours. Sign in again, then repeat it.',
  )
}

/**
 * Refuses a session whose sign-in is more than a day old. A key is a credential of its own and passes.
 * @throws Problem RECENT_SIGN_IN_REQUIRED.
 */
export function requireRecentSignIn(caller: SignedIn): void {
  if (caller.kind === 'session' && !isRecent(caller.session.signedInAt)) throw signInAgain()
}

/**
 * What is written when somebody proves an address that an account was signed up with by somebody else, who never proved it:
 * all that the other holds ends (sessions, password, linked accounts, keys, links under way) and the address is proven.
 * Each statement touches an unproven account alone, so that it does nothing where the address was proven before.
 * @param who selects the id of the account.
 */
export function ownerArrives(
  db: Store['db'],
  who: SQL,
  { link = '', keeps }: Pick<Proof, 'link' | 'keeps'> = {},
): Query[] {
  const theirs = sql`(SELECT ${user.id} FROM ${user} WHERE ${user.id} = (${who}) AND NOT ${user.emailVerified})`
  return [
    db.delete(session).where(eq(session.userId, theirs)),
    db.delete(account).where(and(eq(account.userId, theirs), keeps && ne(account.providerId, 'credential'))),
    db
      .update(apiKeys)
      .set({ revokedAt: Date.now() })
      .where(and(eq(apiKeys.mintedBy, theirs), isNull(apiKeys.revokedAt))),
    db.delete(verification).where(and(linksOf(theirs), ne(verification.identifier, link))),
    // A provider that never vouched for the address knows the other, not the owner.
    db.update(webhookEntities).set({ userId: null }).where(eq(webhookEntities.userId, theirs)),
    db.update(user).set({ emailVerified: true, updatedAt: new Date() }).where(eq(user.id, theirs)),
  ]
}

/** Mailed links of an account: they hold its id, or its address in JSON. */
export function linksOf(userId: SQL) {
  const mailed = sql`CASE WHEN json_valid(${verification.value}) THEN ${verification.value} ->> 'email' END`
  return or(
    eq(verification.value, userId),
    sql`${mailed} = (SELECT ${user.email} FROM ${user} WHERE ${user.id} = ${userId})`,
  )
}

/** What `Proofs` is told of somebody who has proven an address. */
interface Proof {
  userId: string
  /** Who has a session of the account, if the prover has: then they are the one who signed up, and nothing ends. */
  heldBy: string | null
  /** The identifier of the mailed link that proves it; it stays until it is used up. */
  link?: string
  /** The password, where the prover has just set it. */
  keeps?: 'password'
}

/** Keeps proofs of addresses, and tells when one has ended what somebody else held. */
export class Proofs {
  /** @param onEnded called where keys may have ended, which are kept in memory. */
  constructor(
    readonly store: Store,
    readonly onEnded: () => Promise<void>,
  ) {}

  /** Somebody has proven the address of an account; one that was proven before stays as it is. */
  async prove({ userId, heldBy, link, keeps }: Proof): Promise<void> {
    const { db, write } = this.store
    if (heldBy === userId) {
      await write([
        db
          .update(user)
          .set({ emailVerified: true, updatedAt: new Date() })
          .where(and(eq(user.id, userId), eq(user.emailVerified, false))),
      ])
      return
    }
    await endPlaceholders(this.store, userId)
    const isProven = (await this.#verified(eq(user.id, userId)))?.emailVerified ?? true
    if (isProven) return
    await write(ownerArrives(db, sql`${userId}`, { link, keeps }))
    await this.onEnded()
  }

  /**
   * A provider vouches for the address of whoever signs on there. The account that has the address is theirs then, unless
   * they signed up with it themselves, by this provider.
   * @param subject how the provider names the person.
   */
  async proveByProvider(email: string, provider: string, subject: string): Promise<void> {
    const { db } = this.store
    const found = await this.#verified(eq(user.email, email))
    if (found === undefined || found.emailVerified) return
    const [own] = await db
      .select({ id: account.id })
      .from(account)
      .where(and(eq(account.userId, found.id), eq(account.providerId, provider), eq(account.accountId, subject)))
    await this.prove({ userId: found.id, heldBy: own === undefined ? null : found.id })
  }

  async #verified(which: SQL) {
    const [row] = await this.store.db.select({ id: user.id, emailVerified: user.emailVerified }).from(user).where(which)
    return row
  }
}
