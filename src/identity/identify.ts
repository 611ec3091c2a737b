import { Problem } from '../problem.ts'
import { type Role, SCOPES, type Scope } from './roles.ts'
import type { Session } from './sessions.ts'

/** Who bundles and keys belong to (spec 2.6, decisions 2). */
export type Subject = { type: 'user'; userId: string } | { type: 'organization'; organizationId: string }

/** A caller without a credential. */
export interface Anonymous {
  kind: 'anonymous'
  /** The client's network: see `network`. */
  address: string
}

/** A caller with one. */
export interface SignedIn {
  kind: 'session'
  address: string
  session: Session
  /** Whom the caller acts for: the active organisation, else the user. */
  subject: Subject
  /** The role over that subject. */
  role: Role
  scopes: readonly Scope[]
}

export type Caller = Anonymous | SignedIn

/** How a session is read; see `sessionReader`. */
export type ReadSession = (headers: Headers) => Promise<Session | null>

/**
 * The caller behind a request's credentials (spec 5, decisions 3).
 * @throws Problem UNAUTHORIZED for a key that is not valid: it is never taken as anonymous.
 */
export async function identify(headers: Headers, address: string, readSession: ReadSession): Promise<Caller> {
  if (headers.has('authorization')) {
    throw new Problem('UNAUTHORIZED', 'The API key is not valid. Check it, or send no Authorization header.', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
  const session = headers.has('cookie') ? await readSession(headers) : null
  if (session === null) return { kind: 'anonymous', address }
  const { organizationId, userId, role } = session
  return {
    kind: 'session',
    address,
    session,
    subject: organizationId === null ? { type: 'user', userId } : { type: 'organization', organizationId },
    role,
    scopes: SCOPES,
  }
}

/**
 * The caller, who must have a credential.
 * @throws Problem UNAUTHORIZED.
 */
export function signedIn(caller: Caller): SignedIn {
  if (caller.kind !== 'anonymous') return caller
  throw new Problem('UNAUTHORIZED', 'Sign in, or send an API key as Authorization: Bearer <key>.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

/**
 * An address as limits know it: IPv4 as it is, IPv6 by its /64, which is what one customer is given
 * (decisions 4, 8). Expects it in plain form.
 */
export function network(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length)
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...after]
  const first = all.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
  return `${first.join(':')}::/64`
}
