import { betterAuth } from 'better-auth'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { genericOAuth, magicLink, organization } from 'better-auth/plugins'
import { createAccessControl } from 'better-auth/plugins/access'
import { defaultStatements } from 'better-auth/plugins/organization/access'
import { eq } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import * as schema from '../../db/identity-schema.ts'
import type { Config } from '../config.ts'
import type { Mailer } from '../mail.ts'
import { changeRole, isRole, leave, leaveAll, removeMember } from './members.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { FRESH_SECONDS, roleIn, SESSION_SECONDS, sessionCookieName, sessionSecret } from './sessions.ts'

const MAGIC_LINK_MINUTES = 15
const INVITATION_DAYS = 7
const RESET_MINUTES = 60

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
export async function startAuth(config: Config, store: Store, mailer: Mailer, log: Logger) {
  const { oidc } = config
  const isThere = oidc === null || (await answers(discoveryUrl(oidc)))
  if (!isThere) log.warn('the OIDC provider does not answer')
  return createAuth(isThere ? config : { ...config, oidc: null }, store, mailer, log)
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
function createAuth(config: Config, store: Store, mailer: Mailer, log: Logger) {
  const { origin, name: service, oidc } = config
  const isSecure = origin.startsWith('https:')
  const cookie = {
    name: sessionCookieName(config),
    attributes: { path: '/', secure: isSecure, sameSite: 'lax' as const },
  }
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
    // Our own limit stands before this one, on our own idea of the client's address (transports/auth.ts).
    rateLimit: { enabled: false },
    advanced: {
      ipAddress: { disableIpTracking: true },
      // The browser check of decisions 9 stands in transports/auth.ts, for every route of the service.
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
    },
    hooks: { before: createAuthMiddleware(leaving(store)) },
    session: { expiresIn: SESSION_SECONDS, freshAge: FRESH_SECONDS, disableSessionRefresh: true },
    verification: { storeIdentifier: { default: 'plain', overrides: { 'reset-password:': 'hashed' } } },
    account: { accountLinking: { enabled: true, requireLocalEmailVerified: true } },
    user: {
      changeEmail: { enabled: false },
      deleteUser: {
        enabled: true,
        async beforeDelete({ id, email, emailVerified }) {
          const needed = await leaveAll(store, { id, email, emailVerified })
          if (needed !== null) throw lastAdmin(`${needed} has other members and no other admin`)
        },
      },
    },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 8,
      maxPasswordLength: 128,
      password: { hash: hashPassword, verify: verifyPassword },
      requireEmailVerification: config.requireVerifiedEmail,
      // With this off better-auth answers a sign-up for a known address like one for a new one.
      autoSignIn: false,
      // Whoever else is signed in need not be the owner of the mailbox.
      revokeSessionsOnPasswordReset: true,
      resetPasswordTokenExpiresIn: RESET_MINUTES * 60,
      async sendResetPassword({ user, token }) {
        mailer.send({
          to: user.email,
          subject: `Set a password for ${service}`,
          text: `Open this link to choose a new password:\n\n${origin}/password/${token}\n\nIt works once, for ${RESET_MINUTES} minutes, and signs you out everywhere. If you did not ask for it, leave it alone.`,
        })
      },
      async onExistingUserSignUp({ user }) {
        mailer.send({
          to: user.email,
          subject: `You already have an account at ${service}`,
          text: `Somebody, probably you, tried to make a ${service} account with this address, which has one.\n\nSign in: ${origin}/sign-in\n\nIf it was not you, there is nothing to do.`,
        })
      },
    },
    emailVerification: {
      sendOnSignUp: true,
      autoSignInAfterVerification: true,
      async sendVerificationEmail({ user, url }) {
        mailer.send({
          to: user.email,
          subject: `Confirm your address for ${service}`,
          text: `Open this link to confirm that this address is yours:\n\n${url}\n\nIf you made no account at ${service}, leave it alone.`,
        })
      },
    },
    plugins: [
      magicLink({
        expiresIn: MAGIC_LINK_MINUTES * 60,
        storeToken: 'hashed',
        async sendMagicLink({ email, url }) {
          mailer.send({
            to: email,
            subject: `Your sign-in link for ${service}`,
            text: `Open this link to sign in:\n\n${url}\n\nIt works once, for ${MAGIC_LINK_MINUTES} minutes. If you did not ask for it, leave it alone.`,
          })
        },
      }),
      organization({
        ac: access,
        roles,
        creatorRole: 'admin',
        invitationExpiresIn: INVITATION_DAYS * 86_400,
        cancelPendingInvitationsOnReInvite: true,
        organizationHooks: {
          async beforeCreateInvitation({ invitation: { role } }) {
            if (!isRole(role)) throw noSuchRole()
          },
          async beforeUpdateMemberRole({ member, newRole }) {
            if (!isRole(newRole)) throw noSuchRole()
            if (!(await changeRole(store, member, newRole))) throw lastAdmin('This is the only admin')
          },
          async beforeRemoveMember({ member }) {
            if (!(await removeMember(store, member))) throw lastAdmin('This is the only admin')
          },
        },
        async sendInvitationEmail({ id, email, role, organization, inviter }) {
          mailer.send({
            to: email,
            subject: `${inviter.user.name || inviter.user.email} invites you to ${organization.name} at ${service}`,
            text: `You are invited to ${organization.name} as ${role}.\n\nAccept: ${origin}/invitations/${id}\n\nThe invitation stands for ${INVITATION_DAYS} days.`,
          })
        },
      }),
      ...(oidc === null
        ? []
        : [
            genericOAuth({
              config: [
                {
                  // Also in the address it calls back: `/api/auth/callback/oidc`.
                  providerId: 'oidc',
                  clientId: oidc.clientId,
                  clientSecret: oidc.clientSecret,
                  discoveryUrl: discoveryUrl(oidc),
                  scopes: ['openid', 'email', 'profile'],
                  pkce: true,
                },
              ],
            }),
          ]),
    ],
  })
}

/**
 * Stands in for better-auth's own way of leaving, which looks for other admins before it writes: two who leave at
 * once would both find the other. Nobody who is no member comes past better-auth's own refusal.
 */
function leaving(store: Store) {
  return async (ctx: Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]) => {
    if (ctx.path !== '/organization/leave') return
    const organizationId: unknown = ctx.body?.organizationId
    const found = await getSessionFromCtx(ctx)
    if (found === null || typeof organizationId !== 'string') return
    const { user } = found
    if ((await roleIn(store, user.id, organizationId)) === null) return
    if (!(await leave(store, user.id, organizationId))) throw lastAdmin('You are the only admin')
    return ctx.json({ organizationId, userId: user.id })
  }
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

function lastAdmin(reason: string): APIError {
  return new APIError('BAD_REQUEST', { message: `${reason}: make another member admin first.`, code: 'LAST_ADMIN' })
}
