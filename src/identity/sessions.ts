import { createHmac, timingSafeEqual } from 'node:crypto'
import { and, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Store } from '../../db/client.ts'
import { member, session, user } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { keyedHash } from '../core/secrets.ts'
import type { Session } from './caller.ts'

declare module '../core/service.ts' {
  interface Service {
    readSession: ReturnType<typeof sessionReader>
  }
}

/** The address that an account in `user`, or in an alias of it, signed up with; never a placeholder (enumeration.ts). */
export function realEmailIn({ takenEmail, email }: Record<'takenEmail' | 'email', SQLiteColumn>) {
  return sql<string>`coalesce(${takenEmail}, ${email})`
}

/** The same for `user` itself. */
export const realEmail = realEmailIn(user)

/** The key that signs sessions, derived from the service’s secret for this use only. */
export function sessionSecret({ secret }: Pick<Config, 'secret'>): string {
  return keyedHash(secret, 'sessions', '')
}

/** Lifetime of a session; it is not extended. */
export const SESSION_SECONDS = 30 * 86_400

const COOKIE = 'session'

export function sessionCookieName(config: Pick<Config, 'origin'>): string {
  return hostCookieName(COOKIE, config)
}

/** The cookie of a session, as better-auth sets it. */
export function sessionCookie(token: string, config: Pick<Config, 'secret' | 'origin'>): Cookie {
  const value = encodeURIComponent(`${token}.${signatureOf(token, sessionSecret(config))}`)
  return cookieOf(COOKIE, value, SESSION_SECONDS, config)
}

function signatureOf(token: string, secret: string): string {
  return createHmac('sha256', secret).update(token).digest('base64')
}

/**
 * Reads the session of a request with one joined query that includes the membership, so a removed member loses the
 * organisation on the next request. The signature is checked first: a forged cookie costs no query.
 */
export function sessionReader({ db }: Store, config: Pick<Config, 'secret' | 'origin'>) {
  const readToken = tokenReader(config)
  const query = db
    .select({
      id: session.id,
      userId: user.id,
      name: user.name,
      email: realEmail,
      emailVerified: user.emailVerified,
      signedInAt: session.createdAt,
      organizationId: member.organizationId,
      role: member.role,
    })
    .from(session)
    // Disabling ends sessions; this also excludes one that was created meanwhile.
    .innerJoin(user, and(eq(user.id, session.userId), isNull(user.disabledAt)))
    .leftJoin(member, and(eq(member.organizationId, session.activeOrganizationId), eq(member.userId, user.id)))
    .where(and(eq(session.token, sql.placeholder('token')), gt(session.expiresAt, sql.placeholder('now'))))
    .prepare()

  return async (headers: Headers): Promise<Session | null> => {
    const token = readToken(headers)
    if (token === null) return null
    const [row] = await query.all({ token, now: Date.now() })
    if (row === undefined) return null
    const domain = row.email.slice(row.email.lastIndexOf('@') + 1).toLowerCase()
    return {
      ...row,
      signedInAt: row.signedInAt.getTime(),
      role: row.role ?? 'admin',
      emailDomain: row.emailVerified ? domain : null,
    }
  }
}

/** Maximum sessions listed per person; older ones simply expire. */
const MAX_SHOWN = 100

/** A browser that is signed in. */
interface OpenSession {
  id: string
  /** As sent at sign-in. */
  userAgent: string | null
  /** Milliseconds since 1970. */
  createdAt: number
}

/** The active sessions of a user, newest first. */
export async function sessionsOf({ db }: Store, userId: string): Promise<OpenSession[]> {
  const rows = await db
    .select({ id: session.id, userAgent: session.userAgent, createdAt: session.createdAt })
    .from(session)
    .where(and(eq(session.userId, userId), gt(session.expiresAt, new Date())))
    .orderBy(desc(session.createdAt))
    .limit(MAX_SHOWN)
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.getTime() }))
}

/** The token of one of a user's sessions, or null. It must never be shown. */
export async function tokenOf({ db }: Store, userId: string, id: string): Promise<string | null> {
  const [row] = await db
    .select({ token: session.token })
    .from(session)
    .where(and(eq(session.id, id), eq(session.userId, userId)))
  return row?.token ?? null
}

export async function endSession({ db, write }: Store, token: string): Promise<void> {
  await write([db.delete(session).where(eq(session.token, token))])
}

export async function endSessions({ db, write }: Store, userId: string): Promise<void> {
  await write([db.delete(session).where(eq(session.userId, userId))])
}

/**
 * Ends the previous session of a browser that signed in again, because nobody could use it any more. If it is the same
 * person, the new session acts for the same subject.
 */
export async function replaceSession({ db, write }: Store, before: string, token: string): Promise<void> {
  const former = alias(session, 'former')
  const acting = db
    .select({ id: former.activeOrganizationId })
    .from(former)
    .where(and(eq(former.token, before), eq(former.userId, session.userId)))
  await write([
    db
      .update(session)
      .set({ activeOrganizationId: sql`(${acting})` })
      .where(eq(session.token, token)),
    db.delete(session).where(eq(session.token, before)),
  ])
}

/** The session token that a browser sends, whether or not the session still exists; null if it has no valid signature. */
export function sessionToken(headers: Headers, config: Pick<Config, 'secret' | 'origin'>): string | null {
  return tokenReader(config)(headers)
}

function tokenReader(config: Pick<Config, 'secret' | 'origin'>) {
  const secret = sessionSecret(config)
  const name = sessionCookieName(config)
  return (headers: Headers) => {
    const sent = cookieIn(headers, name)
    return sent === null ? null : tokenIn(sent, secret)
  }
}

/** The token in a session cookie; null if it has no valid signature. */
function tokenIn(sent: string, secret: string): string | null {
  let value: string
  try {
    value = decodeURIComponent(sent)
  } catch {
    return null
  }
  const dot = value.lastIndexOf('.')
  const token = value.slice(0, dot)
  // Compared as text: several base64 texts decode to the same bytes.
  const signature = Buffer.from(value.slice(dot + 1))
  const expected = Buffer.from(signatureOf(token, secret))
  return signature.length === expected.length && timingSafeEqual(signature, expected) ? token : null
}

// The service’s own cookies. better-auth sets its session cookie itself, under the same rules.

type Site = Pick<Config, 'origin'>

/** The longest lifetime that browsers allow. */
export const LONGEST_SECONDS = 400 * 86_400

/** The longest `name=value` pair that is read, in characters: the service sets none that is longer. */
const MAX_PAIR = 512

/** A cookie that better-auth or a response of this service sets. */
export interface Cookie {
  name: string
  value: string
  attributes: { path: string; httpOnly: true; sameSite: 'lax'; secure: boolean; maxAge: number }
}

/** Whether the service is served over https, so that its cookies can be limited to https. */
function isSecure({ origin }: Site): boolean {
  return origin.startsWith('https:')
}

/** The name of a cookie for every path: `__Host-` binds it to this exact host, over https. */
export function hostCookieName(name: string, site: Site): string {
  return isSecure(site) ? `__Host-${name}` : name
}

/** A cookie for `path`. @param maxAge in seconds; 0 removes it. */
export function cookieOf(name: string, value: string, maxAge: number, site: Site, path = '/'): Cookie {
  return {
    name: path === '/' ? hostCookieName(name, site) : name,
    value,
    attributes: { path, httpOnly: true, sameSite: 'lax', secure: isSecure(site), maxAge },
  }
}

/** The value of a `Set-Cookie` header. */
export function cookieLine({ name, value, attributes: { path, maxAge, secure } }: Cookie): string {
  return `${name}=${value}; Max-Age=${maxAge}; Path=${path}; HttpOnly;${secure ? ' Secure;' : ''} SameSite=Lax`
}

/** The value of a cookie in a request, or null. @param name including `__Host-`. */
export function cookieIn(headers: Headers, name: string): string | null {
  // Not split into pairs: a header may have thousands.
  const pairs = `; ${headers.get('cookie') ?? ''}; `
  const start = `; ${name}=`
  const at = pairs.indexOf(start)
  if (at === -1) return null
  const end = pairs.indexOf('; ', at + start.length)
  return end - at - '; '.length > MAX_PAIR ? null : pairs.slice(at + start.length, end)
}
