import { Problem } from '../core/problem.ts'
import type { KeyRing, KnownKey } from '../keys/keys.ts'
import { type Role, SCOPES, type Scope } from './roles.ts'
import type { Session } from './sessions.ts'

/** Who bundles and keys belong to (spec 2.6, decisions 2). */
export type Subject = { type: 'user'; userId: string } | { type: 'organization'; organizationId: string }

/** A caller without a credential. */
interface Anonymous {
  kind: 'anonymous'
  /** The client's network: see `network`. */
  address: string
}

interface Credential {
  address: string
  /** The user behind the session, or who minted the key. */
  userId: string
  /** Whom the caller acts for: a session's active organisation, else its user; a key's own subject. */
  subject: Subject
  /** The role over that subject. */
  role: Role
  scopes: readonly Scope[]
}

/** A caller with a credential. */
export type SignedIn = Credential & ({ kind: 'session'; session: Session } | { kind: 'key'; key: KnownKey })

export type Caller = Anonymous | SignedIn

/** How credentials are read; see `sessionReader` and `KeyRing`. */
export interface Credentials {
  readSession(headers: Headers): Promise<Session | null>
  keyRing: Pick<KeyRing, 'identify'>
}

/**
 * The caller behind a request's credentials (spec 5, decisions 3). A key goes before a cookie.
 * @throws Problem UNAUTHORIZED for a key that is not valid: it is never taken as anonymous.
 */
export function identify(headers: Headers, address: string, credentials: Credentials): Caller | Promise<Caller> {
  const authorization = headers.get('authorization')
  if (authorization !== null) return byKey(authorization, address, credentials)
  return headers.has('cookie') ? bySession(headers, address, credentials) : { kind: 'anonymous', address }
}

async function byKey(authorization: string, address: string, { keyRing }: Credentials): Promise<Caller> {
  const key = await keyRing.identify(authorization)
  if (key === null) throw unauthorized('The API key is not valid. Check it, or send no Authorization header.')
  const { userId, subject, role, scopes } = key
  return { kind: 'key', address, userId, subject, role, scopes, key }
}

async function bySession(headers: Headers, address: string, { readSession }: Credentials): Promise<Caller> {
  const session = await readSession(headers)
  if (session === null) return { kind: 'anonymous', address }
  const { organizationId, userId, role } = session
  const subject: Subject = organizationId === null ? { type: 'user', userId } : { type: 'organization', organizationId }
  return { kind: 'session', address, userId, subject, role, scopes: SCOPES, session }
}

/**
 * The caller, who must have a credential.
 * @throws Problem UNAUTHORIZED.
 */
export function signedIn(caller: Caller): SignedIn {
  if (caller.kind !== 'anonymous') return caller
  throw unauthorized('Sign in, or send an API key as Authorization: Bearer <key>.')
}

/** The refusal of a request without a credential that holds. */
export function unauthorized(message: string): Problem {
  return new Problem('UNAUTHORIZED', message, { headers: { 'www-authenticate': 'Bearer' } })
}

/** The refusal of a credential whose account was deleted since it was read. */
export function gone(): Problem {
  return unauthorized('The account of this credential was deleted.')
}

/**
 * An address as limits know it: IPv4 as it is, IPv6 by its /64, which is what one customer is given
 * (decisions 4, 8). Expects it in plain form.
 */
export function network(address: string): string {
  return address.includes(':') ? prefix(address, 4) : address
}

/** The network that an address's network is in: IPv4 as it is, IPv6 by its /48, the most that one site is given. */
export function widerNetwork(address: string): string {
  return address.includes(':') ? prefix(address, 3) : address
}

/** So many of the groups that an IPv6 address, or a network, begins with. */
function prefix(address: string, count: number): string {
  const [head = '', tail] = address.replace(/\/\d+$/, '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length)
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...after]
  const first = all.slice(0, count).map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
  return `${first.join(':')}::/${count * 16}`
}
