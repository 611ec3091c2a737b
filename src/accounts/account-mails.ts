import { and, eq, isNotNull, or, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { member, owners, user } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { routes } from '../core/routes.ts'
import { exactTime, minuteOf } from '../core/time.ts'
import { browserLabel } from '../core/words.ts'
import type { Role, Subject } from '../identity/caller.ts'
import { type Bucket, countsOf, takeAll, tiers } from '../limits/rate-limits.ts'
import { letterheadOf, type Named, under } from '../mail/letterhead.ts'
import { type Mailer, quoted } from '../mail/mailer.ts'

/** Limits of notices per kind and person, so that someone who has taken over an account cannot flood its owner. */
const TO_ONE_PERSON = tiers('notice', [
  [10, 3_600_000],
  [30, 86_400_000],
])

/** An event that an account's owner is notified about, in case they did not cause it. */
export type AccountEvent =
  | { kind: 'signedIn'; userAgent: string | null; at: Date }
  | { kind: 'keyMade'; name: string; actsFor: Subject['type'] }
  | { kind: 'keyRotated'; name: string; actsFor: Subject['type'] }
  | { kind: 'appConnected'; name: string; actsFor: Subject['type'] }
  | { kind: 'webhookMade'; host: string; by: string; organization: string | null }
  | { kind: 'webhookMakerGone'; hosts: readonly string[]; by: string; organization: string }
  | { kind: 'webhookDisabled'; host: string; by: 'failures' | 'gone' }
  | { kind: 'passwordSet' }
  | { kind: 'addressChanged'; to: string }
  | { kind: 'roleChanged'; organization: string; role: Role }

/** Mails about events in an account. */
export class AccountMails {
  constructor(
    readonly config: Pick<Config, 'name' | 'origin'>,
    readonly store: Store,
    readonly mailer: Mailer,
    readonly bucket: Bucket,
    readonly log: Logger,
  ) {}

  /**
   * Notifies a person if their address is verified: an unverified one may be a stranger’s. Resolves once the mail is stored;
   * a failure is logged and never reaches the caller.
   * @param about the organisation that the event is about, for the letterhead.
   */
  notify(userId: string, event: AccountEvent, about?: Named): Promise<void> {
    return this.attempt(() => this.#send(userId, event, about))
  }

  /** Runs work that sends account mails. Never rejects, because the events have already happened: a failure is logged. */
  attempt(work: () => Promise<void>): Promise<void> {
    return work().catch((error) => this.log.error({ err: error }, 'a notice could not be sent'))
  }

  /** Notifies whoever manages an owner’s data: the user, or the organisation’s admins. */
  async notifyOwner(ownerId: number, event: AccountEvent): Promise<void> {
    const people = await this.store.db
      .select({ id: sql<string>`coalesce(${owners.userId}, ${member.userId})` })
      .from(owners)
      .leftJoin(member, and(eq(member.organizationId, owners.organizationId), eq(member.role, 'admin')))
      .where(and(eq(owners.id, ownerId), or(isNotNull(owners.userId), isNotNull(member.userId))))
    for (const { id } of people) await this.notify(id, event, { ownerId })
  }

  /** Notifies the former address of an account; it must have been verified. */
  notifyFormerAddress(userId: string, email: string, to: string): Promise<void> {
    return this.attempt(() => this.#mail(userId, email, { kind: 'addressChanged', to }))
  }

  async #send(userId: string, event: AccountEvent, about?: Named): Promise<void> {
    const [person] = await this.store.db
      .select({ email: user.email, isVerified: user.emailVerified })
      .from(user)
      .where(eq(user.id, userId))
    if (person?.isVerified === true) await this.#mail(userId, person.email, event, about)
  }

  async #mail(userId: string, to: string, event: AccountEvent, about?: Named): Promise<void> {
    if (!(await takeAll(this.bucket, countsOf(TO_ONE_PERSON, `${event.kind} ${userId}`))).allowed) return
    const letterhead = about === undefined ? null : await letterheadOf(this.store, about)
    await this.mailer.send(under(letterhead, { to, ...(await noticeOf(event, this.config)) }, this.config))
  }
}

const IT_WAS_YOU = 'If this was you, there’s nothing to do.'

async function noticeOf(event: AccountEvent, { name: service, origin }: Pick<Config, 'name' | 'origin'>) {
  const settings = `${origin}${routes.settings.page.href()}`
  switch (event.kind) {
    case 'signedIn':
      return {
        subject: `New sign-in to your ${service} account`,
        text: paragraphs(
          `Someone just signed in to your ${service} account from a new browser:`,
          `  ${await browserOf(event.userAgent ?? '')}\n  ${exactTime(minuteOf(event.at))}`,
          IT_WAS_YOU,
          `Wasn’t you? Sign out that browser and change your password:\n\n${settings}`,
        ),
      }
    case 'keyMade':
      return {
        subject: `New API key on your ${service} account`,
        text: paragraphs(
          `Your account was used to create an API key ${event.actsFor === 'user' ? 'for your own bundles' : 'for one of your organisations'}, named:`,
          quoted(event.name),
          IT_WAS_YOU,
          `Wasn’t you? Revoke the key and change your password:\n\n${origin}${routes.keys.list.href()}\n${settings}`,
        ),
      }
    case 'keyRotated':
      return {
        subject: `API key rotated on your ${service} account`,
        text: paragraphs(
          `Your account was used to replace an API key ${event.actsFor === 'user' ? 'for your own bundles' : 'for one of your organisations'} with a new one, named:`,
          quoted(event.name),
          IT_WAS_YOU,
          `Wasn’t you? Revoke both keys and change your password:\n\n${origin}${routes.keys.list.href()}\n${settings}`,
        ),
      }
    case 'appConnected':
      return {
        subject: `New app connected to your ${service} account`,
        text: paragraphs(
          `Your account was used to connect an app ${event.actsFor === 'user' ? 'to your own bundles' : 'to one of your organisations'}. It calls itself:`,
          quoted(event.name),
          IT_WAS_YOU,
          `Wasn’t you? Revoke its key and change your password:\n\n${origin}${routes.keys.list.href()}\n${settings}`,
        ),
      }
    case 'webhookMade':
      return {
        subject: `New webhook on ${service}`,
        text: paragraphs(
          event.organization === null
            ? 'Your account was used to create a webhook for your own bundles. Their events are now sent to:'
            : `${event.by} created a webhook for an organisation of yours. Events of its bundles are now sent to:`,
          quoted(event.host),
          ...(event.organization === null ? [] : ['The organisation:', quoted(event.organization)]),
          event.organization === null ? IT_WAS_YOU : 'If you expected this, there’s nothing to do.',
          `Otherwise, delete the webhook${event.organization === null ? ' and change your password' : ''}:\n\n${origin}${routes.webhooks.list.href()}${event.organization === null ? `\n${settings}` : ''}`,
        ),
      }
    case 'webhookMakerGone':
      return {
        subject: `A webhook on ${service} outlasts the admin who made it`,
        text: paragraphs(
          `${event.by} is no longer an admin of:`,
          quoted(event.organization),
          'Webhooks that they created for it still send events of its bundles to:',
          quoted(event.hosts.join('\n')),
          `Delete those that you don’t need any more. If they know the secret of one that stays, make a new webhook instead:\n\n${origin}${routes.webhooks.list.href()}`,
        ),
      }
    case 'webhookDisabled':
      return {
        subject: `A webhook on ${service} was disabled`,
        text: paragraphs(
          event.by === 'gone'
            ? 'Its receiver no longer has this webhook: it answered 410 Gone or, as a chat, 404. We stopped sending to:'
            : 'For more than a day, no event could be delivered. We stopped sending to:',
          quoted(event.host),
          `Once it works again, enable the webhook: it then gets the events that it missed so far. Events from now on are not kept for it:\n\n${origin}${routes.webhooks.list.href()}`,
        ),
      }
    case 'passwordSet':
      return {
        subject: `Your ${service} password was changed`,
        text: paragraphs(
          `The password of your ${service} account was changed, and all other browsers were signed out.`,
          IT_WAS_YOU,
          `Wasn’t you? Sign in with an emailed link and set a new password:\n\n${origin}${routes.account.signIn.href()}`,
        ),
      }
    case 'addressChanged':
      return {
        subject: `The email address of your ${service} account was changed`,
        text: paragraphs(
          `Your identity provider changed the email address of your ${service} account to:`,
          quoted(event.to),
          'Use it to sign in from now on. Didn’t expect this? Contact your administrator.',
        ),
      }
    case 'roleChanged':
      return {
        subject: `Your role in an organisation on ${service} was changed`,
        text: paragraphs(
          `You’re now ${event.role === 'viewer' ? 'a' : 'an'} ${event.role} of:`,
          quoted(event.organization),
          `See what you can do there, and who its admins are:\n\n${origin}${routes.organizations.list.href()}`,
        ),
      }
  }
}

function paragraphs(...texts: string[]): string {
  return texts.join('\n\n')
}

async function browserOf(userAgent: string): Promise<string> {
  const { parseUserAgent } = await import('../audience/user-agent.ts')
  return browserLabel(parseUserAgent(userAgent)) ?? 'an unknown browser'
}
