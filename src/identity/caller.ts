import { Problem } from '../core/problem.ts'
import type { Role, Scope } from './roles.ts'

// Who calls. Most features need this, so it imports none of them: importing one here would close a circle.

/** Who bundles and keys belong to (spec 2.6, decisions 2). */
export type Subject = { type: 'user'; userId: string } | { type: 'organization'; organizationId: string }

/** A signed-in browser's user, and the organisation it acts for. */
export interface Session {
  /** Names the session and is no secret: its token is another text. */
  id: string
  userId: string
  name: string
  email: string
  emailVerified: boolean
  /** When this browser signed in, in milliseconds since 1970. */
  signedInAt: number
  /** The domain of a VERIFIED address; null otherwise. */
  emailDomain: string | null
  /** The active organisation, if the user still belongs to it. */
  organizationId: string | null
  /** The role in that organisation; over the user's own things `admin`. */
  role: Role
}

/** A key that has proved itself: whom it acts for, and what it may do. */
export interface KnownKey {
  id: number
  userId: string
  subject: Subject
  role: Role
  scopes: readonly Scope[]
  /** Whether whoever minted it has proven their address. */
  isMinterVerified: boolean
  /** 0: no limit. */
  rateLimitPerHour: number
}

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
