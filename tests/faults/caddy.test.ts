import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newSlug, post, URL_OK } from '../contract/support.ts'
import { eventually } from '../eventually.ts'
import { need } from '../needs.ts'
import { freePort } from '../ports.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'

// Debian's Caddy with the configuration of deploy/, in front of one process, as on one machine, or two, as with compose.

const CADDYFILE = fileURLToPath(new URL('../../deploy/Caddyfile', import.meta.url))
/** Of each kind: who reads launchers, and who creates bundles. */
const CLIENTS = 6

const folder = mkdtempSync(join(tmpdir(), 'openall-caddy-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Caddy at `origin`, in front of the others. Without TLS: its redirect would take port 80. */
function startCaddy(origin: string, upstreams: readonly string[]) {
  need('caddy')
  return Bun.spawn(['caddy', 'run', '--adapter', 'caddyfile', '--config', CADDYFILE], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      SERVICE_BASE_URL: origin,
      UPSTREAM: upstreams.join(' '),
      // Several Caddies on one machine cannot share the default port.
      CADDY_ADMIN: `localhost:${freePort()}`,
    },
    stdout: 'ignore',
    stderr: 'ignore',
  })
}

/** What clients got, by status or error. */
type Statuses = Map<number | string, number>

/** Reads and creates through `origin` while `during` runs, which waits for `more` requests to succeed. */
async function inUse(origin: string, during: (more: () => Promise<void>) => Promise<void>) {
  const slug = await newSlug({ origin } as Server)
  const read = () => fetch(`${origin}/l/${slug}`).then((answer) => answer.text().then(() => answer.status))
  const write = () => post(`${origin}/api/links`, { urls: [URL_OK] }).then(({ status }) => status)
  const [reads, writes]: [Statuses, Statuses] = [new Map(), new Map()]
  let isOver = false
  const client = async (ask: () => Promise<number>, statuses: Statuses) => {
    while (!isOver) {
      const status = await ask().catch(String)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      await Bun.sleep(10)
    }
  }
  const clients = Array.from({ length: CLIENTS }, () => [client(read, reads), client(write, writes)]).flat()
  await during(async () => {
    const succeeded = () => Math.min(reads.get(200) ?? 0, writes.get(201) ?? 0)
    const before = succeeded()
    await eventually(() => succeeded() > before + 50, 'requests succeed')
  })
  isOver = true
  await Promise.all(clients)
  return { reads: [...reads.keys()], writes: [...writes.keys()], made: 1 + (writes.get(201) ?? 0) }
}

for (const runtime of RUNTIMES)
  for (const processes of [1, 2])
    test(`a restart of ${processes === 1 ? 'one process' : 'each of two'} on ${runtime} loses no request, whatever its method, and carries out none twice`, async () => {
      const origin = `http://localhost:${freePort()}`
      // As in production: the checks come by address, and the address that people use has another scheme.
      const env = { SERVICE_BASE_URL: origin.replace('http:', 'https:'), SERVICE_CLIENT_IP_HEADER: 'x-real-ip' }
      const as = { runtime, database: join(folder, `${runtime}-${processes}.db`) }
      const servers: Server[] = []
      for (let at = 0; at < processes; at += 1)
        servers.push(await startServer({ ...as, env: { ...env, SERVICE_DRAIN_MS: '1500' } }))
      const caddy = startCaddy(
        origin,
        servers.map((server) => new URL(server.origin).host),
      )
      try {
        const isUp = async () => (await fetch(`${origin}/readyz`).catch(() => null))?.ok === true
        await eventually(isUp, 'Caddy passes on')
        expect((await fetch(`${origin}/metrics`)).status).toBe(404)
        const { made, ...got } = await inUse(origin, async (more) => {
          for (const server of servers) {
            await more()
            expect(await server.stop()).toBe(0)
            await server.restart()
          }
          await more()
        })
        expect(got).toEqual({ reads: [200], writes: [201] })
        expect(await servers[0]?.sql('SELECT count(*) AS made FROM bundles')).toEqual([{ made }])
      } finally {
        caddy.kill()
        await caddy.exited
        for (const server of servers) await server.stop()
      }
    }, 180_000)

test('what has reached a process is not sent again, unless it changes nothing', async () => {
  const origin = `http://localhost:${freePort()}`
  const arrived: string[] = []
  const upstream = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (data) => {
      const [line = ''] = data.toString().split(' HTTP/')
      if (line === 'GET /healthz')
        return socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok')
      arrived.push(line)
      // It breaks the connection off once it has read a request, and answers the same one if it comes again.
      if (arrived.filter((other) => other === line).length < 2) return socket.destroy()
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok')
    })
  })
  const port = freePort()
  await new Promise<void>((resolve) => upstream.listen(port, '127.0.0.1', resolve))
  const caddy = startCaddy(origin, [`127.0.0.1:${port}`])
  try {
    const status = (path: string, method: string) =>
      fetch(origin + path, { method }).then(
        ({ status }) => status,
        () => 0,
      )
    await eventually(async () => (await status('/up', 'GET')) === 200, 'Caddy passes on')
    expect(await status('/read', 'GET')).toBe(200)
    // Without a body, so that nothing but the method forbids it.
    for (const method of ['POST', 'DELETE']) expect([method, await status('/write', method)]).toEqual([method, 502])
    expect(arrived.slice(-4)).toEqual(['GET /read', 'GET /read', 'POST /write', 'DELETE /write'])
  } finally {
    caddy.kill()
    await caddy.exited
    upstream.close()
  }
})
