import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, requestText, statusOf, URL_OK } from '../contract/support.ts'
import { newEmail, signUp } from '../people.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'

const PATIENCE_MS = 180_000
const folder = mkdtempSync(join(tmpdir(), 'openall-stop-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Halves {
  /** Resolves once the first half has left. */
  begun: Promise<void>
  sendRest(): void
  /** Resolves to the answer's status once the server has closed the connection. */
  status: Promise<number | null>
}

/** Sends a request in two halves. */
function inHalves({ origin }: Server, text: string): Halves {
  const half = Math.floor(text.length * 0.9)
  const socket = connect(Number(new URL(origin).port), 'localhost')
  let answer = ''
  socket.on('data', (chunk) => (answer += chunk))
  socket.on('error', () => {})
  return {
    begun: new Promise((resolve) => socket.on('connect', () => socket.write(text.slice(0, half), () => resolve()))),
    sendRest: () => void socket.write(text.slice(half)),
    status: new Promise((resolve) => socket.on('close', () => resolve(statusOf(answer)))),
  }
}

for (const runtime of RUNTIMES) {
  test(
    `on ${runtime} SIGTERM lets running requests finish, accepts no others, and what was answered is stored`,
    async () => {
      const server = await startServer({
        runtime,
        database: join(folder, `${runtime}.db`),
        env: { LOG_LEVEL: 'error' },
      })
      const { host } = new URL(server.origin)
      // The first loads what accounts need: requests arriving meanwhile are not accepted yet.
      const first = await signUp(server)
      const idle = connect(Number(new URL(server.origin).port), 'localhost')
      idle.on('error', () => {})
      const from = performance.now()
      const second = await signUp(server)
      const signUpMs = performance.now() - from
      // Password hashing is slow on purpose: these run for long, and the last waits for the first. On a busy machine fewer,
      // because all must end within the ten seconds that running requests get.
      const count = Math.min(6, Math.max(1, Math.floor(2_500 / signUpMs)))
      const emails = Array.from({ length: count }, () => newEmail('stop'))
      const signUps = emails.map((email) =>
        signUp(server, email).then(
          () => 'answered',
          (error: Error) => error.message,
        ),
      )
      const body = JSON.stringify({ urls: [URL_OK], title: 'in halves' })
      const head = { host, 'content-type': 'application/json', 'content-length': String(body.length) }
      const halves = Array.from({ length: 10 }, () => inHalves(server, requestText('POST', '/api/links', head, body)))
      await Promise.all(halves.map(({ begun }) => begun))
      await Bun.sleep(400)
      // Requests are accepted in the order in which they come, so the earlier ones are running now.
      for (let sent = 0; sent < 3; sent += 1) expect((await fetch(`${server.origin}/healthz`)).status).toBe(200)
      const negotiatedAt = performance.now()
      const stopped = server.stop().then((code) => ({ code, ms: performance.now() - negotiatedAt }))
      await Bun.sleep(200)
      for (const { sendRest } of halves) sendRest()
      expect(await Promise.all(signUps)).toEqual(emails.map(() => 'answered'))
      const statuses = await Promise.all(halves.map(({ status }) => status))
      const made = statuses.filter((status) => status === 201).length
      // Deno breaks off bodies that are still arriving: the client is told, and nothing is done.
      expect(statuses.filter((status) => status !== 201 && !(runtime === 'deno' && status === 400))).toEqual([])
      expect(await create(server, { urls: [URL_OK] }).catch(() => 'refused')).toBe('refused')
      const { code, ms } = await stopped
      expect(code).toBe(0)
      // Idle connections are not waited for.
      expect(ms).toBeLessThan(10_000)
      idle.destroy()
      expect(await server.sql("SELECT count(*) AS n FROM bundles WHERE title = 'in halves'")).toEqual([{ n: made }])
      const stored = await server.sql('SELECT email FROM user ORDER BY 1')
      expect(stored.map(({ email }) => email)).toEqual(
        [first, second]
          .map(({ email }) => email)
          .concat(emails)
          .sort(),
      )
    },
    PATIENCE_MS,
  )
}
