import { beforeAll, expect, test } from 'bun:test'
import { onEveryTarget } from '../targets.ts'
import { ask, confirm, mint, newBundle, newPerson, type Person, revoke, signUp } from './people.ts'
import { requestText, START_MS, sendEvent, sendRaw, statusOf, URL_OK } from './support.ts'

const WRITE = { urls: [URL_OK] }
onEveryTarget({}, (server) => {
  let person: Person
  beforeAll(async () => {
    person = await newPerson(server())
  }, START_MS)

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
      body: new URLSearchParams({ urls: URL_OK, url: URL_OK }),
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
