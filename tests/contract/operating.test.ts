import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { METRICS_TOKEN, metricsOf } from '../metrics.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'
import { startSqld } from '../sqld.ts'
import { newSlug, post, requestText, START_MS, sendEvent, sendRaw, URL_OK } from './support.ts'

/** The promise is 2.5 seconds (docs/self-hosting.md); the machine may be busy. */
const READY_WITHIN_MS = 2_500 + 3_000

for (const runtime of RUNTIMES) {
  describe(`on ${runtime}`, () => {
    let server: Server
    beforeAll(async () => {
      server = await startServer({
        runtime,
        env: {
          SERVICE_METRICS_TOKEN: METRICS_TOKEN,
          SERVICE_REQUEST_ID_HEADER: 'x-edge-id',
          SERVICE_ACCESS_LOG: 'all',
          SERVICE_CLIENT_IP_HEADER: 'x-client',
          SERVICE_RATE_LIMIT_MAX_REQUESTS: '40',
        },
      })
    }, START_MS)
    afterAll(async () => {
      await server.stop()
    })
    const lines = () =>
      server
        .output()
        .split('\n')
        .filter((line) => line.includes('"msg":"request"') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as { id?: string; method: string; route: string; status: number; ms: number })

    test('metrics count answers by route and status, cached launchers, pending clicks, and refusals by limit', async () => {
      const slug = await newSlug(server)
      for (let view = 0; view < 5; view += 1) await (await fetch(`${server.origin}/l/${slug}`)).text()
      await sendEvent(server, slug)
      await fetch(`${server.origin}/l/nothing-here`)
      for (let sent = 0; sent < 42; sent += 1) {
        await post(`${server.origin}/api/links`, { urls: [URL_OK] }, { 'x-client': '192.0.2.44' })
      }
      await fetch(server.origin.replace('localhost', '127.0.0.1'))
      const metrics = await metricsOf(server)
      const sample = (name: string) => metrics.get(name)
      expect(sample('openall_requests_total{route="launcher",status="200"}')).toBe(5)
      expect(sample('openall_requests_total{route="launcher",status="404"}')).toBe(1)
      expect(sample('openall_requests_total{route="event",status="204"}')).toBe(1)
      expect(sample('openall_requests_total{route="api",status="201"}')).toBe(41)
      expect(sample('openall_requests_total{route="api",status="429"}')).toBe(2)
      expect(sample('openall_requests_total{route="refused",status="421"}')).toBeGreaterThan(0)
      expect(sample('openall_rate_limited_total{limit="address"}')).toBe(2)
      expect(sample('openall_launcher_cache_total{result="hit"}')).toBe(4)
      expect(sample('openall_launcher_cache_total{result="miss"}')).toBe(2)
      expect(sample('openall_store_errors_total')).toBe(0)
      expect(sample('openall_recorder_dropped_rows_total')).toBe(0)
      expect(metrics.has('openall_recorder_queue_rows')).toBeTrue()
      for (const what of ['claims', 'address_hashes', 'sessions', 'counter_batches']) {
        expect([what, sample(`openall_sweep_backlog_rows{what="${what}"}`)]).toEqual([what, 0])
        expect([what, sample(`openall_sweep_overdue_seconds{what="${what}"}`)]).toEqual([what, 0])
      }
      expect(sample('openall_sweep_failures_total')).toBe(0)
      expect(sample('openall_sweep_age_seconds')).toBeGreaterThanOrEqual(0)
      expect(sample('openall_request_duration_seconds_count{route="api"}')).toBe(43)
      expect(sample('openall_request_duration_seconds_sum{route="api"}')).toBeGreaterThan(0)
      expect(sample('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
    })

    test('metrics require their token', async () => {
      for (const authorization of ['', `Bearer ${METRICS_TOKEN}x`, `Basic ${METRICS_TOKEN}`, 'Bearer']) {
        const answer = await fetch(`${server.origin}/metrics`, { headers: { authorization } })
        expect([authorization, answer.status]).toEqual([authorization, 401])
        expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      }
    })

    test('every answer of the router has an id of its own; only the configured header can set it', async () => {
      const idOf = async (headers: Record<string, string>) =>
        (await fetch(`${server.origin}/api/me`, { headers })).headers.get('x-request-id')
      const own = [await idOf({}), await idOf({ 'x-request-id': 'forged' }), await idOf({ 'x-edge-id': 'not fit; {}' })]
      for (const id of own) expect(id).toMatch(/^[0-9a-f-]{36}$/)
      expect(new Set(own).size).toBe(3)
      expect(await idOf({ 'x-edge-id': '01HF/edge=1' })).toBe('01HF/edge=1')
    })

    test('an accepted click has no id, a refused one has', async () => {
      const click = async (kind: string) => {
        const body = JSON.stringify({ kind })
        const headers = { 'content-type': 'application/json' }
        const { status, headers: sent } = await fetch(`${server.origin}/api/links/nobody/events`, {
          method: 'POST',
          headers,
          body,
        })
        return { status, hasId: sent.has('x-request-id') }
      }
      expect(await click('open_all')).toEqual({ status: 204, hasId: false })
      expect(await click('other')).toEqual({ status: 400, hasId: true })
    })

    test('the access log has id, method, path pattern, status and time, and nothing personal', async () => {
      const slug = await newSlug(server)
      const headers = { 'x-client': '192.0.2.77', cookie: 'session=biscuit', 'user-agent': 'agent-to-find' }
      const me = await fetch(`${server.origin}/api/links/${slug}?q=query-to-find`, { headers })
      await fetch(`${server.origin}/claim/token-to-find`, { headers })
      for (let view = 0; view < 2; view += 1) await (await fetch(`${server.origin}/l/${slug}?q=1`, { headers })).text()
      await sendRaw(server, requestText('GET', '/', { host: 'host-to-find.example' }))
      const id = me.headers.get('x-request-id') ?? ''
      const since = () => {
        const seen = lines()
        const at = seen.findIndex((line) => line.id === id)
        return at === -1 ? [] : seen.slice(at)
      }
      await becomes(
        () => since().map(({ route, status }) => `${route} ${status}`),
        ['/api/links/: 401', '/claim/: 404', '/l/: 200', '/l/: 200', '/ 421'],
      )
      const { ms, ...line } = since()[0]!
      expect(line).toMatchObject({ id, method: 'GET', route: '/api/links/:', status: 401 })
      expect(ms).toBeGreaterThanOrEqual(0)
      for (const secret of ['to-find', slug, '192.0.2.77', 'biscuit', '127.0.0.1']) {
        expect([secret, server.output().includes(secret)]).toEqual([secret, false])
      }
    })
  })
}

test('without a token there are no metrics, and without the setting no access log', async () => {
  const server = await startServer()
  const answer = await fetch(`${server.origin}/metrics`, { headers: { authorization: 'Bearer ' } })
  expect(answer.status).toBe(404)
  const forged = await fetch(`${server.origin}/api/me`, {
    headers: { 'x-request-id': 'forged', 'x-edge-id': 'forged' },
  })
  expect(forged.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  await server.stop()
  expect(server.output()).not.toContain('"msg":"request"')
})

test('the access log for errors has only those, and a failure is logged with its request’s id', async () => {
  const server = await startServer({ env: { SERVICE_ACCESS_LOG: 'errors' } })
  const slug = await newSlug(server)
  await fetch(`${server.origin}/l/${slug}`)
  await server.sql('ALTER TABLE bundles RENAME TO gone')
  const failed = await post(`${server.origin}/api/links`, { urls: [URL_OK] })
  expect(failed.status).toBe(500)
  await server.stop()
  const logged = server
    .output()
    .split('\n')
    .filter((line) => line.includes(failed.headers.get('x-request-id') ?? '-'))
  expect(logged.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['a request failed', 'request'])
  expect(server.output().match(/"msg":"request"/g)).toHaveLength(1)
})

test('while the database is down readiness fails, liveness does not, and readiness recovers by itself', async () => {
  const sqld = await startSqld()
  const env = {
    DATABASE_URL: sqld.url,
    DATABASE_AUTH_TOKEN: sqld.token,
    SERVICE_SECRET: 'a secret of the tests, forty characters long',
    SERVICE_METRICS_TOKEN: METRICS_TOKEN,
  }
  const server = await startServer({ env, database: sqld.url })
  const ask = async (path: string) => {
    const startedAt = performance.now()
    const { status } = await fetch(`${server.origin}${path}`)
    expect([path, performance.now() - startedAt < READY_WITHIN_MS]).toEqual([path, true])
    return status
  }
  expect([await ask('/readyz'), await ask('/healthz')]).toEqual([200, 200])
  await sqld.kill()
  expect([await ask('/readyz'), await ask('/healthz')]).toEqual([503, 200])
  expect((await metricsOf(server)).get('openall_store_errors_total')).toBeGreaterThan(0)
  await sqld.restart()
  await becomes(() => ask('/readyz'), 200)
  // Stopped, not gone: it accepts connections and answers nothing.
  await sqld.freeze()
  expect([...(await Promise.all([ask('/readyz'), ask('/readyz')])), await ask('/healthz')]).toEqual([503, 503, 200])
  sqld.thaw()
  await becomes(() => ask('/readyz'), 200)
  await server.stop()
  await sqld.stop()
}, 180_000)
