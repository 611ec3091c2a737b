import { describe, expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { becomes, eventually } from '../eventually.ts'
import { startMailSink } from '../mail-sink.ts'
import { linkIn, newEmail, PASSWORD, signUp, Visitor } from '../people.ts'
import { freePort } from '../ports.ts'
import { RUNTIMES, startServer } from '../server.ts'
import { IS_FULL } from './full.ts'
import { concurrentTest } from './lanes.ts'

const PATIENCE_MS = 180_000
/** With other tests the machine itself may be slow; a silent mail server is given up after fifteen seconds. */
const ANSWER_WITHIN_MS = IS_FULL ? 2_500 : 8_000

describe.each(RUNTIMES.map((runtime) => ({ runtime })))('on $runtime', ({ runtime }) => {
  const ways: [string, boolean][] = [
    ['refuses connections', false],
    ['takes connections and says nothing', true],
  ]
  // Giving up a silent one takes a while, so the quick run does it once.
  concurrentTest.each(ways.filter(([, isSilent]) => IS_FULL || !isSilent || runtime === 'bun'))(
    'a mail server that %s delays nobody and is logged, and every mail is sent once it is back',
    async (_, isSilent) => {
      const port = freePort()
      const silent = isSilent ? Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }) : null
      const server = await startServer({ runtime, env: { SMTP_URL: `smtp://127.0.0.1:${port}` } })
      try {
        const visitor = new Visitor(server)
        const emails = [newEmail('away'), newEmail('away'), newEmail('away')] as const
        const person = await signUp(server)
        const sends = [
          () => visitor.api('POST', '/api/auth/sign-in/magic-link', { email: emails[0], callbackURL: '/' }),
          () => visitor.api('POST', '/api/links', { urls: ['https://a.example/'], email: emails[1] }),
          () => person.api('POST', '/api/auth/request-password-reset', { email: person.email, redirectTo: '/' }),
          () => person.api('POST', '/api/auth/sign-up/email', { email: emails[2], password: PASSWORD, name: 'x' }),
        ]
        for (const send of sends) {
          const from = performance.now()
          const { status } = await send()
          expect([status < 300, performance.now() - from < ANSWER_WITHIN_MS]).toEqual([true, true])
        }
        await eventually(() => server.output().includes('a mail could not be sent'), 'it is logged', 60_000)
        for (const email of [...emails, person.email]) expect(server.output()).not.toContain(email)
        silent?.stop(true)
        const sink = await startMailSink(port)
        // Those that are just being tried wait a minute after that.
        await eventually(async () => {
          await server.sql('UPDATE mails SET due_at = 1 WHERE lease IS NULL RETURNING 1')
          return emails.every((to) => sink.mails.some(({ recipients }) => recipients.includes(to)))
        }, 'every mail is sent')
        await sink.mailTo(person.email, 'Set a password')
        const email = newEmail('back')
        await visitor.api('POST', '/api/auth/sign-in/magic-link', { email, callbackURL: '/' })
        expect(linkIn(await sink.mailTo(email))).toStartWith('http')
        await sink.stop()
      } finally {
        silent?.stop(true)
        await server.kill()
      }
    },
    PATIENCE_MS,
  )

  concurrentTest.each(['SIGTERM', 'SIGKILL'])(
    'a mail that is being sent when %s ends the service is sent once by the next process',
    async (signal) => {
      const port = freePort()
      let calls = 0
      const socket = { open: () => void (calls += 1), data() {} }
      const silent = Bun.listen({ hostname: '127.0.0.1', port, socket })
      const folder = mkdtempSync(join(tmpdir(), 'openall-mail-'))
      const database = join(folder, 'openall.db')
      const server = await startServer({ runtime, database, env: { SMTP_URL: `smtp://127.0.0.1:${port}` } })
      try {
        const email = newEmail('cut-off')
        const asked = await new Visitor(server).api('POST', '/api/auth/sign-in/magic-link', { email, callbackURL: '/' })
        expect(asked.status).toBe(200)
        await eventually(() => calls > 0, 'the mail is being sent')
        await (signal === 'SIGTERM' ? server.stop() : server.kill())
        silent.stop(true)
        const sink = await startMailSink(port)
        await server.restart()
        // What the ended process had leased is free after some minutes.
        const isThere = () => sink.mails.some(({ recipients }) => recipients.includes(email))
        await eventually(async () => {
          if (!isThere()) await server.sql('UPDATE mails SET due_at = 1 RETURNING 1')
          return isThere()
        }, 'the mail is sent')
        await becomes(() => server.sql('SELECT id FROM mails'), [])
        expect(sink.mails.filter(({ recipients }) => recipients.includes(email))).toHaveLength(1)
        await sink.stop()
      } finally {
        silent.stop(true)
        await server.kill()
        rmSync(folder, { recursive: true })
      }
    },
    PATIENCE_MS,
  )
})
