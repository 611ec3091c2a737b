import { betterAuth } from 'better-auth'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { APIError, createAuthMiddleware } from 'better-auth/api'
import { genericOAuth, magicLink, organization } from 'better-auth/plugins'
import { createAccessControl } from 'better-auth/plugins/access'
import { defaultStatements } from 'better-auth/plugins/organization/access'
import { eq } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import * as schema from '../../db/identity-schema.ts'
import type { Config } from '../config.ts'
import type { Mailer } from '../mail/mailer.ts'
import { organizationsFull } from '../plans/organizations.ts'
import { changePassword, followUp, refuseUnproven } from './auth-hooks.ts'
import { accountMails, CONFIRMATION_HOURS, INVITATION_DAYS, MAGIC_LINK_MINUTES, RESET_MINUTES } from './mails.ts'
import { changeRole, isRole, leaveAll, removeMember } from './members.ts'
import type { Notices } from './notices.ts'
import { MAX_PASSWORD_UNITS } from './password-rules.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { type Proofs, RECENT_SECONDS } from './proof.ts'
import {
  hideInvitations,
  knownByShownAddress,
  lastAdmin,
  leaving,
  OIDC,
  proveByLink,
  requireProof,
  tellingOwner,
  vouched,
} from './proof-hooks.ts'
import { SESSION_SECONDS, sessionCookieName, sessionReader, sessionSecret } from './sessions.ts'
import { endPlaceholders } from './taken.ts'

/** Neither sent by a client nor shown to one. */
const OURS = { required: false, input: false, returned: false } as const

const access = createAccessControl(defaultStatements)
const roles = {
  viewer: access.newRole({ organization: [], member: [], invitation: [] }),
  editor: access.newRole({ organization: [], member: [], invitation: [] }),
  admin: access.newRole({
    organization: ['update', 'delete'],
    member: ['create', 'update', 'delete'],
    invitation: ['create', 'cancel'],
  }),
}

/** better-auth asks an OIDC provider where things are, and would wait for one that never answers. */
const OIDC_TIMEOUT_MS = 2_000

/**
 * better-auth, without the OIDC provider where that does not answer in time: nobody else's way in waits for it.
 */
export async function startAuth(
  config: Config,
  store: Store,
  mailer: Mailer,
  proofs: Proofs,
  notices: Notices,
  log: Logger,
) {
  const { oidc } = config
  const isThere = oidc === null || (await answers(discoveryUrl(oidc)))
  if (!isThere) log.warn('the OIDC provider does not answer')
  return createAuth(isThere ? config : { ...config, oidc: null }, store, mailer, proofs, notices, log)
}

function discoveryUrl({ issuer }: NonNullable<Config['oidc']>): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(OIDC_TIMEOUT_MS) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

/**
 * better-auth over the service's own tables (decisions 9). Load this module lazily: it is most of the memory
 * and start time of the service, and no launcher needs it.
 */
function createAuth(config: Config, store: Store, mailer: Mailer, proofs: Proofs, notices: Notices, log: Logger) {
  const { origin, name: service, oidc } = config
  const around = { config, store, notices }
  const isSecure = origin.startsWith('https:')
  const cookie = {
    name: sessionCookieName(config),
    attributes: { path: '/', secure: isSecure, sameSite: 'lax' as const },
  }
  const mails = accountMails(config, mailer)
  const readSession = sessionReader(store, config)
  return betterAuth({
    appName: service,
    baseURL: origin,
    basePath: '/api/auth',
    secret: sessionSecret(config),
    database: drizzleAdapter(store.db, { provider: 'sqlite', schema }),
    telemetry: { enabled: false },
    // What fails comes to our own log, which leaves values out: better-auth's prints statements with theirs.
    onAPIError: { throw: true, errorURL: '/sign-in' },
    logger: {
      level: 'warn',
      log: (level, message) => log[level === 'debug' ? 'debug' : level]({ from: 'better-auth' }, message),
    },
    // Our own limit stands before this one, on our own idea of the client's address (api/auth.ts).
    rateLimit: { enabled: false },
    advanced: {
      ipAddress: { disableIpTracking: true },
      // The browser check of decisions 9 stands in api/auth.ts, for every route of the service.
      disableCSRFCheck: true,
      // The names below are whole: no `__Secure-` in front of `__Host-`.
      useSecureCookies: false,
      cookiePrefix: 'auth',
      defaultCookieAttributes: { secure: isSecure },
      cookies: { session_token: cookie },
    },
    // Whichever way somebody comes in, by the OIDC provider too, which may not vouch for the address.
    databaseHooks: {
      session: { create: { before: async ({ userId }) => !config.requireVerifiedEmail || isVerified(store, userId) } },
      account: { create: { before: async (account) => ({ data: { ...account, ...NO_TOKENS } }) } },
    },
    hooks: {
      before: createAuthMiddleware(async (ctx) => {
        await requireProof(ctx, store)
        await refuseUnproven(ctx, around)
        await proveByLink(ctx, proofs)
        await knownByShownAddress(ctx, store)
        const instead = (await tellingOwner(ctx, store, mails.alreadyHasAccount)) ?? (await changePassword(ctx, around))
        return instead ?? leaving(ctx, store)
      }),
      after: createAuthMiddleware(async (ctx) => {
        await followUp(ctx, around)
        return hideInvitations(ctx, store)
      }),
    },
    session: { expiresIn: SESSION_SECONDS, freshAge: RECENT_SECONDS, disableSessionRefresh: true },
    verification: { storeIdentifier: { default: 'plain', overrides: { 'reset-password:': 'hashed' } } },
    account: { accountLinking: { enabled: true, requireLocalEmailVerified: true }, updateAccountOnSignIn: false },
    user: {
      changeEmail: { enabled: false },
      deleteUser: {
        enabled: true,
        async beforeDelete({ id, email, emailVerified }, request) {
          // The owner of the address may have come while the password was compared.
          const session = request === undefined ? null : await readSession(request.headers)
          if (session?.userId !== id) {
            throw new APIError('UNAUTHORIZED', {
              message: 'You have been signed out. Sign in again.',
              code: 'UNAUTHORIZED',
            })
          }
          await endPlaceholders(store, id)
          const needed = await leaveAll(store, { id, email, emailVerified })
          if (needed !== null) throw lastAdmin(`${needed} has other members and no other admin`)
        },
      },
    },
    emailAndPassword: {
      enabled: true,
      // What a password must be stands in password-rules.ts; this is only for what no password can be.
      minPasswordLength: 1,
      maxPasswordLength: MAX_PASSWORD_UNITS,
      password: { hash: hashPassword, verify: verifyPassword },
      requireEmailVerification: config.requireVerifiedEmail,
      // With this off better-auth answers a sign-up for a known address like one for a new one.
      autoSignIn: false,
      // Whoever else is signed in need not be the owner of the mailbox.
      revokeSessionsOnPasswordReset: true,
      resetPasswordTokenExpiresIn: RESET_MINUTES * 60,
      sendResetPassword: async ({ user, token }) => mails.setPassword(user.email, token),
      // Whoever has the mailbox has proven the address, and what somebody else signed up with it ends.
      async onPasswordReset({ user: { id } }) {
        await proofs.prove({ userId: id, heldBy: null, keeps: 'password' })
        notices.tell(id, { kind: 'passwordSet' })
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
        sendMagicLink: async ({ email, url, token }) => mails.signInLink(email, token, url),
      }),
      organization({
        ac: access,
        roles,
        creatorRole: 'admin',
        invitationExpiresIn: INVITATION_DAYS * 86_400,
        cancelPendingInvitationsOnReInvite: true,
        requireEmailVerificationOnInvitation: true,
        schema: { organization: { additionalFields: { createdBy: { type: 'string', ...OURS } } } },
        organizationHooks: {
          async beforeCreateOrganization({ organization, user }) {
            const full = await organizationsFull(store, user.id, config)
            if (full !== null) throw new APIError('FORBIDDEN', { message: full.message, code: full.code })
            return { data: { ...organization, createdBy: user.id } }
          },
          async beforeCreateInvitation({ invitation: { role } }) {
            if (!isRole(role)) throw noSuchRole()
          },
          async beforeUpdateMemberRole({ member, newRole }) {
            if (!isRole(newRole)) throw noSuchRole()
            if (!(await changeRole(store, member, newRole))) throw lastAdmin('This is the only admin')
          },
          async afterUpdateMemberRole({ previousRole, user, organization, member: { role } }) {
            if (!isRole(role) || role === previousRole) return
            notices.tell(user.id, { kind: 'roleChanged', organization: organization.name, role })
          },
          async beforeRemoveMember({ member }) {
            if (!(await removeMember(store, member))) throw lastAdmin('This is the only admin')
          },
        },
        async sendInvitationEmail({ id, email, role, organization, inviter: { user } }) {
          if (isRole(role)) mails.invitation({ id, email, role, organization, inviter: user })
        },
      }),
      ...(oidc === null
        ? []
        : [
            genericOAuth({
              config: [
                {
                  // Also in the address it calls back: `/api/auth/callback/oidc`.
                  providerId: OIDC,
                  clientId: oidc.clientId,
                  clientSecret: oidc.clientSecret,
                  discoveryUrl: discoveryUrl(oidc),
                  scopes: ['openid', 'email', 'profile'],
                  pkce: true,
                  mapProfileToUser: (profile) => vouched(profile, proofs),
                },
              ],
            }),
          ]),
    ],
  })
}

/** What is kept of an account at a provider: that it is theirs. Nobody asks the provider for anything afterwards. */
const NO_TOKENS = {
  accessToken: null,
  refreshToken: null,
  idToken: null,
  accessTokenExpiresAt: null,
  refreshTokenExpiresAt: null,
}

async function isVerified({ db }: Store, userId: string): Promise<boolean> {
  const [found] = await db
    .select({ isVerified: schema.user.emailVerified })
    .from(schema.user)
    .where(eq(schema.user.id, userId))
  return found?.isVerified ?? false
}

function noSuchRole(): APIError {
  return new APIError('BAD_REQUEST', { message: 'role must be viewer, editor or admin', code: 'BAD_REQUEST' })
}
