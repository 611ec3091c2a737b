import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, requestText, statusOf, URL_OK } from '../contract/support.ts'
import { newEmail, signUp } from '../people.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'

const PATIENCE_MS = 90_000
const folder = mkdtempSync(join(tmpdir(), 'openall-stop-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Sends a request in two halves; resolves to its status once the server has closed the connection. */
function inHalves({ origin }: Server, text: string, pauseMs: number): Promise<number | null> {
  const half = Math.floor(text.length * 0.9)
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(Number(new URL(origin).port), 'localhost', () => {
      socket.write(text.slice(0, half))
      setTimeout(() => socket.write(text.slice(half)), pauseMs)
    })
    socket.on('data', (chunk) => (answer += chunk))
    socket.on('error', () => {})
    socket.on('close', () => resolve(statusOf(answer)))
  })
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
      // Password hashing is slow on purpose: these run for long, and the last waits for the first.
      const emails = Array.from({ length: 6 }, () => newEmail('stop'))
      const signUps = emails.map((email) =>
        signUp(server, email).then(
          () => 'answered',
          (error: Error) => error.message,
        ),
      )
      const body = JSON.stringify({ urls: [URL_OK], title: 'in halves' })
      const head = { host, 'content-type': 'application/json', 'content-length': String(body.length) }
      const halves = Array.from({ length: 10 }, () =>
        inHalves(server, requestText('POST', '/api/links', head, body), 600),
      )
      await Bun.sleep(400)
      const from = performance.now()
      const stopped = server.stop().then((code) => ({ code, ms: performance.now() - from }))
      expect(await Promise.all(signUps)).toEqual(emails.map(() => 'answered'))
      const statuses = await Promise.all(halves)
      const made = statuses.filter((status) => status === 201).length
      // Deno breaks off bodies that are still arriving: the client is told, and nothing is done.
      expect(statuses.filter((status) => status !== 201 && !(runtime === 'deno' && status === 400))).toEqual([])
      expect(await create(server, { urls: [URL_OK] }).catch(() => 'refused')).toBe('refused')
      const { code, ms } = await stopped
      expect(code).toBe(0)
      // Running requests get ten seconds (decisions 12); idle connections are not waited for.
      expect(ms).toBeLessThan(10_000)
      idle.destroy()
      expect(await server.sql("SELECT count(*) AS n FROM bundles WHERE title = 'in halves'")).toEqual([{ n: made }])
      const stored = await server.sql('SELECT email FROM user ORDER BY 1')
      expect(stored.map(({ email }) => email)).toEqual([first.email, ...emails].sort())
    },
    PATIENCE_MS,
  )
}
