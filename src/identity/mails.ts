import type { Config } from '../config.ts'
import { type Mailer, quoted } from '../mail/mailer.ts'
import { confirmationPath, magicLinkPath, passwordPath } from './links.ts'
import type { Role } from './roles.ts'
import { isPlaceholder } from './taken.ts'

// Mails with sign-in, confirmation, password and invitation links. Subjects hold no text of users (decisions 13); names
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
export function accountMails({ name: service, origin }: Pick<Config, 'name' | 'origin'>, mailer: Mailer) {
  const send = (to: string, subject: string, ...paragraphs: string[]) =>
    mailer.send({ to, subject, text: paragraphs.join('\n\n') })
  return {
    /** To the owner of an address that somebody tried to sign up with again. */
    alreadyHasAccount(email: string) {
      send(
        email,
        `You already have an account at ${service}`,
        `Someone, probably you, tried to sign up to ${service} with this address, but it already has an account.`,
        'If you just signed up and see an empty dashboard, sign out and sign in to your account:',
        `${origin}/sign-in`,
        'If it wasn’t you, you can ignore this mail.',
      )
    },
    /** @param url better-auth's own link, which has where to go afterwards. */
    confirmAddress(email: string, token: string, url: string) {
      if (isPlaceholder(email)) return
      send(
        email,
        `Confirm your address for ${service}`,
        'Open this link to confirm that this address is yours:',
        origin + confirmationPath(token, url),
        `It works for ${CONFIRMATION_HOURS} hours. If you didn’t sign up to ${service}, ignore this mail.`,
      )
    },
    /** @param url as above. */
    signInLink(email: string, token: string, url: string) {
      send(
        email,
        `Your sign-in link for ${service}`,
        'Open this link to sign in:',
        origin + magicLinkPath(token, url),
        `It works once, for ${MAGIC_LINK_MINUTES} minutes. If you didn’t ask for it, ignore this mail.`,
      )
    },
    setPassword(email: string, token: string) {
      send(
        email,
        `Set a password for ${service}`,
        'Open this link to choose a new password:',
        origin + passwordPath(token),
        `It works once, for ${RESET_MINUTES} minutes, and signs you out everywhere. If you didn’t ask for it, ignore this mail.`,
      )
    },
    invitation({ id, email, role, inviter, organization }: Invited) {
      const calls = inviter.name.trim() === '' ? [] : ['They call themselves:', quoted(inviter.name)]
      send(
        email,
        `You are invited to an organisation at ${service}`,
        `${inviter.email} invites you to join an organisation at ${service} as ${role}.`,
        ...calls,
        'The organisation is called:',
        quoted(organization.name),
        `See the invitation: ${origin}/invitations/${id}`,
        `It is open for ${INVITATION_DAYS} days. If you don’t know them, ignore this mail.`,
      )
    },
  }
}
