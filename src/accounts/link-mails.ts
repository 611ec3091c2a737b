import type { Config } from '../config/config.ts'
import { exactTime, minuteOf } from '../core/time.ts'
import { isPlaceholder } from '../identity/enumeration.ts'
import type { Role } from '../identity/roles.ts'
import { clipped, oneLine, quoted, unlinked } from '../mail/mailer.ts'
import type { Mail } from '../mail/smtp.ts'
import { localPath, passwordPath } from './links.ts'

// Mails with sign-in, confirmation, password and invitation links. Only an invitation contains users’ texts, the names of who
// invites to what: they are quoted in its text and cut short in its subject, and never become links.

/** How long the links work. */
export const MAGIC_LINK_MINUTES = 15
export const RESET_MINUTES = 60
export const CONFIRMATION_HOURS = 24

interface Invited {
  /** Of its page, with the secret. */
  path: string
  email: string
  role: Role
  expiresAt: Date
  inviter: { email: string; name: string }
  organization: { name: string }
}

/**
 * Sends mails with links. None is sent once its link has ended: each tells when that is, because the mail server may take it
 * later.
 * @param config name and origin of the service.
 */
export function linkMails(
  { name: service, origin }: Pick<Config, 'name' | 'origin'>,
  mailer: { send(mail: Mail): void | Promise<void> },
) {
  const sendLink = (to: string, subject: string, endsAt: number, paragraphs: readonly string[]) =>
    mailer.send({ to, subject, text: paragraphs.join('\n\n'), endsAt })
  return {
    /** To the owner of an address that someone tried to sign up with again. */
    async alreadyHasAccount(email: string) {
      const paragraphs = [
        `Someone, probably you, tried to sign up for ${service} with this address. It already has an account.`,
        'If you just signed up and your dashboard is empty, sign out, then sign in to your existing account:',
        `${origin}/sign-in`,
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
    async invitation({ path, email, role, expiresAt, inviter, organization }: Invited) {
      const who = inviter.name.trim() === '' ? inviter.email : `${quoted(inviter.name).trim()} (${inviter.email})`
      const as = role === 'viewer' ? 'a viewer' : `an ${role}`
      const subject = `${inSubject(inviter.name) || inviter.email} invited you to ${inSubject(organization.name)} as ${as}`
      return sendLink(email, subject, expiresAt.getTime(), [
        `${who} invited you to ${quoted(organization.name).trim()} as ${as}.`,
        `With ${service}, one link opens many tabs. An organisation keeps its links in one place.`,
        'Open this link to join:',
        origin + path,
        `It’s only for you, and works until ${told(expiresAt)}. Don’t know them? You can ignore this email.`,
      ])
    },
  }
}

/** A time so many minutes from now, in milliseconds since 1970. */
function inMinutes(minutes: number): number {
  return Date.now() + minutes * 60_000
}

/** The end of a link, as its mail tells it. */
function told(endsAt: number | Date): string {
  return exactTime(minuteOf(endsAt))
}

/** In characters: two names leave room for what the mail is about. */
const MAX_IN_SUBJECT = 40

function inSubject(name: string): string {
  return unlinked(clipped(oneLine(name), MAX_IN_SUBJECT))
}

/** The page of a sign-in link. @param url better-auth's own link, whose `callbackURL` says where to continue. */
function magicLinkPath(token: string, url: string): string {
  return pathWithNext(`/sign-in/link/${token}`, url)
}

/** The page that confirms an address. @param url better-auth's own link. */
function confirmationPath(token: string, url: string): string {
  return pathWithNext(`/confirm/${token}`, url)
}

function pathWithNext(path: string, url: string): string {
  return `${path}?${new URLSearchParams({ next: localPath(new URL(url).searchParams.get('callbackURL')) })}`
}
