import { expect, test } from 'bun:test'
import { freePort } from '../ports.ts'
import { RUNTIMES, startServer } from '../server.ts'
import { newSlug, START_MS } from './support.ts'

const TOKEN = 'a metrics token of the tests'

for (const runtime of RUNTIMES) {
  test(
    `on ${runtime} metrics have their own listener, which answers to any host and serves nothing else`,
    async () => {
      const port = freePort()
      const server = await startServer({ runtime, env: { SERVICE_METRICS_PORT: String(port) } })
      const slug = await newSlug(server)
      await (await fetch(`${server.origin}/l/${slug}`)).text()
      const ask = (path: string, init?: RequestInit) => fetch(`http://localhost:${port}${path}`, init)
      const scraped = await ask('/metrics', { headers: { host: 'openall:9464' } })
      expect([scraped.status, scraped.headers.get('content-type')?.split(';')[0]]).toEqual([200, 'text/plain'])
      expect(await scraped.text()).toContain('openall_requests_total{route="launcher",status="200"} 1')
      for (const path of ['/', '/healthz', `/l/${slug}`, '/api/links', '/metrics/x'])
        expect([path, (await ask(path)).status]).toEqual([path, 404])
      expect((await ask('/metrics', { method: 'POST' })).status).toBe(405)
      // The service's own port requires a token.
      expect((await fetch(`${server.origin}/metrics`)).status).toBe(404)
      expect(await server.stop()).toBe(0)
      expect(await ask('/metrics').catch(() => 'closed')).toBe('closed')
    },
    START_MS,
  )
}

test('a configured token is required there too', async () => {
  const port = freePort()
  const env = { SERVICE_METRICS_PORT: String(port), SERVICE_METRICS_TOKEN: TOKEN }
  const server = await startServer({ env })
  const ask = async (authorization: string) =>
    (await fetch(`http://localhost:${port}/metrics`, { headers: { authorization } })).status
  expect([await ask('Bearer other'), await ask(`Bearer ${TOKEN}`)]).toEqual([401, 200])
  await server.stop()
})

test('a port in use stops the start with one line that names the setting', async () => {
  const taken = Bun.listen({ hostname: 'localhost', port: 0, socket: { data() {} } })
  const started = startServer({ env: { SERVICE_METRICS_PORT: String(taken.port) } })
  expect(
    await started.then(
      () => 'started',
      (error: Error) => error.message,
    ),
  ).toMatch(
    new RegExp(
      String.raw`^the server exited with 1: (?:\{[^\n]*\}\n)*Port ${taken.port} is in use: set SERVICE_METRICS_PORT to another\.\n$`,
    ),
  )
  taken.stop(true)
})
