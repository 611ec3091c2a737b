import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { command, RUNTIMES, type Server, startServer, TARGETS } from '../server.ts'
import { startOn } from '../targets.ts'
import { requestText, START_MS, sendRaw, statusOf } from './support.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What a Host header may hold besides the service’s own name: an address, a name inside a cluster, or anything. */
const HOSTS = ['127.0.0.1', '127.0.0.1:3000', '[::1]', '[::1]:3000', '10.0.0.7:8080', 'localhost', 'LOCALHOST:3000']
  .concat(['x', 'x:1', 'go', 'openall', 'openall.default.svc.cluster.local', 'GO.EXAMPLE.COM', 'go.example.com:443'])
  .concat('a'.repeat(200))

/** The base addresses with which a service is told apart from one that nobody but this machine sees. */
const BASES = { http: 'http://go.example.com', https: 'https://go.example.com', port: 'https://go.example.com:8443' }

for (const target of TARGETS) {
  for (const [scheme, base] of Object.entries(BASES)) {
    describe(`${target.name}, with the base address ${base}`, () => {
      let server: Server
      beforeAll(async () => {
        server = await startOn(target, { SERVICE_BASE_URL: base })
      }, START_MS)
      afterAll(() => server?.stop())
      const ask = (host: string, path: string, method = 'GET') =>
        sendRaw(server, requestText(method, path, { host, ...(method === 'POST' ? { 'content-length': '0' } : {}) }))
      const endOf = (raw: string) => raw.slice(raw.indexOf('\r\n\r\n') + 4)

      test('/healthz and /readyz answer under any Host', async () => {
        const own = new URL(base).host
        for (const host of [own, ...HOSTS]) {
          for (const [path, says] of Object.entries({ '/healthz': 'ok', '/readyz': 'ready' })) {
            for (const end of ['', '?from=probe']) {
              const raw = await ask(host, path + end)
              expect([host, path, statusOf(raw), endOf(raw)]).toEqual([host, path, 200, says])
            }
            const head = await ask(host, path, 'HEAD')
            expect([host, path, statusOf(head), endOf(head)]).toEqual([host, path, 200, ''])
            expect([host, path, statusOf(await ask(host, path, 'POST'))]).toEqual([host, path, 405])
            // A probe that names a whole address, as a proxy is asked.
            const absolute = await ask(host, `http://10.0.0.7:8080${path}`)
            expect([host, path, statusOf(absolute)]).toEqual([host, path, 200])
          }
        }
        const nameless = await sendRaw(server, 'GET /healthz HTTP/1.0\r\n\r\n')
        // Deno refuses it by itself.
        expect([200, 400]).toContain(statusOf(nameless) ?? 0)
      })

      test('all else answers under its own alone, with its port or without where that is the scheme’s', async () => {
        const own = new URL(base)
        const usual = { http: '80', https: '443' }[own.protocol.slice(0, -1)]
        const names = [own.host, own.host.toUpperCase(), ...(own.port === '' ? [`${own.host}:${usual}`] : [])]
        for (const path of ['/', '/sign-in', '/docs/api', '/api/openapi.json', '/robots.txt']) {
          for (const name of names) expect([name, path, statusOf(await ask(name, path))]).toEqual([name, path, 200])
          const absolute = await ask(own.host, `${base}${path}`)
          expect([path, 'absolute', statusOf(absolute)]).toEqual([path, 'absolute', 200])
        }
        const { status: known } = await fetch(`${server.origin}/healthz`)
        expect([scheme, known]).toEqual([scheme, 200])
        const others = HOSTS.filter((host) => !names.some((name) => name.toLowerCase() === host.toLowerCase()))
        for (const host of others) {
          for (const path of ['/', '/healthz/x', '/healthzx', '/x/healthz', '/api/me?/healthz', '/metrics'])
            expect([host, path, statusOf(await ask(host, path))]).toEqual([host, path, 421])
        }
      })
    })
  }
}

for (const runtime of RUNTIMES) {
  test(
    `started on ${runtime} as in production, it is healthy to the image, to fly.toml and to openall-admin`,
    async () => {
      const fly = Bun.TOML.parse(readFileSync(join(ROOT, 'fly.toml'), 'utf8')) as {
        env: { SERVICE_BASE_URL: string }
        http_service: { checks: { method: string; path: string; headers?: Record<string, string> }[] }
      }
      const image = { NODE_ENV: 'production', HOST: '0.0.0.0' }
      const server = await startServer({ runtime, env: { ...image, SERVICE_BASE_URL: fly.env.SERVICE_BASE_URL } })
      const { port: PORT } = new URL(server.origin)
      try {
        for (const { method, path, headers = {} } of fly.http_service.checks) {
          const { status } = await fetch(`http://127.0.0.1:${PORT}${path}`, { method, headers })
          expect([path, status]).toEqual([path, 200])
        }
        const [, words = '[]'] =
          /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')) ?? []
        const [program, ...args] = JSON.parse(words) as string[]
        expect(program).toBe('/openall-server')
        // With the image’s settings, and with those of a service that this machine alone sees.
        for (const HOST of ['0.0.0.0', '127.0.0.1', 'localhost']) {
          const check = Bun.spawn([...command(runtime), join(ROOT, 'src/main.ts'), ...args], {
            env: { PATH: process.env.PATH, HOME: process.env.HOME, ...image, PORT, HOST },
            stdout: 'pipe',
            stderr: 'pipe',
          })
          const said = (await new Response(check.stdout).text()) + (await new Response(check.stderr).text())
          expect([HOST, said, await check.exited]).toEqual([HOST, 'The service is up.\n', 0])
        }
      } finally {
        await server.stop()
      }
    },
    START_MS,
  )
}
