import { SMTPServer } from 'smtp-server'
import { eventually } from './eventually.ts'

/** A mail received over SMTP. */
export interface ParsedMail {
  from: string
  recipients: string[]
  subject: string
  text: string
}

/** Starts a real SMTP server on the loopback address that keeps every mail it receives. */
export async function startMailSink(port: number) {
  const mails: ParsedMail[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = envelope
        const recipients = rcptTo.map(({ address }) => address)
        const from = mailFrom === false ? '' : mailFrom.address
        mails.push({ from, recipients, ...parse(Buffer.concat(chunks).toString('utf8')) })
        done()
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `smtp://127.0.0.1:${port}`,
    /** Every mail so far, oldest first. */
    mails: mails as readonly ParsedMail[],
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
    /** Waits for a mail to an address whose subject begins with `subject`. @returns the latest. */
    async mailTo(email: string, subject = ''): Promise<ParsedMail> {
      const latest = () => mails.findLast((mail) => mail.recipients.includes(email) && mail.subject.startsWith(subject))
      await eventually(() => latest() !== undefined, `a mail to ${email}`)
      return latest()!
    },
  }
}

/** Enough of MIME for plain text: headers, and quoted-printable, which long lines need. */
function parse(raw: string): { subject: string; text: string } {
  const at = raw.indexOf('\r\n\r\n')
  const head = raw.slice(0, at).replace(/\r\n[ \t]+/g, ' ')
  const body = raw.slice(at + 4)
  const isQuoted = /^content-transfer-encoding: quoted-printable/im.test(head)
  const text = isQuoted
    ? body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    : body
  return { subject: /^subject: (.*)$/im.exec(head)?.[1] ?? '', text }
}
