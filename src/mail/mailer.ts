import { type SQL, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Query, Store } from '../../db/client.ts'
import type { Config } from '../config/config.ts'
import { MailOutbox } from './outbox.ts'
import type { Mail } from './smtp.ts'

declare module '../core/service.ts' {
  interface Service {
    mailer: Mailer
  }
}

const MAILBOX_SIZE = 50

/**
 * Sends mail by SMTP, through an outbox. Without SMTP_URL, mails go to the development mailbox and, with `logMails`, to the
 * log.
 */
export class Mailer {
  /** Newest first; empty except in development without SMTP_URL. */
  readonly mailbox: (Mail & { at: Date })[] = []
  /** Null without SMTP_URL. */
  readonly outbox: MailOutbox | null

  constructor(
    readonly config: Pick<Config, 'smtpUrl' | 'logMails' | 'mailFrom' | 'secret' | 'isDevelopment'>,
    readonly store: Store,
    readonly log: Logger,
  ) {
    const { smtpUrl } = config
    this.outbox = smtpUrl === undefined ? null : new MailOutbox(store, { ...config, smtpUrl }, log)
  }

  /** Whether mails are really sent, not only logged. */
  get isConfigured(): boolean {
    return this.outbox !== null || this.config.isDevelopment
  }

  /** Whether too many mails are waiting for the mail server to add another. */
  get isFull(): boolean {
    return this.outbox?.isFull === true
  }

  /**
   * Sends a mail: resolves once it is stored; the mail server gets it in the background. Without SMTP_URL, logs it for the
   * operator to pass on, or only its subject if `logMails` is off.
   */
  async send(mail: Mail): Promise<void> {
    if (this.outbox !== null) return this.outbox.add(mail)
    const { html: _, ...plain } = mail
    if (this.config.logMails) this.log.info({ mail: plain }, 'no SMTP_URL: this mail was not sent')
    else this.log.warn({ subject: mail.subject }, 'no SMTP_URL: a mail was not sent')
    this.#keep(mail)
  }

  /** Like `send`, but without SMTP_URL nothing is logged. */
  async sendIfConfigured(mail: Mail): Promise<void> {
    if (this.outbox !== null) return this.outbox.add(mail)
    this.#keep(mail)
  }

  /** Does the work of `send`, but nobody gets the mail, so that the duration does not reveal whether somebody does. */
  async sendToNobody(mail: Mail): Promise<void> {
    await this.outbox?.add({ ...mail, isDecoy: true })
  }

  /**
   * Sends mails in the transaction of their cause.
   * @param isDue whether they are still to be sent. `writes` must make it false, so that only one of several processes sends
   * them.
   */
  async sendWith(mails: readonly Mail[], isDue: SQL, writes: readonly Query[]): Promise<void> {
    const { outbox } = this
    const insertion = (mail: Mail) => outbox?.insertion(mail, isDue) ?? sql`SELECT 0 AS bytes WHERE ${isDue}`
    const made = await this.store.write([...mails.map(insertion), ...writes])
    for (const [at, mail] of mails.entries()) {
      const stored = made[at]?.rows[0]
      if (stored === undefined) continue
      if (outbox === null) await this.send(mail)
      else outbox.added(Number(stored.bytes))
    }
  }

  #keep(mail: Mail): void {
    if (!this.config.isDevelopment) return
    this.mailbox.unshift({ ...mail, at: new Date() })
    this.mailbox.length = Math.min(this.mailbox.length, MAILBOX_SIZE)
  }
}

/** A user’s text within a line of the service's: it cannot break the line, reverse it, end the quotation or be a link. */
export function inLine(text: string): string {
  return unlinked(oneLine(text).replaceAll(/[“”]/g, "'"))
}

/** Quotes a user’s text on a line of its own, so that it cannot pass for the service's text. */
export function quoted(text: string): string {
  return `  “${inLine(text)}”`
}

/** A user’s text without line breaks, control characters and direction marks. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()
}

/**
 * A text with an invisible character in each part that mail clients would turn into a link: `evil.example`, and
 * `http://2130706433`, which has no dot.
 */
export function unlinked(text: string): string {
  return text.replace(/\.(?=\S)|:(?=\/\/)/g, '$&\u200b')
}

/** A text cut to this many characters, for a subject. */
export function clipped(text: string, most: number): string {
  const characters = [...text]
  return characters.length > most ? `${characters.slice(0, most).join('').trimEnd()}…` : text
}
