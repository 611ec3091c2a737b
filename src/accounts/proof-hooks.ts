import { APIError, type createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { eq } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { organization } from '../../db/schema.ts'
import { randomBase62 } from '../core/secrets.ts'
import { addressBehind, realEmailOf } from '../identity/enumeration.ts'
import { leave, roleIn } from '../identity/members.ts'
import { emailUnverified, type Proofs } from '../identity/proof.ts'
import type { AccountMails } from './account-mails.ts'
import { emailIn, magicLinkIdentifier, RESET_MINUTES } from './mailed-links.ts'
import { whileMembersChange } from './webhook-makers.ts'

// Checks around better-auth’s endpoints for verified addresses and memberships, and filters for their answers.

type Ctx = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]

/** Endpoints that need a verified address: an invitation is for one, and names a sender, whose address must be verified too. */
const FOR_PROVEN = new Set(
  ['invite-member', 'accept-invitation', 'reject-invitation', 'get-invitation', 'list-user-invitations'].map(
    (name) => `/organization/${name}`,
  ),
)

/**
 * Refuses the invitation endpoints to a session whose address is not verified.
 * @throws APIError EMAIL_UNVERIFIED.
 */
export async function requireProof(ctx: Ctx, store: Store): Promise<void> {
  if (!FOR_PROVEN.has(ctx.path)) return
  const found = await getSessionFromCtx(ctx)
  if (found === null || found.user.emailVerified) return
  const { status, code, message } = emailUnverified(await realEmailOf(store, found.user.email))
  throw new APIError(status as 403, { code, message })
}

/** Lets a member remove themselves by their real address if better-auth only knows a placeholder. */
export async function resolvePlaceholder(ctx: Ctx, store: Store): Promise<void> {
  if (ctx.path !== '/organization/remove-member') return
  const found = await getSessionFromCtx(ctx)
  const email = found === null ? null : await addressBehind(store, found.user.email)
  if (found !== null && email !== null && String(ctx.body?.memberIdOrEmail).toLowerCase() === email) {
    ctx.body.memberIdOrEmail = found.user.email
  }
}

/**
 * Answers an account with a taken address as if its confirmation mail had been sent; the address’s owner gets a notice instead.
 */
export async function notifyOwnerInstead(ctx: Ctx, store: Store, notify: (email: string) => Promise<void>) {
  if (ctx.path !== '/send-verification-email') return
  const found = await getSessionFromCtx(ctx)
  const email = found === null ? null : await addressBehind(store, found.user.email)
  if (email === null || String(ctx.body?.email).toLowerCase() !== email) return
  await notify(email)
  return ctx.json({ status: true })
}

/**
 * Does the same work for an address without an account as better-auth does for one with an account, because response times
 * would tell them apart: stores a link that nobody knows, and a mail that nobody gets.
 * @param mail stores the mail.
 */
export async function resetNobody(ctx: Ctx, mail: (email: string, token: string) => Promise<void>): Promise<void> {
  const email: unknown = ctx.body?.email
  if (ctx.path !== '/request-password-reset' || typeof email !== 'string') return
  const { internalAdapter } = ctx.context
  if ((await internalAdapter.findUserByEmail(email)) !== null) return
  const token = randomBase62(24)
  await internalAdapter.createVerificationValue({
    value: randomBase62(32),
    identifier: `reset-password:${token}`,
    expiresAt: new Date(Date.now() + RESET_MINUTES * 60_000),
  })
  await mail(email, token)
}

/** Records that a sign-in link proves its address, before better-auth handles the link. */
export async function proveByLink(ctx: Ctx, proofs: Proofs): Promise<void> {
  if (ctx.path !== '/magic-link/verify') return
  const link = magicLinkIdentifier(String(ctx.query?.token))
  const email = emailIn((await ctx.context.internalAdapter.findVerificationValue(link)) ?? null)
  const found = email === null ? null : await ctx.context.internalAdapter.findUserByEmail(email)
  if (!found) return
  const holder = await getSessionFromCtx(ctx)
  await proofs.prove({ userId: found.user.id, heldBy: holder?.user.id ?? null, link })
}

const FOR_MEMBERS: ReadonlySet<string> = new Set([
  '/organization/get-organization',
  '/organization/get-full-organization',
  '/organization/set-active',
])

/**
 * Refuses non-members before better-auth does. better-auth would also reset which organisation their session acts for, which a
 * link on another site could trigger.
 * @throws APIError FORBIDDEN.
 */
export async function refuseStrangers(ctx: Ctx, store: Store) {
  if (!FOR_MEMBERS.has(ctx.path)) return
  const { organizationId: id, organizationSlug: slug } = { ...ctx.query, ...ctx.body } as Record<string, unknown>
  const [column, value] = slug ? [organization.slug, slug] : [organization.id, id]
  if (typeof value !== 'string') return
  const found = await getSessionFromCtx(ctx)
  if (found === null) return
  const [named] = await store.db.select({ id: organization.id }).from(organization).where(eq(column, value))
  // better-auth answers for an organisation that does not exist.
  if (named !== undefined && (await roleIn(store, found.user.id, named.id)) === null)
    throw new APIError('FORBIDDEN', { code: 'FORBIDDEN', message: 'User is not a member of the organization' })
}

/**
 * Hides invitations from non-admins, because they contain addresses and roles.
 * @throws APIError FORBIDDEN for the list of invitations.
 */
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
 * Replaces better-auth’s endpoint for leaving, which looks for other admins before it writes: two admins who leave at once
 * would each find the other. Non-members are left to better-auth, which refuses them.
 */
export async function leaveOrganization(ctx: Ctx, store: Store, accountMails: AccountMails) {
  if (ctx.path !== '/organization/leave') return
  const organizationId: unknown = ctx.body?.organizationId
  const found = await getSessionFromCtx(ctx)
  if (found === null || typeof organizationId !== 'string') return
  const { user } = found
  if ((await roleIn(store, user.id, organizationId)) === null) return
  const change = () => leave(store, user.id, organizationId)
  if (!(await whileMembersChange(accountMails, user.id, change))) throw lastAdmin('You’re the only admin')
  return ctx.json({ organizationId, userId: user.id })
}

/** The error for a session that ended during its request. */
export function signedOut(): APIError {
  return new APIError('UNAUTHORIZED', { message: 'You’ve been signed out. Sign in again.', code: 'UNAUTHORIZED' })
}

/** The error for removing the last admin. */
export function lastAdmin(reason: string): APIError {
  return new APIError('BAD_REQUEST', { message: `${reason}. Make another member an admin first.`, code: 'LAST_ADMIN' })
}
