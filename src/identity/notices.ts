import { eq } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { user } from '../../db/schema.ts'
import type { Config } from '../config.ts'
import { browserName } from '../core/words.ts'
import type { Bucket } from '../limits/bucket.ts'
import { countsOf, takeAll, tiers } from '../limits/together.ts'
import { type Mailer, quoted } from '../mail/mailer.ts'
import type { Subject } from './caller.ts'
import type { Role } from './roles.ts'

/** Per kind and person: somebody who has taken over an account must not be able to flood its owner. */
const TO_ONE_PERSON = tiers('notice', [
  [10, 3_600_000],
  [30, 86_400_000],
])

/** An event in an account that its owner must hear of in case it was not them. */
export type Happening =
  | { kind: 'signedIn'; userAgent: string | null; at: Date }
  | { kind: 'keyMade'; name: string; actsFor: Subject['type'] }
  | { kind: 'passwordSet' }
  | { kind: 'addressChanged'; to: string }
  | { kind: 'roleChanged'; organization: string; role: Role }

/** Mails about events in an account (decisions 13). */
export class Notices {
  constructor(
    readonly config: Pick<Config, 'name' | 'origin'>,
    readonly store: Store,
    readonly mailer: Mailer,
    readonly bucket: Bucket,
    readonly log: Logger,
  ) {}

  /**
   * Notifies a person if their address is verified: an unverified one may be a stranger’s. Runs in the background; a
   * failure is logged and never reaches the caller.
   */
  tell(userId: string, happening: Happening): void {
    this.#send(userId, happening).catch((error) => this.log.error({ err: error }, 'a notice could not be sent'))
  }

  /** Notifies the former address of an account; it must have been verified. */
  tellFormerAddress(userId: string, email: string, to: string): void {
    this.#mail(userId, email, { kind: 'addressChanged', to }).catch((error) =>
      this.log.error({ err: error }, 'a notice could not be sent'),
    )
  }

  async #send(userId: string, happening: Happening): Promise<void> {
    const [person] = await this.store.db
      .select({ email: user.email, isVerified: user.emailVerified })
      .from(user)
      .where(eq(user.id, userId))
    if (person?.isVerified === true) await this.#mail(userId, person.email, happening)
  }

  async #mail(userId: string, to: string, happening: Happening): Promise<void> {
    if (!(await takeAll(this.bucket, countsOf(TO_ONE_PERSON, `${happening.kind} ${userId}`))).allowed) return
    this.mailer.send({ to, ...(await noticeOf(happening, this.config)) })
  }
}

async function noticeOf(happening: Happening, { name: service, origin }: Pick<Config, 'name' | 'origin'>) {
  const settings = `${origin}/dashboard/settings`
  switch (happening.kind) {
    case 'signedIn':
      return {
        subject: `New sign-in to your ${service} account`,
        text: paragraphs(
          `Your ${service} account was signed in to from a browser that we have not seen before:`,
          `  ${await browserOf(happening.userAgent ?? '')}\n  ${happening.at.toUTCString()}`,
          'If it was you, there is nothing to do.',
          `If it was not you, end that session and set a new password:\n\n${settings}`,
        ),
      }
    case 'keyMade':
      return {
        subject: `A new API key was made with your ${service} account`,
        text: paragraphs(
          `An API key was made with your account. It acts for ${happening.actsFor === 'user' ? 'you' : 'an organisation of yours'}, and is called:`,
          quoted(happening.name),
          'If it was you, there is nothing to do.',
          `If it was not you, revoke the key and set a new password:\n\n${origin}/dashboard/keys\n${settings}`,
        ),
      }
    case 'passwordSet':
      return {
        subject: `Your ${service} password was changed`,
        text: paragraphs(
          `The password of your ${service} account was changed, and every other browser was signed out.`,
          'If it was you, there is nothing to do.',
          `If it was not you, sign in by a mailed link and set a new password:\n\n${origin}/sign-in`,
        ),
      }
    case 'addressChanged':
      return {
        subject: `The address of your ${service} account was changed`,
        text: paragraphs(
          `Your identity provider has given your ${service} account another address:`,
          quoted(happening.to),
          'From now on you sign in with that one. If this is news to you, ask whoever runs your identity provider.',
        ),
      }
    case 'roleChanged':
      return {
        subject: `Your role in an organisation at ${service} was changed`,
        text: paragraphs(
          `You are now ${happening.role} in the organisation:`,
          quoted(happening.organization),
          `What that lets you do, and who its admins are:\n\n${origin}/dashboard/organizations`,
        ),
      }
  }
}

function paragraphs(...texts: string[]): string {
  return texts.join('\n\n')
}

/** The name of a browser, by its user agent. */
async function browserOf(userAgent: string): Promise<string> {
  const { agentOf } = await import('../policies/agents.ts')
  return browserName(agentOf(userAgent)) ?? 'an unknown browser'
}
