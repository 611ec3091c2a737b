import { once } from 'node:events'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'

declare module '../core/service.ts' {
  interface Service {
    mailer: Mailer
  }
}

/** A mail to one person, in plain text. */
export interface Mail {
  to: string
  subject: string
  text: string
  /** Where one press stops mails of this kind, if the reader may stop them: mail programs show a button for it. */
  unsubscribe?: string
}

const MAILBOX_SIZE = 50

/** Timeouts for an unresponsive mail server; some delay their greeting on purpose. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 15_000, socketTimeout: 30_000 }
/** For all that is said to a mail server and by it, because each word of a slow one starts the time above anew. */
const ANSWER_WITHIN_MS = 20_000

/** Sends mail by SMTP. Without SMTP_URL, mails go to the development mailbox and, with `logMails`, to the log. */
export class Mailer {
  /** Newest first; empty unless in development without SMTP_URL. */
  readonly mailbox: (Mail & { at: Date })[] = []

  constructor(
    readonly config: Pick<Config, 'smtpUrl' | 'logMails' | 'mailFrom' | 'isDevelopment'>,
    readonly log: Logger,
  ) {}

  /** Whether mails reach anything but the log. */
  get isConfigured(): boolean {
    return this.config.smtpUrl !== undefined || this.config.isDevelopment
  }

  /** Sends a mail. Without SMTP_URL, logs it for the operator to pass on, or only its subject if `logMails` is off. */
  send(mail: Mail): void {
    const { smtpUrl, logMails } = this.config
    if (smtpUrl === undefined && !logMails) this.log.warn({ subject: mail.subject }, 'no SMTP_URL: a mail was not sent')
    this.#inBackground(this.deliver(mail), mail)
  }

  /**
   * Sends a mail, or logs it like `send`, and waits until the mail server has taken it.
   * @throws what the server or the network says, if it does not.
   */
  async deliver(mail: Mail): Promise<void> {
    const { smtpUrl, logMails } = this.config
    if (smtpUrl === undefined && logMails) this.log.info({ mail }, 'no SMTP_URL: this mail was not sent')
    await this.#hand(mail)
  }

  /**
   * Sends a mail in the background, so that timing does not reveal whether one was sent. A failure is logged without
   * the text. Without SMTP_URL nothing is sent.
   */
  sendIfConfigured(mail: Mail): void {
    this.#inBackground(this.#hand(mail), mail)
  }

  #inBackground(sending: Promise<void>, { subject }: Mail): void {
    sending.catch((error) => this.log.error({ err: error, subject }, 'a mail could not be sent'))
  }

  async #hand(mail: Mail): Promise<void> {
    const { smtpUrl, isDevelopment } = this.config
    if (smtpUrl !== undefined) {
      await deliver({ ...this.config, smtpUrl }, mail)
    } else if (isDevelopment) {
      this.mailbox.unshift({ ...mail, at: new Date() })
      this.mailbox.length = Math.min(this.mailbox.length, MAILBOX_SIZE)
    }
  }
}

/**
 * Hands a mail to the mail server.
 * @throws what the server or the network says, if it does not take it.
 */
export async function deliver(
  { smtpUrl, mailFrom }: { smtpUrl: string; mailFrom: string },
  { unsubscribe, ...mail }: Mail,
): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({ ...TIMEOUTS, url: smtpUrl }, { from: mailFrom })
  try {
    // As an object: a string would be parsed as a list of addresses.
    const to = { name: '', address: mail.to }
    // By RFC 8058: the mail program sends a POST there, without asking anybody.
    const headers =
      unsubscribe === undefined
        ? {}
        : { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
    await transport.sendMail({ ...mail, to, headers, disableFileAccess: true, disableUrlAccess: true })
  } finally {
    transport.close()
  }
}

/**
 * Asks the mail server whether it would take mails, without sending one: it connects, encrypts and signs in as for a mail.
 * @throws what it says, if not, within twenty seconds.
 */
export async function reachMailServer(smtpUrl: string): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({ ...TIMEOUTS, url: smtpUrl })
  try {
    await Promise.race([transport.verify(), tooLate(AbortSignal.timeout(ANSWER_WITHIN_MS))])
  } finally {
    transport.close()
  }
}

async function tooLate(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort')
  throw new Error('it did not finish its answers in time')
}

/**
 * A user’s text within a line of ours: nothing in it breaks the line, turns it around, ends the quotation or is a link.
 */
export function inLine(text: string): string {
  return unlinked(oneLine(text).replaceAll(/[“”]/g, "'"))
}

/** Quotes a user’s text on a line of its own, so that it cannot pass for ours. */
export function quoted(text: string): string {
  return `  “${inLine(text)}”`
}

/** A user’s text without line breaks, control characters and direction marks. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()
}

/**
 * A text with an invisible character in what mail clients would turn into a link: `evil.example`, and `http://2130706433`,
 * which has no dot.
 */
export function unlinked(text: string): string {
  return text.replace(/\.(?=\S)|:(?=\/\/)/g, '$&\u200b')
}

/** A text that is cut to so many characters, for a subject. */
export function clipped(text: string, most: number): string {
  const characters = [...text]
  return characters.length > most ? `${characters.slice(0, most).join('').trimEnd()}…` : text
}
