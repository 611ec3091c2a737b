import type { Content } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { roleIn } from '../identity/members.ts'

// The one place that decides who may see a launcher, and everything else that reveals a bundle to viewers. Who may read and edit
// bundles is decided in bundles/edit/bundles.ts.

/** Why a viewer may not enter. */
type Refusal = { kind: 'members' } | { kind: 'password' } | Outside

/** A gate's decision about a viewer. */
export interface AccessDecision {
  /** Null if they may enter. */
  refusal: Refusal | null
  /** For the bundle's owners: why others cannot see it now. */
  outside: Outside | null
}

const FREE: AccessDecision = { refusal: null, outside: null }

/** Decides about the viewer who sent a request. Only a session identifies a viewer: a key does not. */
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
  // A viewer without access is not told the opening time either.
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

/** The gate between viewers and a bundle. */
export interface AccessGate {
  access: Content['access']
  /** Null if the bundle is always open. */
  times: Times | null
  /** The owner: an organisation, a user, or neither while the bundle is unclaimed. */
  organizationId: string | null
  userId: string | null
}

/** The gate of a bundle; null if anyone may see it at any time. */
export function accessGateOf(bundle: Omit<AccessGate, 'times'> & Parameters<typeof timesOf>[0]): AccessGate | null {
  const { access, organizationId, userId } = bundle
  const times = timesOf(bundle)
  return times === null && access === 'link' ? null : { access, times, organizationId, userId }
}

/** Whether anyone may enter now. */
export function isOpenToAll({ access, times }: AccessGate, now: number): boolean {
  return access === 'link' && (times === null || isOpen(times, now))
}

/** When a bundle opens and closes, in milliseconds since 1970. */
interface Times {
  opensAt: number
  closesAt: number
  closedNote: string | null
}

/** Why viewers cannot see a bundle now. Times are milliseconds since 1970. */
export type Outside = { kind: 'before'; opensAt: number } | { kind: 'after'; closesAt: number; note: string | null }

/** The times of a bundle; null if it is always open. */
export function timesOf({
  opensAt,
  closesAt,
  closedNote,
}: Pick<Content, 'opensAt' | 'closesAt' | 'closedNote'>): Times | null {
  if (opensAt === null && closesAt === null) return null
  return {
    opensAt: opensAt === null ? Number.NEGATIVE_INFINITY : Date.parse(opensAt),
    closesAt: closesAt === null ? Number.POSITIVE_INFINITY : Date.parse(closesAt),
    closedNote,
  }
}

/** Whether a bundle is open: from its opening time (inclusive) to its closing time (exclusive). */
export function isOpen({ opensAt, closesAt }: Times, now: number): boolean {
  return opensAt <= now && now < closesAt
}

/** Why a bundle is not open; null if it is. */
export function outsideOf(times: Times | null, now: number): Outside | null {
  if (times === null || isOpen(times, now)) return null
  const { opensAt, closesAt, closedNote } = times
  return now < opensAt ? { kind: 'before', opensAt } : { kind: 'after', closesAt, note: closedNote }
}

/** The error for viewers of a bundle that is not open. */
function notOpen(outside: Outside): Problem {
  if (outside.kind === 'after') {
    const userMessage = 'This bundle has closed.'
    return new Problem('CLOSED', outside.note === null ? userMessage : `${userMessage} ${outside.note}`, {
      userMessage,
    })
  }
  return new Problem('NOT_OPEN_YET', `This bundle opens at ${new Date(outside.opensAt).toISOString()}.`, {
    userMessage: 'This page isn’t open yet.',
  })
}
