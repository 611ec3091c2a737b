import type { Config } from '../config/config.ts'
import { exactTime, minuteOf } from '../core/time.ts'
import { isPlaceholder } from '../identity/enumeration.ts'
import type { Role } from '../identity/roles.ts'
import { clipped, type Mail, oneLine, quoted, unlinked } from '../mail/mailer.ts'
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
 * Sends mails with links.
 * @param config name and origin of the service.
 */
export function linkMails(
  { name: service, origin }: Pick<Config, 'name' | 'origin'>,
  mailer: { send(mail: Mail): void },
) {
  const send = (to: string, subject: string, ...paragraphs: string[]) =>
    mailer.send({ to, subject, text: paragraphs.join('\n\n') })
  return {
    /** To the owner of an address that someone tried to sign up with again. */
    alreadyHasAccount(email: string) {
      send(
        email,
        `You already have an account on ${service}`,
        `Someone, probably you, tried to sign up for ${service} with this address. It already has an account.`,
        'If you just signed up and your dashboard is empty, sign out, then sign in to your existing account:',
        `${origin}/sign-in`,
        'Wasn’t you? You can ignore this email.',
      )
    },
    /** @param url better-auth's own link, whose `callbackURL` says where to continue. */
    confirmAddress(email: string, token: string, url: string) {
      if (isPlaceholder(email)) return
      send(
        email,
        `Confirm your address for ${service}`,
        'Open this link to confirm your email address:',
        origin + confirmationPath(token, url),
        `It works for ${CONFIRMATION_HOURS} hours. Didn’t sign up? You can ignore this email.`,
      )
    },
    /** @param url better-auth's own link. */
    signInLink(email: string, token: string, url: string) {
      send(
        email,
        `Your sign-in link for ${service}`,
        'Open this link to sign in:',
        origin + magicLinkPath(token, url),
        `It works once, for ${MAGIC_LINK_MINUTES} minutes. Didn’t ask for it? You can ignore this email.`,
      )
    },
    setPassword(email: string, token: string) {
      send(
        email,
        `Set a password for ${service}`,
        'Open this link to choose a new password:',
        origin + passwordPath(token),
        `It works once, for ${RESET_MINUTES} minutes, and signs you out everywhere. Didn’t ask for it? You can ignore this email.`,
      )
    },
    invitation({ path, email, role, expiresAt, inviter, organization }: Invited) {
      const who = inviter.name.trim() === '' ? inviter.email : `${quoted(inviter.name).trim()} (${inviter.email})`
      const as = role === 'viewer' ? 'a viewer' : `an ${role}`
      send(
        email,
        `${inSubject(inviter.name) || inviter.email} invited you to ${inSubject(organization.name)} as ${as}`,
        `${who} invited you to ${quoted(organization.name).trim()} as ${as}.`,
        `With ${service}, one link opens many tabs. An organisation keeps its links in one place.`,
        'Open this link to join:',
        origin + path,
        `It’s only for you, and works until ${exactTime(minuteOf(expiresAt))}. Don’t know them? You can ignore this email.`,
      )
    },
  }
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
