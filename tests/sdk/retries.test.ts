import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { type ClientOptions, createClient } from '../../src/sdk/openall.ts'
import { startInProcess } from '../in-process.ts'
import { newPerson, URL_A } from '../people.ts'
import { freePort } from '../ports.ts'
import type { Server } from '../server.ts'
import { errorOf, mintKey } from './support.ts'

/** A proxy between client and service that decides what happens to each request in turn; later ones pass. */
type Fate = 'lose the answer' | 'never answer' | { status: number; headers?: Record<string, string>; body?: string }

let server: Server
let way: Bun.Server<undefined>
let key: string
let fates: Fate[] = []
let sent: Request[] = []

beforeAll(async () => {
  server = await startInProcess()
  key = await mintKey(await newPerson(server))
  way = Bun.serve({
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      sent.push(request.clone())
      const fate = fates.shift()
      if (fate === 'never answer') return new Promise<Response>(() => {})
      if (typeof fate === 'object') return new Response(fate.body ?? 'a proxy', fate)
      const { pathname, search } = new URL(request.url)
      const headers = new Headers(request.headers)
      headers.set('host', new URL(server.origin).host)
      const answer = await fetch(server.origin + pathname + search, {
        method: request.method,
        headers,
        body: request.body === null ? null : await request.text(),
      })
      return fate === 'lose the answer' ? new Response('gone', { status: 502 }) : answer
    },
  })
})
afterEach(() => {
  fates = []
  sent = []
})
afterAll(async () => {
  way.stop(true)
  await server.stop()
})

const client = (options: Partial<ClientOptions> = {}) =>
  createClient({ server: `http://localhost:${way.port}`, key, ...options })
const bundlesHeld = async () => (await client().listBundles({ limit: 100 })).bundles.length

test('a read is retried after a temporary failure, at most twice', async () => {
  fates = [{ status: 503 }, { status: 500 }]
  expect((await client().whoAmI()).role).toBe('admin')
  expect(sent).toHaveLength(3)
  fates = [{ status: 503 }, { status: 502 }, { status: 504 }]
  sent = []
  expect(await errorOf(client().whoAmI())).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 504 })
  expect(sent).toHaveLength(3)
})

test('a create whose answer was lost happens once: the retry carries the same key', async () => {
  const before = await bundlesHeld()
  fates = ['lose the answer']
  sent = []
  const { body, headers } = await client().createBundle.answer({ urls: [URL_A] })
  expect(headers.get('idempotency-replayed')).toBe('true')
  expect(sent).toHaveLength(2)
  const keys = sent.map((request) => request.headers.get('idempotency-key'))
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
  expect(keys[1]).toBe(keys[0]!)
  expect((await client().getBundle({ slug: body.slug })).urls).toEqual([URL_A])
  expect(await bundlesHeld()).toBe(before + 1)
})

test('calls that are unsafe to repeat are sent once', async () => {
  const { slug } = await client().createBundle({ urls: [URL_A] })
  sent = []
  for (const call of [
    () => client().transferBundle({ slug, to: { type: 'user', userId: 'x' } }),
    () => client().deleteBundle({ slug }),
    () => client().recordEvent({ slug, kind: 'open_all' }),
    () => client().rejectProposal({ slug, id: 'x' }),
    () => client().claimBundle({ token: 'x' }),
  ]) {
    fates = [{ status: 503 }]
    expect((await errorOf(call())).status).toBe(503)
  }
  expect(sent).toHaveLength(5)
  fates = [{ status: 503 }]
  expect((await client().restoreBundle({ slug })).slug).toBe(slug)
  expect(sent).toHaveLength(7)
})

test('a refusal is not retried', async () => {
  for (const call of [client().getBundle({ slug: 'no-such-bundle' }), client({ key: 'oa_x.y' }).whoAmI()]) {
    expect((await errorOf(call)).status).toBeOneOf([401, 404])
  }
  expect(sent).toHaveLength(2)
})

test('Retry-After is respected exactly, and not waited for if too long', async () => {
  fates = [{ status: 503, headers: { 'retry-after': '1' } }]
  const started = performance.now()
  await client({ maxWaitMs: 1000 }).whoAmI()
  expect(performance.now() - started).toBeGreaterThan(990)
  fates = [{ status: 503, headers: { 'retry-after': '2' } }]
  sent = []
  const error = await errorOf(client({ maxWaitMs: 1999 }).whoAmI())
  expect(error).toMatchObject({ status: 503, retryAfterSeconds: 2 })
  expect(sent).toHaveLength(1)
})

test('the limit on anonymous callers is waited for, even by calls that are unsafe to repeat', async () => {
  const narrow = { SERVICE_RATE_LIMIT_WINDOW_MS: '3000', SERVICE_RATE_LIMIT_MAX_REQUESTS: '1' }
  const limited = await startInProcess(narrow)
  try {
    const statuses: number[] = []
    const told: typeof fetch = Object.assign(
      async (...request: Parameters<typeof fetch>) => {
        const answer = await fetch(...request)
        statuses.push(answer.status)
        return answer
      },
      { preconnect: fetch.preconnect },
    )
    const anonymous = createClient({ server: limited.origin, fetch: told })
    const { slug } = await anonymous.createBundle({ urls: [URL_A] })
    await anonymous.recordEvent({ slug, kind: 'open_all' })
    expect(statuses).toEqual([201, 429, 204])
    expect(await errorOf(anonymous.createBundle({ urls: [URL_A] }, { retries: 0 }))).toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: expect.any(Number),
    })
  } finally {
    await limited.stop()
  }
})

test('an attempt that takes too long is aborted and retried', async () => {
  fates = ['never answer']
  expect((await client({ timeoutMs: 1000 }).whoAmI()).role).toBe('admin')
  fates = ['never answer', 'never answer']
  const error = await errorOf(client().whoAmI({}, { timeoutMs: 100, retries: 1 }))
  expect(error).toMatchObject({ code: 'TIMEOUT', status: 0 })
  expect(error.message).toContain('100 ms')
})

test('a signal aborts a call at once: before it is sent, while it runs and while it waits', async () => {
  const before = AbortSignal.abort('no longer needed')
  expect(await errorOf(client().whoAmI({}, { signal: before }))).toMatchObject({
    code: 'ABORTED',
    cause: 'no longer needed',
  })
  expect(sent).toHaveLength(0)
  for (const fate of ['never answer', { status: 503, headers: { 'retry-after': '30' } }] satisfies Fate[]) {
    fates = [fate]
    const started = performance.now()
    expect((await errorOf(client({ signal: AbortSignal.timeout(100) }).whoAmI())).code).toBe('ABORTED')
    // Otherwise either would run for thirty seconds.
    expect(performance.now() - started).toBeLessThan(15_000)
  }
})

test('a missing server and one that is not the service are distinguished', async () => {
  const nobody = createClient({ server: `http://localhost:${freePort()}`, key, retries: 0 })
  const error = await errorOf(nobody.whoAmI())
  expect(error).toMatchObject({ code: 'NETWORK_ERROR', status: 0 })
  expect(error.message).toContain('cannot be reached')
  fates = [{ status: 200, headers: { 'content-type': 'text/html' } }]
  expect((await errorOf(client().whoAmI())).code).toBe('UNEXPECTED_ANSWER')
  fates = [{ status: 200, headers: { 'content-type': 'application/json' }, body: '{"half' }]
  expect((await errorOf(client().whoAmI())).code).toBe('UNEXPECTED_ANSWER')
})

test('a redirect is not followed, so the key goes nowhere else', async () => {
  fates = [{ status: 301, headers: { location: 'https://elsewhere.example/api/me' } }]
  const error = await errorOf(client().whoAmI())
  expect(error).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 301 })
  expect(error.message).toContain('https://elsewhere.example/api/me')
  expect(sent).toHaveLength(1)
})

test('an invalid address or key is refused at once, and the key is not shown', () => {
  expect(() => createClient({ server: 'openall.example' })).toThrow('server must be an http: or https: address')
  expect(() => createClient({ server: 'file:///etc' })).toThrow('server must be')
  try {
    createClient({ server: server.origin, key: 'oa_secret\nof mine' })
    expect.unreachable()
  } catch (error) {
    expect(String((error as Error).stack)).not.toContain('secret')
  }
})
