import type { Audience } from '../../db/rights.ts'
import { type Caller, invalidCredential, type KnownKey, type Session, type Subject } from './caller.ts'
import { SCOPES } from './roles.ts'

/** How credentials are read; see `sessionReader` and `KeyRing`. */
interface Credentials {
  readSession(headers: Headers): Promise<Session | null>
  /** @returns the key of an Authorization header; null if it is none. @throws Problem FORBIDDEN for one that does not work from the address. */
  keyRing: { identify(authorization: string, address: string): Promise<KnownKey | null> }
}

/** Where a request comes from. */
interface Origin {
  /** The client’s address. */
  address: string
  /** That address as limits count it. */
  network: string
}

/**
 * Identifies the caller of a request. A key takes precedence over a cookie.
 * @param at the part of the service that is asked: an app’s token is valid only where it was meant for.
 * @throws Problem UNAUTHORIZED for an invalid key: it is never treated as anonymous; FORBIDDEN for one that does not work
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
 * The Authorization header of a request if it claims to hold a key or token; null if it is none of ours. A proxy with a
 * sign-in of its own passes on what it was sent (`Basic`, `Digest`, `Negotiate`), which is nobody’s credential here.
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
  // Everything is below /api, so a token for that is valid for MCP too, but not the other way round.
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
