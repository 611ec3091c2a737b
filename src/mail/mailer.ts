import type { Logger } from 'pino'
import type { Config } from '../config.ts'

/** A mail to one person, in plain text. */
export interface Mail {
  to: string
  subject: string
  text: string
}

/** How many mails the development mailbox shows. */
const MAILBOX_SIZE = 50

/** A mail server that says nothing is given up, and the log told; some greet late on purpose. */
const PATIENCE = { connectionTimeout: 10_000, greetingTimeout: 15_000, socketTimeout: 30_000 }

/** Sends mail by SMTP; without SMTP_URL it is written to the log, and kept for the development mailbox. */
export class Mailer {
  /** Newest first; stays empty where mail is sent or this is no development machine. */
  readonly mailbox: (Mail & { at: Date })[] = []

  constructor(
    readonly config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'isDevelopment'>,
    readonly log: Logger,
  ) {}

  /** Whether a mail reaches anybody but the log. */
  get isConfigured(): boolean {
    return this.config.smtpUrl !== undefined || this.config.isDevelopment
  }

  /** Sends a mail, or writes it to the log for the operator to hand on: without it nobody could sign in by mail. */
  send(mail: Mail): void {
    if (this.config.smtpUrl === undefined) this.log.info({ mail }, 'no SMTP_URL: this mail was not sent')
    this.sendIfConfigured(mail)
  }

  /**
   * Hands a mail over without keeping the caller waiting, whose answer must not tell by its timing whether
   * a mail was sent. A mail that cannot be sent is logged, without its text. Without SMTP_URL nothing is sent.
   */
  sendIfConfigured(mail: Mail): void {
    const { smtpUrl, isDevelopment } = this.config
    if (smtpUrl !== undefined) {
      this.#deliver(smtpUrl, mail).catch((error) =>
        this.log.error({ err: error, subject: mail.subject }, 'a mail could not be sent'),
      )
    } else if (isDevelopment) {
      this.mailbox.unshift({ ...mail, at: new Date() })
      this.mailbox.length = Math.min(this.mailbox.length, MAILBOX_SIZE)
    }
  }

  async #deliver(smtpUrl: string, mail: Mail): Promise<void> {
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({ ...PATIENCE, url: smtpUrl }, { from: this.config.mailFrom })
    try {
      // Not as text, which would be read as a list of addresses.
      const to = { name: '', address: mail.to }
      await transport.sendMail({ ...mail, to, disableFileAccess: true, disableUrlAccess: true })
    } finally {
      transport.close()
    }
  }
}

/**
 * A text that a user wrote as a mail shows it: on a line of its own, in quotes, so that it cannot pass for ours. Its dots
 * are broken, invisibly, for mail programs make links of `evil.example`.
 */
export function quoted(text: string): string {
  const line = text.replace(/[\s\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()
  return `  “${line.replaceAll(/[“”]/g, "'").replace(/\.(?=\S)/g, '.\u200b')}”`
}
