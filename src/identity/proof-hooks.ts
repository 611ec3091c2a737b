import { APIError, type createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import type { Store } from '../../db/client.ts'
import { isAscii } from '../core/text.ts'
import { emailIn, magicLinkIdentifier } from './links.ts'
import { leave } from './members.ts'
import { emailUnverified, isVouchedFor, type Proofs } from './proof.ts'
import { roleIn } from './sessions.ts'
import { shownTo, takenBy } from './taken.ts'

// What must be proven before better-auth's endpoints do what they do, and what they may then tell of.

/** What better-auth calls the OIDC provider. */
export const OIDC = 'oidc'

type Ctx = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]

/** A provider's word on an address, which counts only as a boolean or its text; where it vouches, the address is proven. */
export async function vouched({ email, email_verified, sub }: Record<string, unknown>, proofs: Proofs) {
  // What lower case makes of letters beyond ASCII may be somebody else's address.
  const emailVerified = isVouchedFor(email_verified) && isAscii(String(email))
  if (emailVerified) await proofs.proveByProvider(String(email).toLowerCase(), OIDC, String(sub))
  return { emailVerified }
}

/** Invitations are sent to an address, and so are for whoever has proven it; who sends one is named in it. */
const FOR_PROVEN = new Set(
  ['invite-member', 'accept-invitation', 'reject-invitation', 'get-invitation', 'list-user-invitations'].map(
    (name) => `/organization/${name}`,
  ),
)

export async function requireProof(ctx: Ctx, store: Store): Promise<void> {
  if (!FOR_PROVEN.has(ctx.path)) return
  const found = await getSessionFromCtx(ctx)
  if (found === null || found.user.emailVerified) return
  const { status, code, message } = emailUnverified(await shownTo(store, found.user.email))
  throw new APIError(status as 403, { code, message })
}

/** Members are removed by their address too: who signed up with one that is taken goes by another here. */
export async function knownByShownAddress(ctx: Ctx, store: Store): Promise<void> {
  if (ctx.path !== '/organization/remove-member') return
  const found = await getSessionFromCtx(ctx)
  const email = found === null ? null : await takenBy(store, found.user.email)
  if (found !== null && email !== null && String(ctx.body?.memberIdOrEmail).toLowerCase() === email) {
    ctx.body.memberIdOrEmail = found.user.email
  }
}

/** Who signed up with an address that is taken asks for its confirmation like anybody else: the mail goes to its owner. */
export async function tellingOwner(ctx: Ctx, store: Store, tellOwner: (email: string) => void) {
  if (ctx.path !== '/send-verification-email') return
  const found = await getSessionFromCtx(ctx)
  const email = found === null ? null : await takenBy(store, found.user.email)
  if (email === null || String(ctx.body?.email).toLowerCase() !== email) return
  tellOwner(email)
  return ctx.json({ status: true })
}

/** A sign-in link proves its address, before better-auth looks whether that was proven. */
export async function proveByLink(ctx: Ctx, proofs: Proofs): Promise<void> {
  if (ctx.path !== '/magic-link/verify') return
  const link = magicLinkIdentifier(String(ctx.query?.token))
  const email = emailIn((await ctx.context.internalAdapter.findVerificationValue(link)) ?? null)
  const found = email === null ? null : await ctx.context.internalAdapter.findUserByEmail(email)
  if (!found) return
  const holder = await getSessionFromCtx(ctx)
  await proofs.prove({ userId: found.user.id, heldBy: holder?.user.id ?? null, link })
}

/** Invitations hold addresses and roles: only admins see those of their organisation. */
export async function hideInvitations(ctx: Ctx, store: Store) {
  if (!ctx.path.startsWith('/organization/')) return
  const returned = ctx.context.returned
  const isList = ctx.path === '/organization/list-invitations'
  const whole = returned as { id?: unknown; invitations?: unknown } | null | undefined
  if (!isList && !Array.isArray(whole?.invitations)) return
  const found = await getSessionFromCtx(ctx)
  const organizationId = isList ? (ctx.query?.organizationId ?? found?.session.activeOrganizationId) : whole?.id
  const role = found === null ? null : await roleIn(store, found.user.id, String(organizationId))
  if (role === 'admin') return
  if (isList)
    throw new APIError('FORBIDDEN', { code: 'FORBIDDEN', message: `needs role admin (you are ${role ?? 'no member'})` })
  return ctx.json({ ...whole, invitations: [] })
}

/**
 * Stands in for better-auth's own way of leaving, which looks for other admins before it writes: two who leave at
 * once would both find the other. Nobody who is no member comes past better-auth's own refusal.
 */
export async function leaving(ctx: Ctx, store: Store) {
  if (ctx.path !== '/organization/leave') return
  const organizationId: unknown = ctx.body?.organizationId
  const found = await getSessionFromCtx(ctx)
  if (found === null || typeof organizationId !== 'string') return
  const { user } = found
  if ((await roleIn(store, user.id, organizationId)) === null) return
  if (!(await leave(store, user.id, organizationId))) throw lastAdmin('You are the only admin')
  return ctx.json({ organizationId, userId: user.id })
}

/** The refusal of what would leave an organisation without an admin. */
export function lastAdmin(reason: string): APIError {
  return new APIError('BAD_REQUEST', { message: `${reason}: make another member admin first.`, code: 'LAST_ADMIN' })
}
