import type { Logger } from 'pino'
import type { Config } from './config.ts'

/** A mail to one person, in plain text. */
export interface Mail {
  to: string
  subject: string
  text: string
}

/** How many mails the development mailbox shows. */
const MAILBOX_SIZE = 50

/** Sends mail by SMTP; without SMTP_URL it is written to the log, and kept for the development mailbox. */
export class Mailer {
  /** Newest first; stays empty where mail is sent or this is no development machine. */
  readonly mailbox: (Mail & { at: Date })[] = []

  constructor(
    readonly config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'isDevelopment'>,
    readonly log: Logger,
  ) {}

  /** Whether mails go out, rather than to the log. */
  get isConfigured(): boolean {
    return this.config.smtpUrl !== undefined
  }

  /**
   * Hands a mail over without keeping the caller waiting, whose answer must not tell by its timing whether
   * a mail was sent. A mail that cannot be sent is logged, without its text.
   */
  send(mail: Mail): void {
    const { smtpUrl } = this.config
    if (smtpUrl === undefined) {
      this.log.info({ mail }, 'no SMTP_URL: this mail was not sent')
      if (!this.config.isDevelopment) return
      this.mailbox.unshift({ ...mail, at: new Date() })
      this.mailbox.length = Math.min(this.mailbox.length, MAILBOX_SIZE)
      return
    }
    this.#deliver(smtpUrl, mail).catch((error) =>
      this.log.error({ err: error, subject: mail.subject }, 'a mail could not be sent'),
    )
  }

  async #deliver(smtpUrl: string, mail: Mail): Promise<void> {
    const { createTransport } = await import('nodemailer')
    const transport = createTransport(smtpUrl, { from: this.config.mailFrom })
    try {
      await transport.sendMail({ ...mail, disableFileAccess: true, disableUrlAccess: true })
    } finally {
      transport.close()
    }
  }
}
