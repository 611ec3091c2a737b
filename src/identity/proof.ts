import { and, eq, isNull, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { account, apiKeys, owners, providerEntities, session, user, verification, webhooks } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import type { SignedIn } from './caller.ts'
import { endPlaceholders } from './enumeration.ts'

// Verification of addresses. Anybody can sign up with any address; its account belongs to the person who
// proves it, by a mailed link or a provider that vouches for it. Every way of signing in goes through here.

/** Reads a provider’s claim that an address is verified: some send text, and any text but `true` is no claim. */
export function isVouchedFor(claim: unknown): boolean {
  return claim === true || claim === 'true'
}

/** The error for an unverified address. */
export function emailUnverified(email: string | null): Problem {
  const link = email === null ? 'the link we emailed you' : `the link we sent to ${email}`
  return new Problem(
    'EMAIL_UNVERIFIED',
    `Confirm your email address first: open ${link}, or resend it from your settings.`,
  )
}

/**
 * Refuses a caller whose address is not verified; for a key, its minter’s address counts.
 * @throws Problem EMAIL_UNVERIFIED.
 */
export function requireProvenAddress(caller: SignedIn): void {
  const isProven = caller.kind === 'session' ? caller.session.emailVerified : caller.key.isMinterVerified
  if (!isProven) throw emailUnverified(caller.kind === 'session' ? caller.session.email : null)
}

/** Sensitive actions need a sign-in this recent, in seconds. */
export const RECENT_SECONDS = 86_400

/** Whether a sign-in was within the last day. @param signedInAt milliseconds since 1970. */
export function isRecent(signedInAt: number): boolean {
  return Date.now() - signedInAt < RECENT_SECONDS * 1000
}

/** The error for a stale session: an unattended browser proves little. */
export function signInAgain(): Problem {
  return new Problem(
    'RECENT_SIGN_IN_REQUIRED',
    'This needs a sign-in from the last 24 hours. Sign in again, then retry.',
  )
}

/**
 * Refuses a session that is more than a day old. Keys need no sign-in and pass.
 * @throws Problem RECENT_SIGN_IN_REQUIRED.
 */
export function requireRecentSignIn(caller: SignedIn): void {
  if (caller.kind === 'session' && !isRecent(caller.session.signedInAt)) throw signInAgain()
}

/**
 * The writes when someone proves an address that another person signed up with and never verified: the other person's
 * access ends (sessions, password, linked accounts, keys, pending links), and the address is verified. Each statement
 * only touches an unverified account, so nothing happens to a verified one.
 * @param who selects the id of the account.
 */
export function handOverAccount(
  db: Store['db'],
  who: SQL,
  { link = '', keeps }: Pick<Proof, 'link' | 'keeps'> = {},
): Query[] {
  const unverified = sql`(SELECT ${user.id} FROM ${user} WHERE ${user.id} = (${who}) AND NOT ${user.emailVerified})`
  return [
    db.delete(session).where(eq(session.userId, unverified)),
    db.delete(account).where(and(eq(account.userId, unverified), keeps && ne(account.providerId, 'credential'))),
    db
      .update(apiKeys)
      .set({ revokedAt: Date.now() })
      .where(and(eq(apiKeys.mintedBy, unverified), isNull(apiKeys.revokedAt))),
    db
      .delete(webhooks)
      .where(
        or(
          eq(webhooks.createdBy, unverified),
          eq(webhooks.ownerId, sql`(SELECT ${owners.id} FROM ${owners} WHERE ${owners.userId} = ${unverified})`),
        ),
      ),
    db.delete(verification).where(and(linksOf(unverified), ne(verification.identifier, link))),
    // The provider’s person is the one who signed up, not the owner of the address.
    db.update(providerEntities).set({ userId: null }).where(eq(providerEntities.userId, unverified)),
    db.update(user).set({ emailVerified: true, updatedAt: new Date() }).where(eq(user.id, unverified)),
  ]
}

/** Pending mailed links of an account: they hold its id, or its address in JSON. */
export function linksOf(userId: SQL) {
  const mailed = sql`CASE WHEN json_valid(${verification.value}) THEN ${verification.value} ->> 'email' END`
  return or(
    eq(verification.value, userId),
    sql`${mailed} = (SELECT ${user.email} FROM ${user} WHERE ${user.id} = ${userId})`,
  )
}

/** A proof of an address. */
interface Proof {
  userId: string
  /**
   * The user of the session that the proof came with. If it is the account itself, its owner signed up, and nothing
   * ends.
   */
  heldBy: string | null
  /** The identifier of the link that is the proof; it stays until it is used up. */
  link?: string
  /** Set if the prover has just set the password: it stays. */
  keeps?: 'password'
}

/** Records proofs of addresses, and ends the access of others who signed up with them. */
export class Proofs {
  /** @param onEnded called when keys may have ended, because they are cached in memory. */
  constructor(
    readonly store: Store,
    readonly onEnded: () => Promise<void>,
  ) {}

  /** Records that the address of an account was proven; does nothing if it already was. */
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
    await write(handOverAccount(db, sql`${userId}`, { link, keeps }))
    await this.onEnded()
  }

  /**
   * Records that a provider vouches for the address of a person who signs in. The account with that address becomes theirs,
   * unless they signed up with it themselves by this provider.
   * @param subject the provider’s id of the person.
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

  /** Whether the address of an account is proven. */
  async isVerified(userId: string): Promise<boolean> {
    return (await this.#verified(eq(user.id, userId)))?.emailVerified ?? false
  }

  async #verified(which: SQL) {
    const [row] = await this.store.db.select({ id: user.id, emailVerified: user.emailVerified }).from(user).where(which)
    return row
  }
}
