import type { AuthContext } from 'better-auth'
import type { OrganizationLook } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { routes } from '../core/routes.ts'
import { sha256 } from '../core/secrets.ts'
import { exactTime, minuteOf } from '../core/time.ts'
import type { Role } from '../identity/caller.ts'
import { isPlaceholder } from '../identity/enumeration.ts'
import { under } from '../mail/letterhead.ts'
import { clipped, oneLine, quoted, unlinked } from '../mail/mailer.ts'
import type { Mail } from '../mail/smtp.ts'

// Pages behind mailed links do nothing until a button is pressed, because mail scanners, previews and prefetches follow
// links too. This file has their paths, and looks up the tokens.

/** The part of better-auth that these need. Not `startAuth`'s own type: auth.ts imports this file. */
interface Auth {
  $context: Promise<Pick<AuthContext, 'internalAdapter' | 'secret'>>
}

/**
 * The path to continue at; the list of bundles if `next` is not a local path with only characters that a header can hold. So
 * mailed links cannot be open redirects.
 */
export function localPath(next: string | null): string {
  return next !== null && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,4000}$/.test(next) ? next : routes.bundles.list.href()
}

/** The page that sets a password. */
export function passwordPath(token: string): string {
  return routes.account.password.href({ token })
}

/** The identifier that a sign-in link is stored under: hashed, like better-auth’s `storeToken: 'hashed'`. */
export function magicLinkIdentifier(token: string): string {
  return `magic-link:${sha256(token).toString('base64url')}`
}

/** The identifier that a password link is stored under: hashed, like better-auth’s `storeIdentifier: 'hashed'`. */
export function passwordLinkIdentifier(token: string): string {
  return sha256(`reset-password:${token}`).toString('base64url')
}

/** The address of a stored sign-in link; null if there is none or it has expired. */
export function emailIn(stored: { value: string; expiresAt: Date } | null): string | null {
  if (stored === null || stored.expiresAt < new Date()) return null
  try {
    const { email } = JSON.parse(stored.value)
    return typeof email === 'string' ? email : null
  } catch {
    return null
  }
}

/** The address of a sign-in link; null if it was used, has expired or never existed. */
export async function magicLinkEmail(auth: Auth, token: string): Promise<string | null> {
  const { internalAdapter } = await auth.$context
  return emailIn((await internalAdapter.findVerificationValue(magicLinkIdentifier(token))) ?? null)
}

/** The address of a password link; null if it was used, has expired or never existed. */
export async function passwordLinkEmail(auth: Auth, token: string): Promise<string | null> {
  const { internalAdapter } = await auth.$context
  const stored = await internalAdapter.findVerificationValue(`reset-password:${token}`)
  if (!stored || stored.expiresAt < new Date()) return null
  return (await internalAdapter.findUserById(stored.value))?.email ?? null
}

/**
 * The account of a confirmation link; null if it has expired or never existed, or if its account is gone, even if a later
 * account has the address.
 */
export async function confirmationFor(auth: Auth, token: string) {
  const { internalAdapter, secret } = await auth.$context
  const { verifyJWT } = await import('better-auth/crypto')
  const { email, userId, updateTo } = (await verifyJWT<Record<string, unknown>>(token, secret)) ?? {}
  if (typeof email !== 'string' || updateTo !== undefined) return null
  // Found by the address, because the link proves that. Links from before better-auth 1.7.25 name no account.
  const { user } = (await internalAdapter.findUserByEmail(email)) ?? {}
  if (user === undefined || (userId !== undefined && userId !== user.id)) return null
  return { id: user.id, email: user.email, isProven: user.emailVerified }
}

// Mails with sign-in, confirmation, password and invitation links. Only an invitation contains users’ text, the names of the
// inviter and the organisation: quoted in its text, shortened in its subject, and never a link.

/** How long the links work. */
export const MAGIC_LINK_MINUTES = 15
export const RESET_MINUTES = 60
export const CONFIRMATION_HOURS = 24

interface Invited {
  /** The page’s path, with the secret. */
  path: string
  email: string
  role: Role
  expiresAt: Date
  inviter: { email: string; name: string }
  organization: { name: string }
  letterhead: OrganizationLook | null
}

/**
 * Sends mails with links. No mail is sent after its link has expired; each states that time, because the mail server may accept
 * it late.
 * @param config name and origin of the service.
 */
export function linkMails(
  { name: service, origin }: Pick<Config, 'name' | 'origin'>,
  mailer: { send(mail: Mail): void | Promise<void> },
) {
  const site = { name: service, origin }
  const sendLink = (
    to: string,
    subject: string,
    endsAt: number,
    paragraphs: readonly string[],
    letterhead: OrganizationLook | null = null,
  ) => mailer.send(under(letterhead, { to, subject, text: paragraphs.join('\n\n'), endsAt }, site))
  return {
    /** To the owner of an address that someone tried to sign up with again. */
    async alreadyHasAccount(email: string) {
      const paragraphs = [
        `Someone, probably you, tried to sign up for ${service} with this address. It already has an account.`,
        'If you just signed up and your dashboard is empty, sign out, then sign in to your existing account:',
        `${origin}${routes.account.signIn.href()}`,
        'Wasn’t you? You can ignore this email.',
      ]
      return mailer.send({
        to: email,
        subject: `You already have an account on ${service}`,
        text: paragraphs.join('\n\n'),
      })
    },
    /** @param url better-auth's own link, whose `callbackURL` says where to continue. */
    async confirmAddress(email: string, token: string, url: string) {
      if (isPlaceholder(email)) return
      const endsAt = inMinutes(CONFIRMATION_HOURS * 60)
      return sendLink(email, `Confirm your address for ${service}`, endsAt, [
        'Open this link to confirm your email address:',
        origin + confirmationPath(token, url),
        `It works until ${told(endsAt)}. Didn’t sign up? You can ignore this email.`,
      ])
    },
    /** @param url better-auth's own link. */
    async signInLink(email: string, token: string, url: string) {
      const endsAt = inMinutes(MAGIC_LINK_MINUTES)
      return sendLink(email, `Your sign-in link for ${service}`, endsAt, [
        'Open this link to sign in:',
        origin + magicLinkPath(token, url),
        `It works once, until ${told(endsAt)}. Didn’t ask for it? You can ignore this email.`,
      ])
    },
    async setPassword(email: string, token: string) {
      const endsAt = inMinutes(RESET_MINUTES)
      return sendLink(email, `Set a password for ${service}`, endsAt, [
        'Open this link to choose a new password:',
        origin + passwordPath(token),
        `It works once, until ${told(endsAt)}, and signs you out everywhere. Didn’t ask for it? You can ignore this email.`,
      ])
    },
    async invitation({ path, email, role, expiresAt, inviter, organization, letterhead }: Invited) {
      const who = inviter.name.trim() === '' ? inviter.email : `${quoted(inviter.name).trim()} (${inviter.email})`
      const as = role === 'viewer' ? 'a viewer' : `an ${role}`
      const subject = `${inSubject(inviter.name) || inviter.email} invited you to ${inSubject(organization.name)} as ${as}`
      const paragraphs = [
        `${who} invited you to ${quoted(organization.name).trim()} as ${as}.`,
        `With ${service}, one link opens many tabs. An organisation keeps its links in one place.`,
        'Open this link to join:',
        origin + path,
        `It’s only for you, and works until ${told(expiresAt)}. Don’t know them? You can ignore this email.`,
      ]
      return sendLink(email, subject, expiresAt.getTime(), paragraphs, letterhead)
    },
  }
}

/** A time so many minutes from now, in milliseconds since 1970. */
function inMinutes(minutes: number): number {
  return Date.now() + minutes * 60_000
}

/** The expiry of a link, as its mail states it. */
function told(endsAt: number | Date): string {
  return exactTime(minuteOf(endsAt))
}

/** The longest name in a subject, in characters: two names leave room for the rest. */
const MAX_IN_SUBJECT = 40

function inSubject(name: string): string {
  return unlinked(clipped(oneLine(name), MAX_IN_SUBJECT))
}

/** The page of a sign-in link. @param url better-auth's own link, whose `callbackURL` says where to continue. */
function magicLinkPath(token: string, url: string): string {
  return pathWithNext(routes.account.mailedLink.href({ token }), url)
}

/** The page that confirms an address. @param url better-auth's own link. */
function confirmationPath(token: string, url: string): string {
  return pathWithNext(routes.account.confirm.href({ token }), url)
}

function pathWithNext(path: string, url: string): string {
  return `${path}?${new URLSearchParams({ next: localPath(new URL(url).searchParams.get('callbackURL')) })}`
}
