import { APIError, type createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { and, eq, isNull, ne, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { account, member, session } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { keyedHash } from '../core/secrets.ts'
import { deviceOf, forgetDevice, withDevice } from '../identity/devices.ts'
import { endPlaceholders, realEmailOf } from '../identity/enumeration.ts'
import { unfitPassword } from '../identity/password-rules.ts'
import { hasPassword } from '../identity/passwords.ts'
import { isRecent, signInAgain } from '../identity/proof.ts'
import { type Cookie, cookieOf, hostCookieName, LONGEST_SECONDS, replaceSession } from '../identity/sessions.ts'
import type { AccountMails } from './account-mails.ts'
import { signedOut } from './proof-hooks.ts'

// Checks before and actions after better-auth’s own endpoints, over HTTP or called in process.

/** The context that better-auth passes to hooks. */
type Call = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]

interface HookContext {
  config: Config
  store: Store
  accountMails: AccountMails
}

/** The body field with the new password, by endpoint. */
const NEW_PASSWORD: Record<string, 'password' | 'newPassword'> = {
  '/sign-up/email': 'password',
  '/change-password': 'newPassword',
  '/reset-password': 'newPassword',
  '/set-password': 'newPassword',
}

/**
 * Refuses a weak new password, and a sensitive change without fresh proof.
 * @throws APIError.
 */
export async function refuseUnproven(call: Call, { config, store }: HookContext): Promise<void> {
  const field = NEW_PASSWORD[call.path]
  const password: unknown = field === undefined ? undefined : call.body?.[field]
  if (typeof password === 'string') {
    const unfit = await unfitPassword(password, { email: await emailOf(call, store), service: config.name })
    if (unfit !== null) throw new APIError('BAD_REQUEST', unfit)
  }
  if (NEEDS_RECENT_SIGN_IN.has(call.path)) await refuseOldSession(call)
  if (call.path !== '/delete-user') return
  // Without a password, better-auth requires a recent session.
  if (!config.passwordSignIn) delete call.body?.password
  if (!config.passwordSignIn || call.body?.password) return
  const found = await getSessionFromCtx(call)
  if (found !== null && (await hasPassword(store, found.user.id))) {
    const message = 'Enter your password too.'
    throw new APIError('BAD_REQUEST', { message, code: 'INVALID_PASSWORD' })
  }
}

/** The endpoints that a stale session may not call. Deleting an account has its own rule. */
const NEEDS_RECENT_SIGN_IN = new Set(['/change-password', '/organization/delete'])

/**
 * Refuses a stale session. Someone else may be using the browser, and must neither change how the account signs in nor destroy
 * shared data.
 * @throws APIError.
 */
async function refuseOldSession(call: Call): Promise<void> {
  const found = await getSessionFromCtx(call)
  if (found === null || isRecent(found.session.createdAt.getTime())) return
  const { code, message } = signInAgain()
  throw new APIError('FORBIDDEN', { code, message })
}

/** The address of the account that gets the new password, if there is one. */
async function emailOf(call: Call, store: Store): Promise<string | null> {
  const { internalAdapter } = call.context
  if (call.path === '/sign-up/email') return typeof call.body.email === 'string' ? call.body.email : null
  if (call.path !== '/reset-password') return realEmailOf(store, (await getSessionFromCtx(call))?.user.email ?? null)
  const token: unknown = call.body.token || call.query?.token
  const proof =
    typeof token === 'string' ? await internalAdapter.findVerificationValue(`reset-password:${token}`) : null
  return proof === null ? null : ((await internalAdapter.findUserById(proof.value))?.email ?? null)
}

/** A sign-in this soon after the account was created is its first one, and needs no notice. */
const FIRST_SIGN_IN_MS = 60_000

/** Remembers the browser of a sign-in, and notifies the owner of a new one. */
export async function followUp(call: Call, { config, store, accountMails }: HookContext): Promise<void> {
  const { newSession, returned } = call.context
  const headers = call.headers ?? new Headers()
  const hasFailed = returned instanceof APIError && returned.statusCode >= 400
  if (hasFailed) return
  if (call.path === '/delete-user') return forget(call, config)
  if (SWITCHES.has(call.path)) await rememberWorkspace(call, { config, store })
  if (newSession === null) return
  // Other endpoints only refresh the cookie of the session that the browser already has.
  const { authCookies, secret } = call.context
  const had = await call.getSignedCookie(authCookies.sessionToken.name, secret)
  if (newSession.session.token === had) return
  if (had) await replaceSession(store, had, newSession.session.token)
  await resumeWorkspace(store, newSession.session, call.getCookie(workspaceCookieName(config)), config)
  const { user } = newSession
  const email = (await realEmailOf(store, user.email)) ?? user.email
  const isKnown = deviceOf(headers, email, config) !== null
  const { name, value, attributes } = withDevice(headers, email, user.emailVerified, config)
  call.setCookie(name, value, attributes)
  const at = newSession.session.createdAt
  if (isKnown || at.getTime() - user.createdAt.getTime() < FIRST_SIGN_IN_MS) return
  await accountMails.notify(user.id, { kind: 'signedIn', userAgent: newSession.session.userAgent ?? null, at })
}

async function rememberWorkspace(call: Call, { config, store }: Omit<HookContext, 'accountMails'>): Promise<void> {
  const found = await getSessionFromCtx(call)
  if (found === null) return
  const acting = await workspaceOf(store, found.session.token)
  const { name, value, attributes } = workspaceCookie(found.user.id, acting, config)
  call.setCookie(name, value, attributes)
}

/**
 * Replaces better-auth’s password change, which compares first and writes later: in between, the owner of the address may have
 * proved it, or the password may have been replaced. Here the write itself checks both, and ends the other sessions.
 */
export async function changePassword(call: Call, { store, accountMails }: HookContext) {
  const found = await getSessionFromCtx(call)
  if (call.path !== '/change-password' || found === null) return
  const { currentPassword, newPassword } = call.body as { currentPassword?: unknown; newPassword?: unknown }
  if (typeof currentPassword !== 'string' || typeof newPassword !== 'string') return
  const { user, session: own } = found
  const { password: passwords } = call.context
  const { db, write } = store
  const isTheirs = and(eq(account.userId, user.id), eq(account.providerId, 'credential'))
  const [row] = await db.select({ password: account.password }).from(account).where(isTheirs)
  const stored = row?.password ?? null
  if (stored === null || !(await passwords.verify({ hash: stored, password: currentPassword }))) {
    throw new APIError('BAD_REQUEST', { message: 'Invalid password', code: 'INVALID_PASSWORD' })
  }
  const password = await passwords.hash(newPassword)
  const isOpen = sql`EXISTS (SELECT 1 FROM ${session} WHERE ${eq(session.id, own.id)})`
  const isChanged = sql`EXISTS (SELECT 1 FROM ${account} WHERE ${and(isTheirs, eq(account.password, password))})`
  const [changed] = await write([
    db
      .update(account)
      .set({ password, updatedAt: new Date() })
      .where(and(isTheirs, eq(account.password, stored), isOpen)),
    db.delete(session).where(and(eq(session.userId, user.id), ne(session.id, own.id), isChanged)),
  ])
  if (changed?.rowsAffected !== 1) {
    throw signedOut()
  }
  await endPlaceholders(store, user.id)
  await accountMails.notify(user.id, { kind: 'passwordSet' })
  return call.json({ token: null, user })
}

function forget(call: Call, config: Config): void {
  const email = call.context.session?.user.email
  if (email === undefined) return
  const { name, value, attributes } = forgetDevice(call.headers ?? new Headers(), email, config)
  call.setCookie(name, value, attributes)
}

/** better-auth’s endpoints that change whom a session acts for. */
const SWITCHES: ReadonlySet<string> = new Set([
  '/organization/set-active',
  '/organization/create',
  '/organization/accept-invitation',
])

/** The organisation that a session acts for, or null. */
async function workspaceOf({ db }: Store, token: string): Promise<string | null> {
  const [row] = await db.select({ id: session.activeOrganizationId }).from(session).where(eq(session.token, token))
  return row?.id ?? null
}

// A browser remembers which organisation its user last acted for, so that signing out and in again leads back there. The cookie
// grants nothing: membership is checked when it is used, and on every request afterwards.

type Keys = Pick<Config, 'secret' | 'origin'>

const COOKIE = 'workspace'
const VALUE = /^([\w-]{22})\.([\w-]{1,64})$/

/** The cookie for the organisation that a user acts for; null removes it. */
function workspaceCookie(userId: string, organizationId: string | null, keys: Keys): Cookie {
  if (organizationId === null) return cookieOf(COOKIE, '', 0, keys)
  return cookieOf(COOKIE, `${userHash(userId, keys)}.${organizationId}`, LONGEST_SECONDS, keys)
}

/** Makes a new session act for the organisation that this browser remembers for its user, if they are still a member. */
async function resumeWorkspace(
  { db, write }: Store,
  { token, userId }: { token: string; userId: string },
  remembered: string | null,
  keys: Keys,
): Promise<void> {
  const [, user, organizationId] = VALUE.exec(remembered ?? '') ?? []
  if (organizationId === undefined || user !== userHash(userId, keys)) return
  const membership = db
    .select({ id: member.organizationId })
    .from(member)
    .where(and(eq(member.organizationId, organizationId), eq(member.userId, session.userId)))
  await write([
    db
      .update(session)
      .set({ activeOrganizationId: sql`(${membership})` })
      .where(and(eq(session.token, token), isNull(session.activeOrganizationId))),
  ])
}

function workspaceCookieName(keys: Keys): string {
  return hostCookieName(COOKIE, keys)
}

/** Ties the cookie to its user, so that another user of the browser does not inherit it; the cookie names no account. */
function userHash(userId: string, { secret }: Keys): string {
  return keyedHash(secret, 'workspace', userId).slice(0, 22)
}
