import { beforeAll, expect, test } from 'bun:test'
import { onEveryTarget } from '../targets.ts'
import { ERROR_FIELDS } from '../told.ts'
import { type Answered, ask, mint, newBundle, newPerson, type Person } from './people.ts'
import { create, START_MS, URL_OK } from './support.ts'

const WINDOW = { SERVICE_RATE_LIMIT_WINDOW_MS: '600000', SERVICE_RATE_LIMIT_MAX_REQUESTS: '20' }
const together = <T>(count: number, send: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => send(index)))

/** The rate-limit headers of an answer. */
function fields({ headers }: Answered) {
  const [, q, w] = /^"perhr";q=(\d+);w=(\d+)$/.exec(headers.get('ratelimit-policy') ?? '') ?? []
  const [, r, t] = /^"perhr";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? []
  return { q: Number(q), w: Number(w), r: Number(r), t: Number(t) }
}

onEveryTarget(WINDOW, (server) => {
  let person: Person
  beforeAll(async () => {
    person = await newPerson(server())
  }, START_MS)

  test('of fifty simultaneous requests with a key of twenty per hour, exactly twenty pass', async () => {
    const { rawKey: key } = await mint(server(), person, { rateLimitPerHour: 20 })
    const slug = await newBundle(server(), person)
    const lines = ['GET /api/me', `GET /api/links/${slug}`, 'GET /api/me/links']
    const answers = await together(50, (index) => ask(server(), lines[index % 3]!, { key }))
    const passed = answers.filter(({ status }) => status === 200)
    expect(passed).toHaveLength(20)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(30)
    expect(passed.map((answer) => fields(answer).r).sort((a, b) => a - b)).toEqual([...Array(20).keys()])
  })

  test('every answer to a key reports its limit and what is left, refusals and empty answers too', async () => {
    const { rawKey: key } = await mint(server(), person, { rateLimitPerHour: 100, scopes: ['links:read'] })
    const slug = await newBundle(server(), person)
    const cases: [line: string, body: unknown, status: number][] = [
      ['GET /api/me', undefined, 200],
      [`POST /api/links/${slug}/events`, { kind: 'open_all' }, 204],
      ['POST /api/links', { urls: [URL_OK] }, 403],
      ['GET /api/me/links?limit=x', undefined, 400],
      ['GET /api/links/nobody123', undefined, 404],
      ['GET /api/me', undefined, 200],
    ]
    for (const [index, [line, body, status]] of cases.entries()) {
      const answer = await ask(server(), line, { key, body })
      const { q, w, r, t } = fields(answer)
      expect([line, answer.status, q, w, r]).toEqual([line, status, 100, 3600, 99 - index])
      expect(t).toBeWithin(3590, 3601)
      expect(answer.headers.get('retry-after')).toBeNull()
    }
  })

  test('429 says when to come back in both body and headers, before any other error', async () => {
    const { rawKey: key } = await mint(server(), person, { rateLimitPerHour: 1, scopes: ['links:read'] })
    expect((await ask(server(), 'GET /api/me', { key })).status).toBe(200)
    for (const line of [
      'GET /api/me',
      'POST /api/links',
      'POST /api/links/nobody123/events',
      'DELETE /api/me/keys?id=x',
    ]) {
      const answer = await ask(server(), line, { key, body: line.startsWith('POST') ? { urls: 7 } : undefined })
      const { retryAfterSeconds, code, error } = answer.body
      expect([line, answer.status, code]).toEqual([line, 429, 'RATE_LIMITED'])
      expect(Object.keys(answer.body).sort()).toEqual([...ERROR_FIELDS, 'retryAfterSeconds'].sort())
      expect(retryAfterSeconds).toBeWithin(3590, 3601)
      expect(error).toContain(`${retryAfterSeconds} seconds`)
      expect(answer.headers.get('retry-after')).toBe(String(retryAfterSeconds))
      expect(fields(answer)).toEqual({ q: 1, w: 3600, r: 0, t: retryAfterSeconds })
    }
    const mistyped = await ask(server(), 'GET /api/me', { key: `${key}x` })
    expect([mistyped.status, mistyped.headers.get('ratelimit')]).toEqual([401, null])
  })

  test('a key with a limit of 0 has no limit, and reports none', async () => {
    const { rawKey: key } = await mint(server(), person, { rateLimitPerHour: 0 })
    const answers = await together(60, () => ask(server(), 'GET /api/me', { key }))
    expect(answers.filter(({ status, headers }) => status !== 200 || headers.has('ratelimit'))).toEqual([])
  })

  test('a key uses only its own bucket: not another key’s, nor its address’s', async () => {
    const [one, other] = [
      await mint(server(), person, { rateLimitPerHour: 2 }),
      await mint(server(), person, { rateLimitPerHour: 100 }),
    ]
    const use = async (key: string) => (await ask(server(), 'GET /api/me', { key })).status
    expect([await use(one.rawKey), await use(one.rawKey), await use(one.rawKey)]).toEqual([200, 200, 429])
    const body = { urls: [URL_OK] }
    const byKey = await together(30, () => ask(server(), 'POST /api/links', { key: other.rawKey, body }))
    expect(byKey.filter(({ status }) => status !== 201)).toEqual([])
    const anonymous = await together(50, () => create(server(), body))
    expect(anonymous.filter(({ status }) => status === 201)).toHaveLength(20)
    expect(anonymous.filter(({ status }) => status === 429)).toHaveLength(30)
    expect((await ask(server(), 'POST /api/links', { key: other.rawKey, body })).status).toBe(201)
  })

  test('what a client has already costs a key nothing, 120 times a minute', async () => {
    const { rawKey: key } = await mint(server(), person, { rateLimitPerHour: 20 })
    const line = `GET /api/links/${await newBundle(server(), person)}`
    const first = await ask(server(), line, { key })
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
    for (let read = 0; read < 120; read += 1) {
      const answer = await ask(server(), line, { key, headers })
      expect([read, answer.status, fields(answer)]).toEqual([
        read,
        304,
        { q: 20, w: 3600, r: 19, t: expect.any(Number) },
      ])
    }
    // Those beyond are counted, and refused once none are left.
    const flood: Answered[] = []
    for (let read = 0; read < 20; read += 1) flood.push(await ask(server(), line, { key, headers }))
    expect(flood.map(({ status }) => status)).toEqual([...Array(19).fill(304), 429])
    expect(flood.map((answer) => fields(answer).r)).toEqual([...Array(19).keys(), 0].toSorted((a, b) => b - a))
  })

  test('a replayed answer counts like any request', async () => {
    const { rawKey: key } = await mint(server(), person, { rateLimitPerHour: 3 })
    const send = () =>
      ask(server(), 'POST /api/links', {
        key,
        body: { urls: [URL_OK] },
        headers: { 'idempotency-key': 'counted' },
      })
    const answers = [await send(), await send(), await send(), await send()]
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 429])
    expect(new Set(answers.slice(0, 3).map(({ body }) => body.slug)).size).toBe(1)
  })
})
