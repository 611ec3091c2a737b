import { expect } from 'bun:test'
import { rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { ask, mint } from '../contract/people.ts'
import { eventually } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { RUNTIMES, type Runtime, type Server, startServer } from '../server.ts'
import { concurrentTest } from './lanes.ts'

// Tests that need long waits, all at once because they use no processor.

const PATIENCE_MS = 180_000
/** How long running requests may take after a stop was requested. */
const STOP_WITHIN_MS = 10_000
/** How late `lastUsedAt` may be. */
const USES_WITHIN_MS = 60_000

/** A person whose export exceeds the socket buffers on both ends: 400 versions of 50 KB. */
async function withMuch(server: Server): Promise<Person> {
  const person = await newPerson(server)
  const urls = Array.from({ length: 25 }, (_, index) => `https://a.example/${index}/`.padEnd(2048, 'x'))
  await person.makeBundle({ urls })
  // Sequentially they would take longer than the measured time.
  await server.sql(`INSERT INTO bundle_versions (bundle_id, version_number, urls, urls_part, url_metadata, url_metadata_part, edited_by, edited_at, bytes)
    WITH RECURSIVE number(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM number WHERE n < 400)
    SELECT bundle_id, n, urls, urls_part, url_metadata, url_metadata_part, edited_by, edited_at, bytes
    FROM bundle_versions, number WHERE version_number = 1
    RETURNING 1`)
  return person
}

interface Download {
  socket: Socket
  /** The bytes received so far. */
  bytes(): number
  /** The end of what was received. */
  tail(): string
  /** Resolves once the server has closed the connection. */
  closed: Promise<void>
}

/** Requests the export and reads the beginning of the answer; resuming the socket reads on. */
async function download({ origin }: Server, person: Person): Promise<Download> {
  const { port, host } = new URL(origin)
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const socket = connect(Number(port), 'localhost', () =>
    socket.write(`GET /api/me/export HTTP/1.1\r\nhost: ${host}\r\ncookie: ${cookie}\r\nconnection: close\r\n\r\n`),
  )
  let [bytes, tail] = [0, '']
  socket.on('data', (chunk) => {
    bytes += chunk.length
    tail = (tail + chunk.toString('latin1')).slice(-40)
  })
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  await eventually(() => bytes > 0, 'the download begins')
  socket.pause()
  return { socket, bytes: () => bytes, tail: () => tail, closed }
}

/** Whether the document is complete: the end of its JSON and of its chunks. */
const isWhole = ({ tail }: Download) => /\}\s*\r\n0\r\n\r\n$/.test(tail())

async function onServer(runtime: Runtime, run: (server: Server) => Promise<void>): Promise<void> {
  const server = await startServer({ runtime })
  try {
    await run(server)
  } finally {
    await server.kill()
    rmSync(dirname(server.database), { recursive: true, force: true })
  }
}

for (const runtime of RUNTIMES) {
  concurrentTest(
    `on ${runtime} SIGTERM waits for a download that ends within ten seconds`,
    () =>
      onServer(runtime, async (server) => {
        const person = await withMuch(server)
        const reader = await download(server, person)
        const stopped = server.stop()
        await Bun.sleep(0.75 * STOP_WITHIN_MS)
        const before = reader.bytes()
        reader.socket.resume()
        await reader.closed
        expect([isWhole(reader), reader.bytes() > before]).toEqual([true, true])
        expect(await stopped).toBe(0)
      }),
    PATIENCE_MS,
  )

  concurrentTest(
    `on ${runtime} SIGTERM waits ten seconds and no longer for one that never ends`,
    () =>
      onServer(runtime, async (server) => {
        const person = await withMuch(server)
        const reader = await download(server, person)
        const from = performance.now()
        expect(await server.stop()).toBe(0)
        const waited = performance.now() - from
        // Not early, and not much later: a process needs some time to exit.
        expect(waited).toBeGreaterThan(0.9 * STOP_WITHIN_MS)
        expect(waited).toBeLessThan(2 * STOP_WITHIN_MS)
        reader.socket.resume()
        await reader.closed
        expect(isWhole(reader)).toBeFalse()
      }),
    PATIENCE_MS,
  )

  concurrentTest(
    `on ${runtime} lastUsedAt reports a use within a minute`,
    () =>
      onServer(runtime, async (server) => {
        const { cookies } = await newPerson(server)
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const { rawKey, apiKey } = await mint(server, { cookie })
        const usedAt = Date.now()
        expect((await ask(server, 'GET /api/me', { key: rawKey })).status).toBe(200)
        const told = async () => {
          const { apiKeys } = (await ask(server, 'GET /api/me/keys', { cookie })).body
          return apiKeys.find(({ id }) => id === apiKey.id)?.lastUsedAt ?? null
        }
        await eventually(async () => (await told()) !== null, 'the use is told', USES_WITHIN_MS)
        const lastUsedAt = Date.parse((await told()) ?? '')
        expect([lastUsedAt >= usedAt, lastUsedAt <= Date.now()]).toEqual([true, true])
      }),
    PATIENCE_MS,
  )
}
