import { betterAuth } from 'better-auth'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { APIError, createAuthMiddleware } from 'better-auth/api'
import { magicLink } from 'better-auth/plugins'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import * as schema from '../../db/identity-schema.ts'
import type { Config } from '../config/config.ts'
import { clip } from '../core/issue-words.ts'
import { Problem } from '../core/problem.ts'
import { MAX_PASSWORD_UNITS } from '../identity/password-rules.ts'
import { type PasswordCost, passwordsAt } from '../identity/passwords.ts'
import { type Proofs, RECENT_SECONDS } from '../identity/proof.ts'
import { endSessions, SESSION_SECONDS, sessionCookieName, sessionReader, sessionSecret } from '../identity/sessions.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { AccountMails } from './account-mails.ts'
import { changePassword, followUp, refuseUnproven } from './auth-hooks.ts'
import { organizationPlugin } from './auth-organizations.ts'
import { prepareDeletion } from './deletion.ts'
import { refuseDisabled } from './disabling.ts'
import { CONFIRMATION_HOURS, linkMails, MAGIC_LINK_MINUTES, RESET_MINUTES } from './link-mails.ts'
import { isReachable, oidcPlugin } from './oidc.ts'
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

/** What better-auth's configuration needs. */
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

/** Only what is before the colon is logged: an address may have what somebody filled in. */
const REFUSED_ADDRESS = /^(Invalid \w+): .*/s

/** Whoever sends an address that is refused must not be able to fill the log with errors. */
function levelOf<Level extends string>(level: Level, message: string): Level | 'warn' {
  return REFUSED_ADDRESS.test(message) ? 'warn' : level
}

/**
 * better-auth over the service's own tables. Load this module lazily: it is most of the memory
 * and start time of the service, and no launcher needs it.
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
    // Errors go to our own log, which omits values: better-auth’s prints statements with theirs.
    onAPIError: { throw: true, errorURL: '/sign-in' },
    logger: {
      level: 'warn',
      log: (level, message) =>
        log[levelOf(level, message)]({ from: 'better-auth' }, clip(message.replace(REFUSED_ADDRESS, '$1'))),
    },
    // Rate limits are our own (api/auth-limits.ts), by our own client address.
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
    // These cover every way of signing in, the OIDC provider included, which may not vouch for the address.
    databaseHooks: {
      user: {
        create: {
          async before(account) {
            await asApiErrors(() => refuseNewAccount(store, config, account))
            // better-auth takes these times one after the other, but its answer for a known address has one time.
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
      // Where to continue may have what somebody filled into a launcher, so it is not stored.
      storeStateStrategy: 'cookie',
    },
    user: {
      changeEmail: { enabled: false },
      deleteUser: {
        enabled: true,
        async beforeDelete({ id, email, emailVerified }, request) {
          // The owner of the address may have arrived while the password was compared.
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
      // The real rules are in password-rules.ts; these only bound the size.
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
      // The reset link proves the address, and ends what someone else signed up with it.
      async onPasswordReset({ user: { id } }) {
        // Again: better-auth ends sessions before it writes the password, and the old one still signs in between the two.
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

/** Of a session's User-Agent; browsers send 150 or so. */
const MAX_USER_AGENT = 500

/** Only the link to the provider’s account is stored: nothing calls the provider afterwards. */
const NO_TOKENS = {
  accessToken: null,
  refreshToken: null,
  idToken: null,
  accessTokenExpiresAt: null,
  refreshTokenExpiresAt: null,
}
