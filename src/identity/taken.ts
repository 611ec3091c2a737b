import { randomBytes } from 'node:crypto'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { account, session, user } from '../../db/schema.ts'
import type { Config } from '../config.ts'
import { keyedHash, randomBase62 } from '../core/secrets.ts'
import { SESSION_SECONDS } from './sessions.ts'

// A sign-up tells nobody which addresses have an account (decisions 9): with one that is taken it makes an account like any
// other, which can do all that an unproven account can, and which no mail and no other way in ever leads to.

/** Placeholders stand below a name that is reserved for what does not exist (RFC 2606). */
const PLACEHOLDER = '@taken.invalid'

/** What tells such accounts of one address apart before any password is compared: each compare takes time that would tell. */
const HINTS = 4096

function hintOf(secret: string, email: string, password: string): number {
  return Buffer.from(keyedHash(secret, 'taken', `${email}\0${password}`), 'base64url').readUInt16BE() % HINTS
}

/** Whether an address is a placeholder: nothing is mailed there. */
export function isPlaceholder(email: string): boolean {
  return email.endsWith(PLACEHOLDER)
}

interface SignUp {
  name: string
  /** The one that is taken, in lower case. */
  email: string
  password: string
  /** The same, hashed. */
  hash: string
  image: string | null
  userAgent: string | null
  /** When it was asked for, in milliseconds since 1970: a session comes a hash later. */
  at: number
}

/** An account of an address that is taken, signed in. */
export async function signUpWithTaken(
  { db, write }: Store,
  { secret }: Pick<Config, 'secret'>,
  { name, email, password, hash, image, userAgent, at }: SignUp,
) {
  const [userId, token, now] = [randomBase62(32), randomBase62(32), new Date()]
  const times = { createdAt: new Date(at), updatedAt: new Date(at) }
  const placeholder = `${randomBytes(16).toString('hex')}${PLACEHOLDER}`
  await write([
    db.insert(user).values({
      id: userId,
      name,
      email: placeholder,
      takenEmail: email,
      takenHint: hintOf(secret, email, password),
      image,
      ...times,
    }),
    db
      .insert(account)
      .values({ id: randomBase62(32), accountId: userId, providerId: 'credential', userId, password: hash, ...times }),
    db.insert(session).values({
      id: randomBase62(32),
      token,
      userId,
      userAgent,
      ipAddress: '',
      expiresAt: new Date(now.getTime() + SESSION_SECONDS * 1000),
      createdAt: now,
      updatedAt: now,
    }),
  ])
  return { token, user: { id: userId } }
}

/**
 * The placeholder of an account that may have been signed up with a taken address and this password; null where there is
 * none. One in 4096 other passwords finds one too.
 */
export async function placeholderFor(
  { db }: Store,
  { secret }: Pick<Config, 'secret'>,
  email: string,
  password: string,
): Promise<string | null> {
  const [row] = await db
    .select({ email: user.email })
    .from(user)
    .where(and(eq(user.takenEmail, email), eq(user.takenHint, hintOf(secret, email, password))))
    .orderBy(user.createdAt)
    .limit(1)
  return row?.email ?? null
}

/**
 * Nobody is signed in any more, nor signs in, to the accounts that were signed up with an address: its owner has come, or has
 * another password, which may be that of one of them.
 */
export async function endPlaceholders({ db, write }: Store, ownerId: string): Promise<void> {
  const isTheirs = sql`${user.takenEmail} = (SELECT owner.email FROM ${user} AS owner WHERE owner.id = ${ownerId})`
  const rows = await db.select({ id: user.id }).from(user).where(isTheirs)
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return
  await write([
    db.delete(session).where(inArray(session.userId, ids)),
    db.delete(account).where(inArray(account.userId, ids)),
  ])
}

/** The address behind a placeholder, or null. */
export async function takenBy({ db }: Store, placeholder: string): Promise<string | null> {
  const [row] = await db.select({ email: user.takenEmail }).from(user).where(eq(user.email, placeholder))
  return row?.email ?? null
}

/** An account's address as it is told it, whatever better-auth has for it. */
export async function shownTo(store: Store, email: string | null): Promise<string | null> {
  return email === null || !isPlaceholder(email) ? email : takenBy(store, email)
}

/** An answer of better-auth, which knows placeholders alone, with the addresses behind them. */
export async function withShownEmails(store: Store, text: string): Promise<string> {
  if (!text.includes(PLACEHOLDER)) return text
  const placeholders = new Set(text.match(/[0-9a-f]{32}@taken\.invalid/g) ?? [])
  for (const placeholder of placeholders) {
    const email = await takenBy(store, placeholder)
    if (email !== null) text = text.replaceAll(placeholder, JSON.stringify(email).slice(1, -1))
  }
  return text
}
