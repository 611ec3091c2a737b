import type { Actor } from '../../db/client.ts'
import { type Audience, ROLES, type Role, SCOPES, type Scope } from '../../db/rights.ts'
import { Problem } from '../core/problem.ts'

// Nearly every feature imports these types, so this file must import no feature: that would be a cycle.

/** The owner of bundles and keys. */
export type Subject = { type: 'user'; userId: string } | { type: 'organization'; organizationId: string }

/** The session of a signed-in browser: its user, and the organisation it acts for. */
export interface Session {
  /** Identifies the session; not its secret token. */
  id: string
  userId: string
  name: string
  email: string
  emailVerified: boolean
  /** When this browser signed in, in milliseconds since 1970. */
  signedInAt: number
  /** The domain of the address if it is verified, else null. */
  emailDomain: string | null
  /** The active organisation, if the user is still a member. */
  organizationId: string | null
  /** The role in that organisation; `admin` if the user acts for themselves. */
  role: Role
}

/** A verified API key: whom it acts for, and what it may do. */
export interface KnownKey {
  id: number
  userId: string
  subject: Subject
  role: Role
  scopes: readonly Scope[]
  /** Whether the minter has verified their address. */
  isMinterVerified: boolean
  /** 0: no limit. */
  rateLimitPerHour: number
  /** When it ends, in milliseconds since 1970; null for never. */
  expiresAt: number | null
  /** The networks that it works from (`core/networks.ts`); null for any. */
  networks: readonly string[] | null
  /** Where the token of an app is valid; null for a key, which is valid everywhere. */
  audience: Audience | null
}

/** A caller without a credential. */
interface Anonymous {
  kind: 'anonymous'
  /** The client’s network: see limits/rate-limits.ts. */
  address: string
}

interface Credential {
  address: string
  /** The session’s user, or the member who minted the key. */
  userId: string
  /** Whom the caller acts for: the active organisation of a session, else its user; the subject of a key. */
  subject: Subject
  /** The role over that subject. */
  role: Role
  scopes: readonly Scope[]
}

export type SignedIn = Credential & ({ kind: 'session'; session: Session } | { kind: 'key'; key: KnownKey })

export type Caller = Anonymous | SignedIn

/**
 * Narrows a caller to one with a credential.
 * @throws Problem UNAUTHORIZED.
 */
export function signedIn(caller: Caller): SignedIn {
  if (caller.kind !== 'anonymous') return caller
  throw unauthorized()
}

/** The actor that a caller’s changes are logged under. */
export function actorOf(caller: SignedIn): Actor {
  const { userId } = caller
  if (caller.kind === 'session') return { type: 'user', userId, keyId: null }
  return { type: caller.key.audience === null ? 'key' : 'app', userId, keyId: caller.key.id }
}

/** The error for a missing credential. */
export function unauthorized(): Problem {
  const message = 'Sign in, or send an API key as Authorization: Bearer <key>.'
  return refusal('Bearer', message, 'You need to sign in to do this.')
}

export function invalidCredential(message: string, userMessage = message): Problem {
  return refusal('Bearer error="invalid_token"', message, userMessage)
}

function refusal(challenge: string, message: string, userMessage: string): Problem {
  return new Problem('UNAUTHORIZED', message, { headers: { 'www-authenticate': challenge }, userMessage })
}

/** The error for a credential whose account has been deleted since it was read. */
export function gone(): Problem {
  return invalidCredential('The account of this credential was deleted.', 'This account has been deleted.')
}

// Re-exported for views, which may not import the database.
export { ROLES, type Role, SCOPES, type Scope }

/** The scopes that each scope includes. `webhooks:write` is independent of the `links` scopes. */
const INCLUDED: Record<Scope, readonly Scope[]> = {
  'links:read': ['links:read'],
  'links:propose': ['links:read', 'links:propose'],
  'links:write': ['links:read', 'links:propose', 'links:write'],
  'webhooks:write': ['webhooks:write'],
  'keys:admin': SCOPES,
}

/** Whether `scopes` include `needed`, directly or by a scope that implies it. */
export function allows(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.some((scope) => INCLUDED[scope].includes(needed))
}

/**
 * Scopes as stored with a credential: each once, without `links:propose` where `links:write` includes it, and without
 * `webhooks:write` where `keys:admin` does, because a stored key holds at most three.
 */
export function keptScopes(scopes: readonly Scope[]): Scope[] {
  const isIncluded = (scope: Scope) =>
    (scope === 'links:propose' && scopes.includes('links:write')) ||
    (scope === 'webhooks:write' && scopes.includes('keys:admin'))
  return [...new Set(scopes)].filter((scope) => !isIncluded(scope))
}

/** Whether a role is at least the needed one. */
export function allowsRole(has: Role, needed: Role): boolean {
  return ROLES.indexOf(has) >= ROLES.indexOf(needed)
}

/**
 * Refuses a role below the needed one, and names both.
 * @throws Problem FORBIDDEN.
 */
export function requireRole(has: Role, needed: Role): void {
  if (allowsRole(has, needed)) return
  throw new Problem('FORBIDDEN', `needs role ${needed} (you are ${has})`, {
    userMessage: `You need the ${needed} role to do this. You’re ${has === 'viewer' ? 'a' : 'an'} ${has}.`,
  })
}

/** How credentials are read; see `sessionReader` and `KeyRing`. */
interface Credentials {
  readSession(headers: Headers): Promise<Session | null>
  /**
   * @returns the key of an Authorization header; null if it is not valid.
   * @throws Problem FORBIDDEN for one that does not work from the address.
   */
  keyRing: { identify(authorization: string, address: string): Promise<KnownKey | null> }
}

/** The origin of a request. */
interface Origin {
  /** The client’s address. */
  address: string
  /** The network that limits count it under. */
  network: string
}

/**
 * Identifies the caller of a request. A key takes precedence over a cookie.
 * @param at the part of the service that the request is for: an app’s token is valid only for its own audience.
 * @throws Problem UNAUTHORIZED for an invalid key: it is never treated as anonymous; FORBIDDEN for a key that does not work
 * from the client’s address.
 */
export function identify(
  headers: Headers,
  from: Origin,
  credentials: Credentials,
  at: Audience = 'api',
): Caller | Promise<Caller> {
  const authorization = keyHeader(headers)
  if (authorization !== null) return byKey(authorization, from, credentials, at)
  return headers.has('cookie')
    ? bySession(headers, from.network, credentials)
    : { kind: 'anonymous', address: from.network }
}

/**
 * The Authorization header of a request if it looks like a key or token of this service, else null. A proxy with its own
 * sign-in passes on other credentials (`Basic`, `Digest`, `Negotiate`), which identify nobody here.
 */
export function keyHeader(headers: Headers): string | null {
  const authorization = headers.get('authorization')
  return authorization !== null && /^(?:bearer(?:\s|$)|(?:[a-z]+\s+)?oa_)/i.test(authorization) ? authorization : null
}

async function byKey(
  authorization: string,
  { address, network }: Origin,
  { keyRing }: Credentials,
  at: Audience,
): Promise<Caller> {
  const key = await keyRing.identify(authorization, address)
  if (key === null) throw invalidCredential(whyRefused(authorization))
  // MCP is below /api, so a token for /api is valid for MCP too, but not the other way round.
  if (key.audience === 'mcp' && at !== 'mcp')
    throw invalidCredential('This token is valid for /api/mcp only. Use an API key.')
  const { userId, subject, role, scopes } = key
  return { kind: 'key', address: network, userId, subject, role, scopes, key }
}

function whyRefused(authorization: string): string {
  if (/^bearer\s/i.test(authorization)) return 'This API key is not valid. Check it, or send no Authorization header.'
  return 'Put `Bearer ` before the key: Authorization: Bearer <key>.'
}

async function bySession(headers: Headers, address: string, { readSession }: Credentials): Promise<Caller> {
  const session = await readSession(headers)
  if (session === null) return { kind: 'anonymous', address }
  const { organizationId, userId, role } = session
  const subject: Subject = organizationId === null ? { type: 'user', userId } : { type: 'organization', organizationId }
  return { kind: 'session', address, userId, subject, role, scopes: SCOPES, session }
}
