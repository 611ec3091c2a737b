import { once } from 'node:events'
import type { NodemailerError } from 'nodemailer'

/** A mail to one person: in plain text, and in HTML too if it has a letterhead. */
export interface Mail {
  to: string
  subject: string
  text: string
  html?: string | undefined
  /** The link that stops mails of this kind with one click, if the reader may stop them: mail programs show a button for it. */
  unsubscribe?: string
  /** When the mail becomes worthless, such as with the expiry of its link: milliseconds since 1970. */
  endsAt?: number
}

/** Timeouts for an unresponsive mail server; some delay their greeting on purpose. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 15_000, socketTimeout: 30_000 }
/** Timeout for a whole exchange with a mail server, because each line of a slow one restarts the timeouts above. */
const ANSWER_WITHIN_MS = 20_000

/**
 * Hands a mail to the mail server.
 * @param signal ends the connection when it aborts.
 * @throws the server's or the network's error, if it is refused.
 */
export async function deliver(
  { smtpUrl, mailFrom }: { smtpUrl: string; mailFrom: string },
  { to: address, subject, text, html, unsubscribe }: Mail,
  signal: AbortSignal = AbortSignal.timeout(60_000),
): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({ ...TIMEOUTS, url: smtpUrl }, { from: mailFrom })
  try {
    // An object, because a string would be parsed as a list of addresses.
    const to = { name: '', address }
    // By RFC 8058, the mail program sends a POST there without asking anybody.
    const headers =
      unsubscribe === undefined
        ? {}
        : { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
    const content = { to, subject, text, html, headers }
    await transport.sendMail({ ...content, signal, disableFileAccess: true, disableUrlAccess: true })
  } finally {
    transport.close()
  }
}

/**
 * Asks the mail server whether it would accept mails, without sending one: it connects, encrypts and signs in as for a mail.
 * @throws the server's refusal, or a timeout after twenty seconds.
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

/** Why a mail could not be handed over. */
export interface Failure {
  /** Whether the server will never accept it: it has permanently refused its recipient or its content. */
  isFinal: boolean
  /** Whether the server would have accepted no other mail either, such as one that does not answer. */
  isServers: boolean
  /** For the log: without the address, which servers like to repeat. */
  says: { code?: string; status?: number; reason: string }
}

/** SMTP commands with answers about this mail, not about the sender or the settings. */
const ABOUT_THE_MAIL = /^(RCPT TO|DATA)/
const MAX_REASON = 300

/** Reads an error of `deliver`. */
export function failureOf(error: unknown): Failure {
  const { code, responseCode: status, permanent, command = '', message } = error as NodemailerError
  const reason = message.replaceAll(/[^\s<>:;,"]+@[^\s<>:;,"]+/g, '(an address)').slice(0, MAX_REASON)
  const isAboutIt =
    ABOUT_THE_MAIL.test(command) || (code === 'EENVELOPE' && command !== 'MAIL FROM') || code === 'EMESSAGE'
  return {
    isFinal: isAboutIt && (permanent ?? status === undefined),
    isServers: !isAboutIt,
    says: { ...(code === undefined ? {} : { code }), ...(status === undefined ? {} : { status }), reason },
  }
}
