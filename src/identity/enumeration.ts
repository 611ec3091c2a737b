import { randomBytes } from 'node:crypto'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { account, session, user } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { keyedHash, randomBase62 } from '../core/secrets.ts'
import { SESSION_SECONDS } from './sessions.ts'

// A sign-up must not reveal which addresses have an account. With a taken address it creates an account that behaves like any
// unverified one, but gets no mail and has no other way of signing in.

/** Placeholder addresses use a reserved domain that never exists (RFC 2606). */
const PLACEHOLDER = '@taken.invalid'

/** A placeholder without an account, for a comparison that only takes the usual time. */
export const NOBODY = `nobody${PLACEHOLDER}`

/**
 * Narrows down the accounts of one address before a password is compared, because each comparison takes measurable
 * time.
 */
const HINTS = 4096

function hintOf(secret: string, email: string, password: string): number {
  return Buffer.from(keyedHash(secret, 'taken', `${email}\0${password}`), 'base64url').readUInt16BE() % HINTS
}

/** Whether an address is a placeholder, which gets no mail. */
export function isPlaceholder(email: string): boolean {
  return email.endsWith(PLACEHOLDER)
}

interface SignUp {
  name: string
  /** The taken address, in lower case. */
  email: string
  password: string
  /** The hashed password. */
  hash: string
  image: string | null
  userAgent: string | null
  /** Whether the account is signed in: not if accounts need a confirmed address first, which this one never has. */
  isSignedIn: boolean
  /** Time of the request in milliseconds since 1970: the session is created later, after a password hash. */
  at: number
}

/** Creates the account for a sign-up with a taken address, and signs it in if sign-ups with free addresses are. */
export async function signUpWithTaken(
  { db, write }: Store,
  { secret }: Pick<Config, 'secret'>,
  { name, email, password, hash, image, userAgent, isSignedIn, at }: SignUp,
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
    ...(isSignedIn
      ? [
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
        ]
      : []),
  ])
  return { token, user: { id: userId } }
}

/**
 * The placeholder address of the account that may have signed up with this taken address and password, or null. One in
 * 4096 wrong passwords finds one too.
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
 * Ends all sign-ins of the accounts with a taken address, because its owner has proved it, or changed the password to
 * one that may be the same as theirs.
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

export async function hasAccount({ db }: Store, userId: string): Promise<boolean> {
  return (await db.select({ id: user.id }).from(user).where(eq(user.id, userId))).length > 0
}

export async function addressBehind({ db }: Store, placeholder: string): Promise<string | null> {
  const [row] = await db.select({ email: user.takenEmail }).from(user).where(eq(user.email, placeholder))
  return row?.email ?? null
}

/** The real address of an account, whatever better-auth has stored. */
export async function realEmailOf(store: Store, email: string | null): Promise<string | null> {
  return email === null || !isPlaceholder(email) ? email : addressBehind(store, email)
}

/** Replaces the placeholders in an answer from better-auth, which knows only those, with the real addresses. */
export async function withRealEmails(store: Store, text: string): Promise<string> {
  if (!text.includes(PLACEHOLDER)) return text
  const placeholders = new Set(text.match(/[0-9a-f]{32}@taken\.invalid/g) ?? [])
  for (const placeholder of placeholders) {
    const email = await addressBehind(store, placeholder)
    if (email !== null) text = text.replaceAll(placeholder, JSON.stringify(email).slice(1, -1))
  }
  return text
}
