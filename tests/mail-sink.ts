import { SMTPServer } from 'smtp-server'
import { becomes, eventually } from './eventually.ts'
import type { Server } from './server.ts'

/** A mail received over SMTP. */
export interface ParsedMail {
  from: string
  recipients: string[]
  subject: string
  text: string
  /** The HTML part; null for a mail of plain text. */
  html: string | null
  /** Every header by its name in small letters; a folded one as one line. */
  headers: ReadonlyMap<string, string>
}

/**
 * Starts a real SMTP server on the loopback address that keeps every mail it receives.
 * @param held what each mail waits for before it is taken.
 * @param refuse the status with which it refuses a recipient, such as 451; null if it takes the mail.
 */
export async function startMailSink(
  port: number,
  held: () => Promise<void> = async () => {},
  refuse: (recipient: string) => number | null = () => null,
) {
  const mails: ParsedMail[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo({ address }, _, done) {
      const responseCode = refuse(address)
      done(responseCode === null ? null : Object.assign(new Error(`<${address}>: not now`), { responseCode }))
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        await held()
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

/** Waits until a service has tried every mail that is due. What waits then waits for a later try. */
export async function allTried({ sql }: Pick<Server, 'sql'>): Promise<void> {
  await becomes(() => sql('SELECT 1 FROM mails WHERE lease IS NOT NULL OR due_at <= ?', [Date.now()]), [])
}

/** Enough of MIME: headers, with words of other letters, quoted-printable, which long lines need, and two alternatives. */
function parse(raw: string): Omit<ParsedMail, 'from' | 'recipients'> {
  const { headers, body } = entity(raw)
  const [, boundary] = /^multipart\/alternative;.*boundary="?([^";]+)/.exec(headers.get('content-type') ?? '') ?? []
  const parts = boundary === undefined ? [] : body.split(`--${boundary}`).slice(1, -1)
  const [text = body, html = null] = parts.map((part) => entity(part.replace(/^\r\n/, '')).body.replace(/\r\n$/, ''))
  return { subject: inWords(headers.get('subject') ?? ''), text, html, headers }
}

/** A mail, or a part of one: its headers, and its decoded body. */
function entity(raw: string): { headers: Map<string, string>; body: string } {
  const at = raw.indexOf('\r\n\r\n')
  const head = raw.slice(0, at).replace(/\r\n[ \t]+/g, ' ')
  const body = raw.slice(at + 4)
  const headers = new Map(
    head.split('\r\n').map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.replace(/^[^:]*: */, '')]),
  )
  const encoding = headers.get('content-transfer-encoding')
  if (encoding === 'base64') return { headers, body: Buffer.from(body, 'base64').toString() }
  return { headers, body: encoding === 'quoted-printable' ? unquoted(body) : body }
}

/** Decodes the encoded words of a header (RFC 2047). */
function inWords(header: string): string {
  const word = /=\?utf-8\?([qb])\?([^?]*)\?=/gi
  return header
    .replace(/\?= +=\?/g, '?==?')
    .replace(word, (_, how: string, text: string) =>
      how.toLowerCase() === 'b' ? Buffer.from(text, 'base64').toString() : unquoted(text.replaceAll('_', ' ')),
    )
}

function unquoted(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
