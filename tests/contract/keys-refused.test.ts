import { beforeAll, expect, test } from 'bun:test'
import { ask, confirm, mint, newBundle, newPerson, type Person, revoke, type Scope, signUp } from './people.ts'
import { onEveryRuntime, requestText, START_MS, sendEvent, sendRaw, statusOf, URL_OK } from './support.ts'

const WRITE = { urls: [URL_OK] }
const RESTORE = 'POST /api/links/:slug/restore'

/** Every operation that accepts a key, with its minimum scope, a body, and its status on success. */
const OPERATIONS: [line: string, scope: Scope | null, body: unknown, status: number][] = [
  ['POST /api/links', 'links:write', WRITE, 201],
  ['GET /api/links/:slug', 'links:read', undefined, 200],
  ['PATCH /api/links/:slug', 'links:write', { title: 'new' }, 200],
  ['GET /api/links/:slug/versions', 'links:read', undefined, 200],
  ['POST /api/links/:slug/versions/1/restore', 'links:write', undefined, 200],
  [RESTORE, 'links:write', undefined, 200],
  ['GET /api/me/links', 'links:read', undefined, 200],
  ['POST /api/links/:slug/events', null, { kind: 'open_all' }, 204],
  ['GET /api/me', null, undefined, 200],
  ['POST /api/me/keys', 'keys:admin', { name: 'minted' }, 201],
  ['GET /api/me/keys', 'keys:admin', undefined, 200],
  ['DELETE /api/me/keys?id=:id', 'keys:admin', undefined, 200],
  ['DELETE /api/links/:slug', 'links:write', undefined, 200],
]
const OPEN = ['POST /api/links', 'POST /api/links/:slug/events']
const NESTED: Scope[] = ['links:read', 'links:write', 'keys:admin']

onEveryRuntime({}, (server) => {
  let person: Person
  let fill: (line: string) => Promise<string>
  beforeAll(async () => {
    person = await newPerson(server())
    fill = async (line) => {
      const slug = line.includes(':slug') ? await newBundle(server(), person) : ''
      const id = line.includes(':id') ? (await mint(server(), person)).apiKey.id : ''
      return line.replace(':slug', slug).replace(':id', String(id))
    }
  }, START_MS)

  const refused = (body: object) => expect(body).toEqual({ error: expect.any(String), code: 'UNAUTHORIZED' })

  test('a key may do what its scope allows, and is told which scope it lacks', async () => {
    for (const [index, scope] of NESTED.entries()) {
      const { rawKey: key } = await mint(server(), person, { scopes: [scope] })
      for (const [line, needed, body, status] of OPERATIONS) {
        const answer = await ask(server(), await fill(line), { key, body })
        const mayPass = needed === null || index >= NESTED.indexOf(needed)
        expect([scope, line, answer.status]).toEqual([scope, line, mayPass ? status : 403])
        if (!mayPass) expect(answer.body as object).toEqual({ error: `needs scope ${needed}`, code: 'FORBIDDEN' })
      }
    }
  })

  test('without a credential every route that needs one is 401 and says how to send it', async () => {
    for (const [line, , body] of OPERATIONS.filter(([line]) => !OPEN.includes(line))) {
      const answer = await ask(server(), await fill(line), { body })
      expect([line, answer.status, answer.headers.get('www-authenticate')]).toEqual([line, 401, 'Bearer'])
      refused(answer.body)
      expect(answer.headers.get('ratelimit')).toBeNull()
    }
  })

  test('an invalid key is 401 on every route, even public ones, and a cookie sent along does not help', async () => {
    const { rawKey } = await mint(server(), person)
    const other = await mint(server(), person)
    const secretOfOther = rawKey.split('.')[0] + other.rawKey.slice(other.rawKey.indexOf('.'))
    for (const [line, , body] of OPERATIONS) {
      const filled = await fill(line)
      for (const key of [`${rawKey.slice(0, -1)}${rawKey.endsWith('A') ? 'B' : 'A'}`, secretOfOther, 'x']) {
        const answer = await ask(server(), filled, { key, body, cookie: person.cookie })
        expect([line, answer.status, answer.headers.get('www-authenticate')]).toEqual([line, 401, 'Bearer'])
        refused(answer.body)
      }
    }
  })

  test('401 for an invalid key comes before any other error', async () => {
    const headers = { 'idempotency-key': 'ä', 'if-match': 'nonsense', authorization: 'Bearer wrong' }
    for (const line of [
      'POST /api/links',
      'POST /api/me/keys',
      'PATCH /api/links/nobody',
      'DELETE /api/me/keys?id=x',
    ]) {
      const answer = await fetch(server().origin + line.split(' ')[1], {
        method: line.split(' ')[0]!,
        headers: { ...headers, 'content-type': 'text/plain', 'sec-fetch-site': 'cross-site' },
        body: '{',
      })
      expect([line, answer.status]).toEqual([line, 401])
    }
  })

  test('pages that act refuse an invalid key with a page, and pages that only show ignore it', async () => {
    const headers = { authorization: 'Bearer wrong' }
    const posted = await fetch(server().origin, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ urls: URL_OK }),
    })
    expect([posted.status, posted.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8'])
    const slug = await newBundle(server(), person)
    for (const path of ['/', `/l/${slug}`, '/healthz', '/sign-in']) {
      expect([path, (await fetch(server().origin + path, { headers })).status]).toEqual([path, 200])
    }
  })

  test('the scheme is case-insensitive and allows extra spaces; anything but a single Bearer key is 401', async () => {
    const { rawKey } = await mint(server(), person)
    const spaced = rawKey.replace('.', ' .')
    const cases: [header: string, status: number][] = [
      [`Bearer ${rawKey}`, 200],
      [`bearer ${rawKey}`, 200],
      [`BEARER   ${rawKey}  `, 200],
      [rawKey, 401],
      ['', 401],
      ['Bearer', 401],
      ['Bearer ', 401],
      [`Bearer${rawKey}`, 401],
      [`Basic ${btoa(`x:${rawKey}`)}`, 401],
      [`Token ${rawKey}`, 401],
      [`Bearer ${spaced}`, 401],
      [`Bearer "${rawKey}"`, 401],
      [`Bearer ${rawKey}, Bearer ${rawKey}`, 401],
      [`Bearer ${rawKey.toLowerCase()}`, 401],
      [`Bearer ${rawKey}\u00e4`, 401],
      [`Bearer ${rawKey.replace('oa_', '\u00f6a_')}`, 401],
      [`Bearer ${'x'.repeat(10_240)}`, 401],
      [`Bearer ${rawKey}${' '.repeat(5000)}x`, 401],
    ]
    for (const [authorization, status] of cases) {
      const raw = await sendRaw(
        server(),
        Buffer.from(requestText('GET', '/api/me', { host: new URL(server().origin).host, authorization }), 'latin1'),
      )
      expect([authorization.slice(0, 80), statusOf(raw)]).toEqual([authorization.slice(0, 80), status])
    }
  })

  test('a typo anywhere in a key is refused', async () => {
    const { rawKey } = await mint(server(), person)
    const slips = Array.from(rawKey, (character, at) => {
      const other = character === '7' ? '8' : '7'
      return rawKey.slice(0, at) + other + rawKey.slice(at + 1)
    })
    const swapped = rawKey.slice(0, -2) + rawKey.at(-1) + rawKey.at(-2)
    const wrong = [...slips, swapped, rawKey.slice(0, -1), `${rawKey}0`].filter((key) => key !== rawKey)
    const answers = await Promise.all(wrong.map((key) => ask(server(), 'GET /api/me', { key })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
    expect((await ask(server(), 'GET /api/me', { key: rawKey })).status).toBe(200)
  })

  test('a key takes precedence over a cookie: it acts for its own subject, from another site too', async () => {
    const other = await newPerson(server())
    const { rawKey } = await mint(server(), other)
    const sending = { key: rawKey, cookie: person.cookie }
    expect((await ask(server(), 'GET /api/me', sending)).body.subject.userId).toBe(other.userId)
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    expect((await ask(server(), 'POST /api/links', { ...sending, headers, body: WRITE })).status).toBe(201)
    const byCookie = await ask(server(), 'POST /api/links', { cookie: person.cookie, headers, body: WRITE })
    expect([byCookie.status, byCookie.body.code]).toEqual([403, 'FORBIDDEN'])
    const minting = await ask(server(), 'POST /api/me/keys', { cookie: person.cookie, headers, body: { name: 'n' } })
    expect(minting.status).toBe(403)
  })

  test('a key reaches only its own subject’s bundles and keys', async () => {
    const { rawKey: key } = await mint(server(), person, { scopes: ['keys:admin'] })
    const other = await newPerson(server())
    const theirs = await newBundle(server(), other)
    const theirKey = await mint(server(), other)
    const unclaimed = await newBundle(server(), {})
    for (const [slug, error] of [
      [theirs, 'you do not own this bundle'],
      [unclaimed, 'claim'],
    ] as const) {
      for (const [line, , body] of OPERATIONS.filter(([line]) => line.includes(':slug') && !line.includes('events'))) {
        const answer = await ask(server(), line.replace(':slug', slug), { key, body })
        expect([line, answer.status, answer.body.code]).toEqual([line, 403, 'FORBIDDEN'])
        expect(answer.body.error).toContain(error)
      }
    }
    expect((await ask(server(), `DELETE /api/me/keys?id=${theirKey.apiKey.id}`, { key })).status).toBe(404)
    expect((await ask(server(), 'GET /api/me', { key: theirKey.rawKey })).status).toBe(200)
    const listed = (await ask(server(), 'GET /api/me/keys', { key })).body.apiKeys
    expect(listed.some(({ id }) => id === theirKey.apiKey.id)).toBeFalse()
  })

  test('a key with keys:admin mints and revokes keys, including itself; the keys it minted outlive it', async () => {
    const admin = await mint(server(), person, { scopes: ['keys:admin'] })
    const child = await ask(server(), 'POST /api/me/keys', { key: admin.rawKey, body: { name: 'child' } })
    const own = await ask(server(), `DELETE /api/me/keys?id=${admin.apiKey.id}`, { key: admin.rawKey })
    expect([own.status, typeof own.body.apiKey.revokedAt]).toEqual([200, 'string'])
    expect((await ask(server(), 'GET /api/me/keys', { key: admin.rawKey })).status).toBe(401)
    expect((await ask(server(), 'GET /api/me', { key: child.body.rawKey })).body.subject.userId).toBe(person.userId)
  })

  test('a revoked key is refused on the very next request, however busy it is', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { apiKey, rawKey: key } = await mint(server(), person, { rateLimitPerHour: 0 })
      let isDone = false
      const busy = Array.from({ length: 8 }, async () => {
        while (!isDone) await ask(server(), 'GET /api/me', { key })
      })
      await Bun.sleep(10)
      await revoke(server(), person, apiKey.id)
      const after = await Promise.all(Array.from({ length: 10 }, () => ask(server(), 'GET /api/me', { key })))
      isDone = true
      await Promise.all(busy)
      expect(after.map(({ status }) => status)).toEqual(Array(10).fill(401))
      expect((await sendEvent(server(), 'nobody123', { authorization: `Bearer ${key}` })).status).toBe(401)
    }
  })

  test('a key of a deleted account is refused', async () => {
    const leaver = await signUp(server())
    await confirm(server(), leaver)
    const { rawKey: key } = await mint(server(), leaver)
    expect((await ask(server(), 'GET /api/me', { key })).status).toBe(200)
    const body = { password: 'correct horse battery' }
    const gone = await ask(server(), 'POST /api/auth/delete-user', { cookie: leaver.cookie, body })
    expect(gone.status).toBe(200)
    expect((await ask(server(), 'GET /api/me', { key })).status).toBe(401)
  })
})
