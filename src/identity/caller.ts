import type { Actor } from '../../db/acting.ts'
import type { Audience } from '../../db/rights.ts'
import { Problem } from '../core/problem.ts'
import type { Role, Scope } from './roles.ts'

// Nearly every feature needs these types, so this file may import none of them: that would be an import cycle.

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
  /** The client’s network: see limits/network.ts. */
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

/** As whom what a caller does is logged. */
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
