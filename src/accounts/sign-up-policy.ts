import { and, eq } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { invitation, user } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { Problem } from '../core/problem.ts'
import { isOpen } from './organizations.ts'

// Who may create an account, and how people sign in: the same rules for every way in. Webhooks from the
// operator's identity provider bypass them, because they carry the operator's decision.

type Policy = Pick<Config, 'signUp' | 'passwordSignIn'>

/** better-auth's routes that require or set a password. For `/delete-user` it is optional. */
const WITH_PASSWORD = new Set([
  '/sign-up/email',
  '/sign-in/email',
  '/request-password-reset',
  '/reset-password',
  '/change-password',
  '/set-password',
  '/verify-password',
])

/**
 * Refuses a route of better-auth that the operator has switched off, whatever is sent to it: the answer must not reveal
 * anything about the address.
 * @throws Problem SIGN_UP_CLOSED, INVITATION_REQUIRED or PASSWORD_SIGN_IN_OFF.
 */
export function refuseSwitchedOff(path: string, { signUp, passwordSignIn }: Policy): void {
  // Password sign-up does not prove the address, so anyone could use someone else's invitation.
  if (path === '/sign-up/email' && signUp !== 'open') throw noNewAccount(signUp)
  if (!passwordSignIn && WITH_PASSWORD.has(path)) throw passwordsOff()
}

/** The error for a password if the operator has switched passwords off. */
export function passwordsOff(): Problem {
  return new Problem(
    'PASSWORD_SIGN_IN_OFF',
    'Passwords are not used here: ask for a sign-in link by email (POST /api/auth/sign-in/magic-link), or use single sign-on.',
    { userMessage: 'Passwords aren’t used here. Sign in with an emailed link or single sign-on.' },
  )
}

/** The error for an account that may not be created. */
export function noNewAccount(signUp: 'invited' | 'closed'): Problem {
  return signUp === 'closed'
    ? new Problem('SIGN_UP_CLOSED', 'Sign-ups are closed. Ask your administrator for an account.')
    : new Problem(
        'INVITATION_REQUIRED',
        'You need an invitation to create an account here. Once invited, ask for a sign-in link at that address (POST /api/auth/sign-in/magic-link).',
        {
          userMessage: 'You need an invitation to create an account here. Once invited, email yourself a sign-in link.',
        },
      )
}

/**
 * Refuses an account that is about to be created. An invitation is for the owner of the address, so it only admits a
 * verified one.
 * @throws Problem SIGN_UP_CLOSED or INVITATION_REQUIRED.
 */
export async function refuseNewAccount(
  store: Store,
  { signUp }: Policy,
  { email, emailVerified }: { email: string; emailVerified: boolean },
): Promise<void> {
  if (signUp === 'open') return
  if (signUp === 'invited' && emailVerified && (await isInvited(store, email))) return
  throw noNewAccount(signUp)
}

/** Whether a sign-in link would work for an address: it has an account, or may get one. */
export async function isAdmitted(store: Store, { signUp }: Policy, email: string): Promise<boolean> {
  if (signUp === 'open') return true
  const [account] = await store.db.select({ id: user.id }).from(user).where(eq(user.email, email.toLowerCase()))
  return account !== undefined || (signUp === 'invited' && (await isInvited(store, email)))
}

/** Whether an address has an open invitation. Addresses are stored in lower case. */
async function isInvited({ db }: Store, email: string): Promise<boolean> {
  const rows = await db
    .select({ id: invitation.id })
    .from(invitation)
    .where(and(eq(invitation.email, email.toLowerCase()), isOpen()))
    .limit(1)
  return rows.length > 0
}
