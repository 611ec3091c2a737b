import type { Config } from '../config/config.ts'
import { isPlaceholder } from '../identity/enumeration.ts'
import type { Role } from '../identity/roles.ts'
import { type Mail, quoted } from '../mail/mailer.ts'
import { confirmationPath, magicLinkPath, passwordPath } from './links.ts'

// Mails with sign-in, confirmation, password and invitation links. Subjects contain no users' texts; names
// are quoted on lines of their own.

/** How long the links work. */
export const MAGIC_LINK_MINUTES = 15
export const INVITATION_DAYS = 7
export const RESET_MINUTES = 60
export const CONFIRMATION_HOURS = 24

interface Invited {
  /** Of the invitation. */
  id: string
  email: string
  role: Role
  inviter: { email: string; name: string }
  organization: { name: string }
}

/**
 * Sends the mails of accounts.
 * @param config name and origin of the service.
 */
export function accountMails(
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
    invitation({ id, email, role, inviter, organization }: Invited) {
      const calls = inviter.name.trim() === '' ? [] : ['Their name:', quoted(inviter.name)]
      send(
        email,
        `You’re invited to an organisation on ${service}`,
        `${inviter.email} invited you to join an organisation on ${service} as ${role === 'viewer' ? 'a' : 'an'} ${role}.`,
        ...calls,
        'The organisation:',
        quoted(organization.name),
        `Accept the invitation: ${origin}/invitations/${id}`,
        `It’s open for ${INVITATION_DAYS} days. Don’t know them? You can ignore this email.`,
      )
    },
  }
}
