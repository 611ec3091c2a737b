import { AsyncLocalStorage } from 'node:async_hooks'
import type { createAuthMiddleware } from 'better-auth/api'
import { type Code, STATUS } from '../core/codes.ts'
import { internalError, Problem, unknownUrl } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { asSentence } from '../core/words.ts'
import type { SignedIn } from '../identity/caller.ts'
import { signInAgain } from '../identity/proof.ts'
import { noOrganization } from './organizations.ts'

// Translates better-auth’s refusals into this service’s codes and messages.

/** better-auth’s codes for a session that is too old: one for each check. */
const STALE = new Set(['SESSION_NOT_FRESH', 'SESSION_EXPIRED'])

const ONLY_ADMIN: Refusal = [
  'LAST_ADMIN',
  'An organisation keeps an admin, whom only admins can remove. Make another member an admin first.',
]

type Refusal = readonly [code: Code, words: string]

/** Refusals about organisations, by better-auth’s codes. */
const OF_ORGANIZATIONS: Readonly<Record<string, Refusal>> = {
  MEMBER_NOT_FOUND: ['NOT_FOUND', 'This person isn’t a member of the organisation, or you’re not.'],
  INVITATION_NOT_FOUND: ['NOT_FOUND', 'This invitation was answered or revoked, has expired or never existed.'],
  INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION: [
    'BAD_REQUEST',
    'Whoever invited you has left the organisation. Ask one of its admins for another invitation.',
  ],
  YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION: [
    'FORBIDDEN',
    'This invitation is for another address. Sign in with the address that it was sent to.',
  ],
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: [
    'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
    'This person is already a member.',
  ],
  INVITATION_LIMIT_REACHED: [
    'INVITATION_LIMIT_REACHED',
    'This organisation has as many open invitations as there may be. Revoke one first.',
  ],
  ORGANIZATION_MEMBERSHIP_LIMIT_REACHED: ['FORBIDDEN', 'This organisation has as many members as there may be.'],
  ORGANIZATION_ALREADY_EXISTS: ['BAD_REQUEST', 'slug is taken: choose another'],
  ORGANIZATION_SLUG_ALREADY_TAKEN: ['BAD_REQUEST', 'slug is taken: choose another'],
  NO_ACTIVE_ORGANIZATION: ['BAD_REQUEST', 'organizationId is missing: you act for no organisation'],
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER: ONLY_ADMIN,
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER: ONLY_ADMIN,
}

/** Converts a refusal by better-auth, given as the status and body of its answer. */
export function refusalOf(status: number, { message, code = '' }: { message?: string; code?: string }): Problem {
  if (status >= 500) return internalError()
  if (status === 404 && code === '') return unknownUrl()
  if (STALE.has(code)) return signInAgain()
  if (code === 'ORGANIZATION_NOT_FOUND') return noOrganization()
  const known = Object.hasOwn(OF_ORGANIZATIONS, code) ? OF_ORGANIZATIONS[code] : undefined
  if (known !== undefined) return new Problem(...known)
  // better-auth also answers 401 if a member’s role is too low, which would send a browser to sign in for nothing.
  if (code.startsWith('YOU_ARE_NOT_ALLOWED')) {
    return new Problem('FORBIDDEN', 'needs role admin', { userMessage: 'You need the admin role to do this.' })
  }
  return new Problem(
    Object.hasOwn(STATUS, code) ? (code as Code) : (BY_STATUS[status] ?? 'BAD_REQUEST'),
    asSentence(message ?? 'This was refused.'),
  )
}

/** The code for a status, where better-auth’s own code is unknown here. */
const BY_STATUS: Record<number, Code> = { 401: 'UNAUTHORIZED', 403: 'FORBIDDEN', 404: 'NOT_FOUND', 429: 'RATE_LIMITED' }

type Call = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]

/** The user on whose behalf an operation calls better-auth. */
const calling = new AsyncLocalStorage<string>()

/**
 * Calls a better-auth endpoint on behalf of an authenticated caller, who may use a key: better-auth itself knows only sessions.
 * Its own rules, hooks and mails apply; the operation has already checked permissions and rate limits.
 * @param path below `/api/auth`.
 * @throws Problem if better-auth refuses.
 */
export async function callAs<Answer>(
  { userId }: Pick<SignedIn, 'userId'>,
  { auth, config }: Pick<Service, 'auth' | 'config'>,
  path: `/organization/${string}`,
  body: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  const { handler } = await auth()
  const request = new Request(`${config.origin}/api/auth${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const response = await calling.run(userId, () => handler(request))
  const answer: unknown = await response.json().catch(() => ({}))
  if (!response.ok) throw refusalOf(response.status, answer as object)
  return answer as Answer
}

/** Gives a call by `callAs` a session that exists only for that call. A request from outside never gets one. */
export async function adoptCaller(call: Call): Promise<void> {
  const userId = calling.getStore()
  if (userId === undefined) return
  const user = await call.context.internalAdapter.findUserById(userId)
  if (user === null) return
  const now = new Date()
  const session = { id: '', token: '', userId, createdAt: now, updatedAt: now, expiresAt: now }
  call.context.session = { user, session }
}
