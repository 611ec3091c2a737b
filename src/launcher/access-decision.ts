import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { roleIn } from '../identity/members.ts'
import { type AccessGate, isOpenToAll } from './access-gate.ts'
import { notOpen, type Outside, outsideOf } from './times.ts'

// The one place that decides who may see a launcher, and whatever else tells of a bundle to its viewers. Who
// may read and edit bundles is decided in bundles/roles.ts.

/** Why a viewer may not enter. */
type Refusal = { kind: 'members' } | { kind: 'password' } | Outside

/** What a gate decides about a viewer. */
export interface AccessDecision {
  /** Null if they may enter. */
  refusal: Refusal | null
  /** For those who own the bundle, why others do not see it now. */
  outside: Outside | null
}

const FREE: AccessDecision = { refusal: null, outside: null }

/** Decides about the viewer who sends a request. Only a session identifies them: a key is no viewer. */
export async function decideAccess(
  gate: AccessGate | null,
  headers: Headers,
  service: Service,
): Promise<AccessDecision> {
  const now = Date.now()
  if (gate === null || isOpenToAll(gate, now)) return FREE
  const outside = outsideOf(gate.times, now)
  const session = headers.has('cookie') ? await service.readSession(headers) : null
  if (session !== null && (await isInside(gate, session.userId, service))) return { refusal: null, outside }
  // Whoever may never see it does not learn when it opens either.
  return { refusal: gate.access === 'link' ? outside : { kind: gate.access }, outside: null }
}

/** Decides about a viewer who has given the right password. */
export function decideWithPassword(gate: AccessGate | null): AccessDecision {
  const outside = outsideOf(gate?.times ?? null, Date.now())
  return { refusal: gate === null || gate.access === 'password' ? outside : { kind: 'members' }, outside: null }
}

/** Whether a user owns a bundle, or is a member of the organisation that does. */
export async function isInside(
  { organizationId, userId: owner }: Pick<AccessGate, 'organizationId' | 'userId'>,
  userId: string,
  { store }: Pick<Service, 'store'>,
): Promise<boolean> {
  if (organizationId === null) return owner === userId
  return (await roleIn(store, userId, organizationId)) !== null
}

/** The error for viewers who may not enter. Its scheme is not `Bearer`: no key opens a launcher. */
export function refused(refusal: Refusal): Problem {
  if (refusal.kind === 'members') {
    return new Problem('MEMBERS_ONLY', 'Only members may see this bundle: sign in as one, in a browser.', {
      headers: { 'www-authenticate': 'Cookie' },
      userMessage: 'Only members can see this. Sign in, then open the link again.',
    })
  }
  if (refusal.kind === 'password') {
    return new Problem('PASSWORD_REQUIRED', 'This bundle has a password: open its link and enter it there.', {
      headers: { 'www-authenticate': 'Form' },
    })
  }
  return notOpen(refusal)
}
