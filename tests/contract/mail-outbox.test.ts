import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createServer, type Server as TcpServer } from 'node:net'
import { becomes, eventually } from '../eventually.ts'
import { allTried, startMailSink } from '../mail-sink.ts'
import { linkIn, newEmail, PASSWORD, type Person, press, signUp, URL_A, Visitor } from '../people.ts'
import { freePort } from '../ports.ts'
import { type Server, TARGETS } from '../server.ts'
import { startOn } from '../targets.ts'

setDefaultTimeout(180_000)

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

describe.each(TARGETS.map((target) => ({ target })))(
  'mails that a mail server does not take at once, $target.name',
  ({ target }) => {
    let sink: Awaited<ReturnType<typeof startMailSink>>
    let server: Server
    let port: number
    /** What the mail server answers to a recipient; nothing if it takes the mail. */
    const answers = new Map<string, number>()
    /** How often a recipient was refused. */
    const refused = new Map<string, number>()
    const start = async () => {
      sink = await startMailSink(port, undefined, (to) => {
        const answer = answers.get(to) ?? null
        if (answer !== null) refused.set(to, (refused.get(to) ?? 0) + 1)
        return answer
      })
    }
    beforeAll(async () => {
      port = freePort()
      await start()
      server = await startOn(target, {
        SMTP_URL: `smtp://127.0.0.1:${port}`,
        SERVICE_METRICS_TOKEN: 'a-token-of-metrics',
      })
    })
    afterAll(async () => {
      await server?.stop()
      await sink?.stop()
    })

    const link = (email: string) => new Visitor(server).api('POST', '/api/auth/sign-in/magic-link', { email })
    /** A new address, which the mail server refuses, and that somebody asked to be sent a sign-in link. */
    async function refusedLink(answer: number): Promise<string> {
      const email = newEmail('put-off')
      answers.set(email, answer)
      expect((await link(email)).status).toBe(200)
      await eventually(() => (refused.get(email) ?? 0) > 0, 'the mail server refuses it')
      return email
    }
    /** A person with a confirmed address, to whom nothing waits. */
    async function newPerson(): Promise<Person> {
      const person = await signUp(server, newEmail('confirmed'))
      await server.sql('UPDATE user SET email_verified = 1 WHERE id = ? RETURNING 1', [person.userId])
      await sink.mailTo(person.email)
      await becomes(waiting, [])
      return person
    }
    const waiting = () => server.sql('SELECT id, attempts FROM mails')
    /** Lets time pass for all mails that wait. */
    const later = async (ms: number) => {
      await allTried(server)
      await server.sql(
        'UPDATE mails SET due_at = due_at - ?, ends_at = ends_at - ?, created_at = created_at - ? RETURNING 1',
        [ms, ms, ms],
      )
    }
    const mailsTo = (email: string) => sink.mails.filter(({ recipients }) => recipients.includes(email))
    async function metric(name: string): Promise<number> {
      const text = await (
        await fetch(`${server.origin}/metrics`, { headers: { authorization: 'Bearer a-token-of-metrics' } })
      ).text()
      return Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.slice(name.length + 1),
      )
    }

    test('ten of ten come that were put off with 451 first (greylisting), each once, and their links work', async () => {
      const emails = await Promise.all(Array.from({ length: 10 }, () => refusedLink(451)))
      await allTried(server)
      expect((await waiting()).map(({ attempts }) => attempts)).toEqual(Array(10).fill(1))
      for (const email of emails) answers.delete(email)
      await later(MINUTE_MS)
      for (const email of emails) await sink.mailTo(email)
      await becomes(waiting, [])
      expect(emails.map((email) => mailsTo(email).length)).toEqual(Array(10).fill(1))
      const [email = ''] = emails
      const answer = await press(new Visitor(server), linkIn(await sink.mailTo(email)))
      expect(answer.headers.get('location')).toBe('/')
      expect(server.output()).not.toContain('@')
    })

    test('the tries are minutes apart, then hours, and end after a day: what is lost then is logged and counted', async () => {
      const person = await signUp(server, newEmail('day'))
      await sink.mailTo(person.email)
      await becomes(waiting, [])
      answers.set(person.email, 450)
      const lost = await metric('openall_mails_total{result="lost"}')
      await person.api('POST', '/api/auth/send-verification-email', { email: person.email })
      const waits: number[] = []
      for (;;) {
        await allTried(server)
        const [row] = await server.sql('SELECT due_at - ? AS wait FROM mails', [Date.now()])
        if (row === undefined) break
        const minutes = Math.round(Number(row.wait) / MINUTE_MS)
        waits.push(minutes)
        await later(minutes * MINUTE_MS + 1000)
      }
      // The link works for 24 hours, so the try after 24 hours is none any more.
      expect(waits).toEqual([1, 4, 5, 20, 30, 60, 120, 240, 480])
      expect(refused.get(person.email)).toBe(10)
      await becomes(() => metric('openall_mails_total{result="lost"}'), lost + 1)
      expect(server.output()).toContain('a mail could not be sent, and is given up')
      expect(await metric('openall_mails_total{result="retried"}')).toBeGreaterThan(8)
    })

    test('a mail that is refused for good (550) is not tried again, and the log does not say whose it was', async () => {
      const before = await metric('openall_mails_total{result="refused"}')
      const email = await refusedLink(550)
      await becomes(waiting, [])
      expect(refused.get(email)).toBe(1)
      expect(await metric('openall_mails_total{result="refused"}')).toBe(before + 1)
      expect(server.output()).toContain(
        '"status":550,"reason":"Can\'t send mail - all recipients were rejected: 550 <(an address)>: not now"',
      )
    })

    test('no link is sent after its end, which its mail tells; that it was lost is counted', async () => {
      const before = await metric('openall_mails_total{result="lost"}')
      const email = await refusedLink(451)
      answers.delete(email)
      await later(15 * MINUTE_MS)
      await becomes(waiting, [])
      expect(mailsTo(email)).toEqual([])
      await becomes(() => metric('openall_mails_total{result="lost"}'), before + 1)
      const told = newEmail()
      await link(told)
      const [, until = ''] =
        /It works once, until (.*) UTC\./.exec((await sink.mailTo(told)).text.replaceAll('\r\n', ' ')) ?? []
      const left = Date.parse(`${until} UTC`.replace(',', '')) - Date.now()
      expect(left).toBeWithin(13.5 * MINUTE_MS, 15 * MINUTE_MS + 1)
    })

    test('after an hour without the mail server, or one that hangs up, nothing is lost and nothing comes twice', async () => {
      await becomes(waiting, [])
      await sink.stop()
      const first = await signUp(server, newEmail('down'))
      const hangsUp: TcpServer = createServer((socket) => socket.on('error', () => {}).end())
      await eventually(
        () => server.output().includes('ECONNREFUSED') || server.output().includes('ESOCKET'),
        'it was tried',
      )
      await new Promise<void>((resolve) => hangsUp.listen(port, '127.0.0.1', resolve))
      const second = await signUp(server, newEmail('down'))
      const bundleFor = newEmail('down')
      expect((await new Visitor(server).api('POST', '/api/links', { urls: [URL_A], email: bundleFor })).status).toBe(
        201,
      )
      await eventually(() => server.output().includes('ECONNECTION'), 'it hung up')
      await becomes(() => metric('openall_mails_waiting'), 3)
      await new Promise((resolve) => hangsUp.close(resolve))
      await server.sql('UPDATE mails SET created_at = created_at - ?, due_at = due_at - ? RETURNING 1', [
        HOUR_MS,
        HOUR_MS,
      ])
      await eventually(
        async () => (await metric('openall_mails_oldest_seconds')) >= 3600,
        'the oldest has waited an hour',
      )
      await start()
      await later(MINUTE_MS)
      for (const email of [first.email, second.email, bundleFor])
        expect((await sink.mailTo(email)).recipients).toEqual([email])
      await becomes(waiting, [])
      expect(sink.mails).toHaveLength(3)
    })

    test('a mail of a process that died while it sent it is sent once its lease has ended', async () => {
      const email = await refusedLink(451)
      await allTried(server)
      answers.delete(email)
      await server.sql("UPDATE mails SET lease = 'of a dead process', due_at = ? RETURNING 1", [
        Date.now() + 2 * MINUTE_MS,
      ])
      await server.sql('UPDATE mails SET due_at = due_at - ? RETURNING 1', [2 * MINUTE_MS])
      await sink.mailTo(email)
      await becomes(waiting, [])
      expect(mailsTo(email)).toHaveLength(1)
    })

    test('what waits holds neither address nor link in the clear, and goes with the account', async () => {
      const person = await newPerson()
      answers.set(person.email, 451)
      await person.api('POST', '/api/auth/request-password-reset', { email: person.email })
      const [stored] = await server.sql('SELECT hex(sealed) AS sealed, user_id, recipient FROM mails')
      expect(stored).toMatchObject({ user_id: person.userId, recipient: expect.not.stringContaining('@') })
      const sealed = Buffer.from(String(stored?.sealed), 'hex').toString('latin1')
      expect(['/password/', person.email].filter((text) => sealed.includes(text))).toEqual([])
      await allTried(server)
      const { status } = await person.api('POST', '/api/auth/delete-user', { password: PASSWORD })
      expect([status, await waiting()]).toEqual([200, []])
    })

    test('a reset does the same for an address without an account: a link that nobody knows, a mail that nobody gets', async () => {
      const person = await newPerson()
      const before = sink.mails.length
      const stored = async () => {
        const [row] = await server.sql(
          "SELECT (SELECT count(*) FROM verification) AS links, (SELECT seq FROM sqlite_sequence WHERE name = 'mails') AS mails",
        )
        return [Number(row?.links), Number(row?.mails)] as const
      }
      const changes: number[][] = []
      const bodies: unknown[] = []
      for (const email of [person.email, newEmail('nobody')]) {
        const [links, mails] = await stored()
        const { body, status } = await new Visitor(server).api('POST', '/api/auth/request-password-reset', { email })
        const [linksAfter, mailsAfter] = await stored()
        changes.push([status, linksAfter - links, mailsAfter - mails])
        bodies.push(body)
      }
      expect(changes).toEqual(Array(2).fill([200, 1, 1]))
      expect(bodies[1]).toEqual(bodies[0])
      await sink.mailTo(person.email, 'Set a password')
      await becomes(waiting, [])
      expect(sink.mails).toHaveLength(before + 1)
    })

    test('fifty mails wait for one address at most', async () => {
      const email = await refusedLink(451)
      await server.sql(
        'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 49) INSERT INTO mails (recipient, sealed, bytes, created_at, ends_at, due_at) SELECT recipient, sealed, bytes, created_at, ends_at, due_at FROM mails, n RETURNING 1',
      )
      expect((await link(email)).status).toBe(200)
      expect(await waiting()).toHaveLength(50)
      expect(server.output()).toContain('a mail was not sent: too many wait for its address')
      await server.sql('DELETE FROM mails RETURNING 1')
    })

    test('while ten thousand wait, no further mail can be asked for, and who asks is told', async () => {
      await server.sql(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) INSERT INTO mails (recipient, sealed, bytes, created_at, ends_at, due_at) SELECT i, x'00', 1, ?1, ?2, ?2 FROM n",
        [Date.now(), Date.now() + HOUR_MS],
      )
      await becomes(() => metric('openall_mails_waiting'), 10_000)
      const asked = await link(newEmail())
      expect([asked.status, asked.body]).toEqual([
        429,
        expect.objectContaining({
          code: 'RATE_LIMITED',
          error: 'Too many emails are waiting to be sent. Try again in 10 minutes.',
        }),
      ])
      const made = await new Visitor(server).api<{ warning: string }>('POST', '/api/links', {
        urls: [URL_A],
        email: newEmail(),
      })
      expect([made.status, made.body.warning]).toEqual([
        201,
        expect.stringContaining('No email was sent: too many are waiting to be sent.'),
      ])
      await server.sql('DELETE FROM mails')
    })
  },
)
