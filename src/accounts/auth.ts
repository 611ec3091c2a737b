import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { APIError, createAuthMiddleware } from 'better-auth/api'
import { betterAuth } from 'better-auth/minimal'
import { createAccessControl } from 'better-auth/plugins/access'
import { magicLink } from 'better-auth/plugins/magic-link'
import { organization } from 'better-auth/plugins/organization'
import { defaultStatements } from 'better-auth/plugins/organization/access'
import { eq, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import * as schema from '../../db/identity-schema.ts'
import { organization as organizations, owners } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { clip } from '../core/issue-words.ts'
import { Problem } from '../core/problem.ts'
import { routes } from '../core/routes.ts'
import { count } from '../core/words.ts'
import { changeRole, isRole, removeMember } from '../identity/members.ts'
import { MAX_PASSWORD_UNITS } from '../identity/password-rules.ts'
import { type PasswordCost, passwordsAt } from '../identity/passwords.ts'
import { type Proofs, RECENT_SECONDS } from '../identity/proof.ts'
import { endSessions, SESSION_SECONDS, sessionCookieName, sessionReader, sessionSecret } from '../identity/sessions.ts'
import { letterheadOf } from '../mail/letterhead.ts'
import type { Mailer } from '../mail/mailer.ts'
import { planLimit } from '../plans/owners.ts'
import type { AccountMails } from './account-mails.ts'
import { changePassword, followUp, refuseUnproven } from './auth-hooks.ts'
import { prepareDeletion } from './deletion.ts'
import { refuseDisabled } from './disabling.ts'
import { CONFIRMATION_HOURS, linkMails, MAGIC_LINK_MINUTES, RESET_MINUTES } from './mailed-links.ts'
import { isReachable, oidcPlugin } from './oidc.ts'
import { mailedPath } from './organizations.ts'
import {
  hideInvitations,
  lastAdmin,
  leaveOrganization,
  notifyOwnerInstead,
  proveByLink,
  refuseStrangers,
  requireProof,
  resetNobody,
  resolvePlaceholder,
  signedOut,
} from './proof-hooks.ts'
import { adoptCaller } from './refusals.ts'
import { isAdmitted, refuseNewAccount } from './sign-up-policy.ts'
import { whileMembersChange } from './webhook-makers.ts'

declare module '../core/service.ts' {
  interface Service {
    /** Address verification and account mails; loaded on first use. */
    accounts(): Promise<{ proofs: Proofs; accountMails: AccountMails }>
    /** better-auth, loaded on first use. */
    auth(): ReturnType<typeof startAuth>
  }
}

/** The parts that better-auth's configuration needs. */
interface AuthParts {
  config: Config
  store: Store
  mailer: Mailer
  proofs: Proofs
  accountMails: AccountMails
  log: Logger
  /** Undefined: the default. */
  passwordCost: PasswordCost | undefined
}

/**
 * Starts better-auth, without the OIDC provider if it does not answer in time, so that other ways of signing in need not
 * wait for it.
 */
export async function startAuth(parts: AuthParts) {
  const { config, log } = parts
  const { oidc } = config
  const isUsable = oidc === null || (await isReachable(oidc))
  if (!isUsable) log.warn('the OIDC provider does not answer')
  return createAuth(isUsable ? parts : { ...parts, config: { ...config, oidc: null } })
}

/** Only the part before the colon is logged: the address may contain text that somebody entered. */
const REFUSED_ADDRESS = /^(Invalid \w+): .*/s

/** The log level: refused addresses are warnings, so that clients cannot fill the log with errors. */
function levelOf<Level extends string>(level: Level, message: string): Level | 'warn' {
  return REFUSED_ADDRESS.test(message) ? 'warn' : level
}

/**
 * better-auth over the service's own tables. Load this module lazily: it takes most of the service's memory and start time, and
 * no launcher needs it.
 */
function createAuth({ config, store, mailer, proofs, accountMails, log, passwordCost }: AuthParts) {
  const { origin, name: service, oidc } = config
  const hookContext = { config, store, accountMails }
  const isSecure = origin.startsWith('https:')
  const cookie = {
    name: sessionCookieName(config),
    attributes: { path: '/', secure: isSecure, sameSite: 'lax' as const },
  }
  const mails = linkMails(config, mailer)
  const decoys = linkMails(config, { send: (mail) => mailer.sendToNobody(mail) })
  const readSession = sessionReader(store, config)
  return betterAuth({
    appName: service,
    baseURL: origin,
    basePath: '/api/auth',
    secret: sessionSecret(config),
    database: drizzleAdapter(store.db, { provider: 'sqlite', schema }),
    telemetry: { enabled: false },
    // Errors go to the service’s log, which omits values; better-auth’s own prints statements with their values.
    onAPIError: { throw: true, errorURL: routes.account.signIn.href() },
    logger: {
      level: 'warn',
      log: (level, message) =>
        log[levelOf(level, message)]({ from: 'better-auth' }, clip(message.replace(REFUSED_ADDRESS, '$1'))),
    },
    // The service has its own rate limits (api/auth.ts), by its own client address.
    rateLimit: { enabled: false },
    advanced: {
      ipAddress: { disableIpTracking: true },
      // api/auth.ts checks for cross-site requests, as every route does.
      disableCSRFCheck: true,
      // The names below are complete: no `__Secure-` before `__Host-`.
      useSecureCookies: false,
      cookiePrefix: 'auth',
      defaultCookieAttributes: { secure: isSecure },
      cookies: { session_token: cookie },
    },
    // These cover every way of signing in, including the OIDC provider, which may not vouch for the address.
    databaseHooks: {
      user: {
        create: {
          async before(account) {
            await asApiErrors(() => refuseNewAccount(store, config, account))
            // better-auth sets the two times one after the other, but its answer for a known address has one time for both.
            return { data: { ...account, updatedAt: account.createdAt } }
          },
        },
      },
      session: {
        create: {
          async before(session) {
            const { userId } = session
            await asApiErrors(() => refuseDisabled(store, userId))
            const isAdmitted = !config.requireVerifiedEmail || (await proofs.isVerified(userId))
            return isAdmitted && { data: { ...session, userAgent: session.userAgent?.slice(0, MAX_USER_AGENT) } }
          },
        },
      },
      account: { create: { before: async (account) => ({ data: { ...account, ...NO_TOKENS } }) } },
    },
    hooks: {
      before: createAuthMiddleware(async (ctx) => {
        await adoptCaller(ctx)
        refuseOtherRoles(ctx)
        await requireProof(ctx, store)
        await refuseUnproven(ctx, hookContext)
        await refuseStrangers(ctx, store)
        await proveByLink(ctx, proofs)
        await resolvePlaceholder(ctx, store)
        await resetNobody(ctx, decoys.setPassword)
        const instead =
          (await notifyOwnerInstead(ctx, store, mails.alreadyHasAccount)) ?? (await changePassword(ctx, hookContext))
        return instead ?? leaveOrganization(ctx, store, accountMails)
      }),
      after: createAuthMiddleware(async (ctx) => {
        await followUp(ctx, hookContext)
        return hideInvitations(ctx, store)
      }),
    },
    session: { expiresIn: SESSION_SECONDS, freshAge: RECENT_SECONDS, disableSessionRefresh: true },
    verification: { storeIdentifier: { default: 'plain', overrides: { 'reset-password:': 'hashed' } } },
    account: {
      accountLinking: { enabled: true, requireLocalEmailVerified: true },
      updateAccountOnSignIn: false,
      // The address to continue at may contain the input of a launcher, so it is not stored.
      storeStateStrategy: 'cookie',
    },
    user: {
      changeEmail: { enabled: false },
      deleteUser: {
        enabled: true,
        async beforeDelete({ id, email, emailVerified }, request) {
          // The owner of the address may have proved it while the password was compared.
          const session = request === undefined ? null : await readSession(request.headers)
          if (session?.userId !== id) {
            throw signedOut()
          }
          const account = { id, email, emailVerified }
          const needed = await whileMembersChange(accountMails, id, () => prepareDeletion(store, account))
          if (needed !== null) throw lastAdmin(`${needed} has other members and no other admin`)
        },
      },
    },
    emailAndPassword: {
      enabled: true,
      // The real rules are in identity/password-rules.ts; these only bound the size.
      minPasswordLength: 1,
      maxPasswordLength: MAX_PASSWORD_UNITS,
      password: passwordsAt(passwordCost),
      requireEmailVerification: config.requireVerifiedEmail,
      // Off, so that better-auth answers a sign-up for a known address like one for a new one.
      autoSignIn: false,
      // Other sessions may not belong to the owner of the mailbox.
      revokeSessionsOnPasswordReset: true,
      resetPasswordTokenExpiresIn: RESET_MINUTES * 60,
      sendResetPassword: async ({ user, token }) => mails.setPassword(user.email, token),
      // The reset link proves the address, and ends the access of anyone else who signed up with it.
      async onPasswordReset({ user: { id } }) {
        // Sessions end again: better-auth ends them before it writes the password, and the old password still signs in
        // meanwhile.
        await endSessions(store, id)
        await proofs.prove({ userId: id, heldBy: null, keeps: 'password' })
        await accountMails.notify(id, { kind: 'passwordSet' })
      },
      onExistingUserSignUp: async ({ user }) => mails.alreadyHasAccount(user.email),
    },
    emailVerification: {
      sendOnSignUp: true,
      expiresIn: CONFIRMATION_HOURS * 3600,
      sendVerificationEmail: async ({ user, url, token }) => mails.confirmAddress(user.email, token, url),
    },
    plugins: [
      magicLink({
        expiresIn: MAGIC_LINK_MINUTES * 60,
        storeToken: 'hashed',
        // Not sent if the address has no account and may not get one.
        async sendMagicLink({ email, url, token }) {
          await ((await isAdmitted(store, config, email)) ? mails : decoys).signInLink(email, token, url)
        },
      }),
      organizationPlugin(config, store, mails, accountMails),
      ...(oidc === null ? [] : [oidcPlugin(oidc, proofs)]),
    ],
  })
}

/** Converts a Problem, because better-auth only passes on its own errors. */
async function asApiErrors(check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new APIError(error.status as 403, { code: error.code, message: error.message })
  }
}

/** The longest stored User-Agent of a session, in characters; browsers send about 150. */
const MAX_USER_AGENT = 500

/** Only the link to the provider’s account is stored: nothing calls the provider afterwards. */
const NO_TOKENS = {
  accessToken: null,
  refreshToken: null,
  idToken: null,
  accessTokenExpiresAt: null,
  refreshTokenExpiresAt: null,
}

const INVITATION_DAYS = 7

/** Not accepted from clients and not returned to them. */
const INTERNAL_FIELD = { required: false, input: false, returned: false } as const

const permissions = createAccessControl(defaultStatements)
const roles = {
  viewer: permissions.newRole({ organization: [], member: [], invitation: [] }),
  editor: permissions.newRole({ organization: [], member: [], invitation: [] }),
  admin: permissions.newRole({
    organization: ['update', 'delete'],
    member: ['create', 'update', 'delete'],
    invitation: ['create', 'cancel'],
  }),
}

/** better-auth’s organisations with this service’s roles. The hooks enforce the cap, and that an admin remains. */
function organizationPlugin(
  config: Config,
  store: Store,
  mails: ReturnType<typeof linkMails>,
  accountMails: AccountMails,
) {
  return organization({
    ac: permissions,
    roles,
    creatorRole: 'admin',
    invitationExpiresIn: INVITATION_DAYS * 86_400,
    cancelPendingInvitationsOnReInvite: true,
    requireEmailVerificationOnInvitation: true,
    schema: { organization: { additionalFields: { createdBy: { type: 'string', ...INTERNAL_FIELD } } } },
    organizationHooks: {
      async beforeCreateOrganization({ organization, user }) {
        const full = await organizationCapReached(store, user.id, config)
        if (full !== null) throw new APIError('FORBIDDEN', { message: full.message, code: full.code })
        return { data: { ...organization, createdBy: user.id } }
      },
      async beforeUpdateMemberRole({ member, newRole }) {
        if (!isRole(newRole)) throw noSuchRole()
        const change = () => changeRole(store, member, newRole)
        if (!(await whileMembersChange(accountMails, member.userId, change))) throw lastAdmin('They’re the only admin')
      },
      async afterUpdateMemberRole({ previousRole, user, organization, member: { role } }) {
        if (!isRole(role) || role === previousRole) return
        const about = { organizationId: organization.id }
        await accountMails.notify(user.id, { kind: 'roleChanged', organization: organization.name, role }, about)
      },
      async beforeRemoveMember({ member }) {
        const remove = () => removeMember(store, member)
        if (!(await whileMembersChange(accountMails, member.userId, remove))) throw lastAdmin('They’re the only admin')
      },
    },
    async sendInvitationEmail({ id, email, role, organization, inviter: { user }, invitation: { expiresAt } }) {
      const path = mailedPath({ id, expiresAt }, config)
      if (!isRole(role)) return
      const letterhead = await letterheadOf(store, { organizationId: organization.id })
      await mails.invitation({ path, email, role, expiresAt, organization, letterhead, inviter: user })
    },
  })
}

const GIVES_ROLE: readonly string[] = ['/organization/invite-member', '/organization/update-member-role']

/** Refuses unknown roles, which better-auth would accept or refuse in other words. @throws APIError. */
function refuseOtherRoles({ path, body }: { path: string; body?: unknown }): void {
  const { role } = (body ?? {}) as { role?: unknown }
  if (GIVES_ROLE.includes(path) && role !== undefined && !(typeof role === 'string' && isRole(role))) throw noSuchRole()
}

function noSuchRole(): APIError {
  return new APIError('BAD_REQUEST', { message: 'role must be viewer, editor or admin', code: 'BAD_REQUEST' })
}

/**
 * The error for a person who has created as many organisations as their plan allows, or null. Organisations that they have left
 * still count, or leaving would reset the cap; deleted ones do not.
 */
async function organizationCapReached(
  { db }: Store,
  userId: string,
  { maxOrganizations }: Pick<Config, 'maxOrganizations'>,
): Promise<Problem | null> {
  const [[made], [owner]] = await db.batch([
    db.select({ count: sql<number>`count(*)` }).from(organizations).where(eq(organizations.createdBy, userId)),
    db.select({ plan: owners.plan }).from(owners).where(eq(owners.userId, userId)),
  ])
  const plan = owner?.plan ?? 'free'
  const max = maxOrganizations[plan]
  if ((made?.count ?? 0) < max) return null
  const onPro = count(maxOrganizations.pro, 'organisation')
  return planLimit({ type: 'user', userId }, plan, count(max, 'organisation'), onPro, 'delete one')
}
