import { describe, expect, test } from 'bun:test'
import { prng } from '../prng.ts'
import { onEveryTarget } from '../targets.ts'
import { create, requestText, sendRaw, statusOf, URL_OK } from './support.ts'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const REQUESTS = 4000
const AT_ONCE = 8

interface Sent {
  method: string
  path: string
  headers: Record<string, string>
  body: string | Uint8Array<ArrayBuffer> | null
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

const VALID: Json = {
  urls: ['https://a.example/', 'https://b.example/x?y=1#z'],
  urlMetadata: [{ note: 'A note', tags: ['one', 'two'], openPolicy: 'manual' }, {}],
  title: 'A title',
  description: 'Some\ttext\n',
  source: 'cli',
  email: 'someone@mail.example',
  resolutionPolicy: null,
}

const ODD: readonly Json[] = [
  ...[null, true, 0, -1, 1e308, 0.1, '', ' ', '\0', '\u202e', '\ufeff', '\ud83d\ude00', 'x'.repeat(5000), [], {}, [[]]],
  ...[
    '__proto__',
    'constructor',
    'javascript:alert(1)',
    'https://',
    'http://[::1',
    'https://a b',
    '//a.example',
    'NaN',
  ],
  ...[{ length: 3 }, { toString: 1 }, ['https://a.example'], Array(100).fill(null) as null[], '%00', "' OR 1=1 --"],
]

const PATHS = ['/', '/api', '/api/', '/api/links', '/api/links/', '/api/links/x/events', '/api/links/%zz/events']
const MORE_PATHS = [
  '/l/',
  '/l/x',
  '/l/%00',
  '/l/%ff%fe',
  '/l/../x',
  '/l/x/qr.svg',
  '/l/x/y/z',
  '/static/',
  '/static/%2e%2e',
]
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']
const TYPES = [
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  ';',
  '\u00e9',
  'a'.repeat(4000),
]
const HEADERS = [
  'idempotency-key',
  'service-client',
  'authorization',
  'accept-encoding',
  'content-encoding',
  'user-agent',
  'purpose',
  'range',
  'if-none-match',
  'cookie',
  'x-forwarded-for',
  'origin',
  'referer',
  'te',
  'hx-request',
]

/** Random invalid requests of every kind. */
function generator(random: () => number) {
  const below = (max: number) => Math.floor(random() * max)
  const pick = <T>(from: readonly T[]) => from[below(from.length)]!
  const bytes = (max: number) => Uint8Array.from({ length: below(max) }, () => below(256))
  const printable = (max: number) => Array.from(bytes(max), (byte) => String.fromCharCode(32 + (byte % 224))).join('')

  const mutated = (value: Json, rate: number): Json => {
    if (random() < rate / 3) return pick(ODD)
    if (Array.isArray(value)) {
      const items = value.map((item) => (random() < rate ? mutated(item, rate) : item))
      return random() < rate / 3 ? Array.from({ length: below(60) }, () => items[0] ?? pick(ODD)) : items
    }
    if (value === null || typeof value !== 'object') {
      return typeof value === 'string' && random() < 0.5 ? value.repeat(below(400)) + printable(9) : pick(ODD)
    }
    const fields = Object.entries(value).map(([name, inner]): [string, Json] => [
      random() < rate / 10 ? printable(30) : name,
      random() < rate ? mutated(inner, rate) : inner,
    ])
    if (random() < rate / 3) fields.push([pick(['__proto__', 'slug', '', 'URLS', '\ud800', printable(300)]), pick(ODD)])
    return Object.fromEntries(fields)
  }

  const broken = (text: string): Uint8Array<ArrayBuffer> => {
    const sent = new TextEncoder().encode(text)
    for (let changes = 1 + below(4); changes > 0; changes -= 1) sent[below(sent.length)] = below(256)
    return random() < 0.3 ? sent.slice(0, below(sent.length)) : sent
  }

  const body = (): Sent['body'] => {
    const kind = random()
    const text = JSON.stringify(mutated(VALID, pick([0.02, 0.1, 0.4])))
    if (kind < 0.5) return text
    if (kind < 0.75) return broken(text)
    if (kind < 0.85) return bytes(2000)
    return random() < 0.5 ? '[{"a":'.repeat(below(9000)) : `urls=${encodeURIComponent(printable(3000))}&title=%zz&%00=1`
  }

  return (): Sent => {
    const isUsual = random() < 0.6
    const method = isUsual ? 'POST' : pick(METHODS)
    const odd = () =>
      random() < 0.5
        ? pick(PATHS)
        : random() < 0.7
          ? pick(MORE_PATHS)
          : `/${encodeURI(printable(200)).replace(/[?#]/g, '')}`
    const path = isUsual ? pick(['/', '/api/links', '/api/links', '/api/links/x/events']) : odd()
    const headers: Sent['headers'] = { 'content-type': random() < 0.8 ? pick(TYPES.slice(0, 3)) : pick(TYPES) }
    while (random() < 0.3) {
      const name = pick(HEADERS)
      const value = printable(120).replace(/[\x7f-\x9f]/g, '')
      // Of another scheme it would be a proxy's, and so ignored.
      headers[name] = `${name === 'authorization' && random() < 0.8 ? 'Bearer ' : ''}${value}`.trim()
    }
    return { method, path, headers, body: method === 'GET' || method === 'HEAD' ? null : body() }
  }
}

/** What is wrong with the answer to a bad request, or null. */
async function faultOf(sent: Sent, answer: Response): Promise<string | null> {
  const text = await answer.text()
  const { status } = answer
  if (status < 200 || status >= 500 || (status >= 300 && status < 400)) return `status ${status}: ${text}`
  if (status < 400 || sent.method === 'HEAD') return null
  const type = answer.headers.get('content-type') ?? ''
  if (!/^\/api(\/|$)/.test(sent.path))
    return type === 'text/html; charset=utf-8' && text.startsWith('<!doctype html>') ? null : `${type}: ${text}`
  if (type !== 'application/json; charset=utf-8') return `type ${type}`
  const body = JSON.parse(text) as Record<string, unknown>
  const isShape =
    /^error,code(,errors)?,requestId,docUrl$/.test(Object.keys(body).join()) &&
    typeof body.error === 'string' &&
    /^[A-Z_]+$/.test(String(body.code))
  return isShape && String(body.error).length < 600 ? null : text
}

/** Bytes that are not, or barely, HTTP. `HOST` stands for the server's host. */
const MALFORMED = [
  '\r\n\r\n',
  '\0\0\0\0\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n',
  'GET\r\n\r\n',
  'GET / HTTP/9.9\r\nHost: HOST\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.1\r\nHost HOST\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: HOST\r\nX: a\0b\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: HOST\r\n folded\r\n\r\n',
  'GET /a b HTTP/1.1\r\nHost: HOST\r\n\r\n',
  'GET /\0 HTTP/1.1\r\nHost: HOST\r\n\r\n',
  `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: HOST\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: HOST\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: HOST\r\n${'X: a\r\n'.repeat(5000)}\r\n`,
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n',
  'POST /api/links HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: -1\r\n\r\n{}',
  'POST /api/links HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 1e3\r\n\r\n{}',
  'POST /api/links HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 99999999999999999999\r\n\r\n{}',
  'POST /api/links HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x',
  'POST /api/links HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /api/links HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n',
  'POST /api/links HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: gzip\r\n\r\n{}',
  'POST /api/links HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}',
]

onEveryTarget({}, (server) => {
  test(`${REQUESTS} bad requests are each refused in the same form, and the server still answers (SEED=${seed})`, async () => {
    const next = generator(prng(seed))
    const faults: unknown[] = []
    const seen = new Map<number, number>()
    for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
      const batch = Array.from({ length: AT_ONCE }, next)
      const send = async (one: Sent) => {
        const { method, headers, body } = one
        const answer = await fetch(server().origin + one.path, { method, headers, body })
        seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
        const fault = await faultOf(one, answer)
        if (fault !== null) faults.push({ ...one, body: String(one.body).slice(0, 300), fault })
      }
      await Promise.all(batch.map(send))
    }
    expect(faults.slice(0, 3)).toEqual([])
    // If all had the same reason, the test would have covered little.
    for (const status of [201, 400, 401, 404, 405, 415])
      expect([status, (seen.get(status) ?? 0) > 5]).toEqual([status, true])
    expect(server().output()).not.toContain('"level":50')
    expect((await create(server(), { urls: [URL_OK] })).status).toBe(201)
  }, 180_000)

  test('bytes that are not HTTP are refused or hung up on, and the server still answers', async () => {
    const { host } = new URL(server().origin)
    const random = prng(seed)
    const noise = Array.from({ length: 40 }, () =>
      Uint8Array.from({ length: 1 + random() * 400 }, () => random() * 256),
    )
    const ended = noise.map((bytes) => Buffer.concat([bytes, Buffer.from('\r\n\r\n')]))
    const sends = [...MALFORMED.map((text) => text.replaceAll('HOST', host)), ...ended]
    const statuses = await Promise.all(sends.map((bytes) => sendRaw(server(), bytes, 700).then(statusOf)))
    // The parser itself answers 505 for an unknown version.
    const wrong = statuses.flatMap((status, index) => {
      const isRefused = status === null || (status >= 400 && status < 500) || status === 505
      return isRefused ? [] : [[status, String(sends[index]).slice(0, 80)]]
    })
    expect(wrong).toEqual([])
    expect(statuses.filter((status) => status !== null).length).toBeGreaterThan(15)
    expect((await create(server(), { urls: [URL_OK] })).status).toBe(201)
  }, 180_000)

  test('a body with many mistakes is refused for their number, before each is examined', async () => {
    const urls = [URL_OK]
    const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [index.toString(36), 1]))
    const refusal = async (body: unknown) => (await create(server(), body)).body
    expect(await refusal({ urls, urlMetadata: Array(29_000).fill(1) })).toMatchObject({
      error: 'urlMetadata must have at most 25 entries',
      code: 'BAD_REQUEST',
    })
    for (const body of [
      { urls, ...fields },
      { urls, urlMetadata: [fields] },
      { urls, resolutionPolicy: { version: 1, rules: [], ...fields } },
    ])
      expect(await refusal(body)).toMatchObject({
        error: 'the body must have at most 10000 fields',
        code: 'BAD_REQUEST',
      })
    const refusals = [
      [Array(120_000).fill(1), 'the body must have at most 30000 list entries'],
      [Array(20_000).fill([]), 'the body must have at most 10000 objects and lists'],
    ] as const
    for (const [list, error] of refusals) {
      const rules = [{ name: 'x', when: { op: 'or', of: list }, tabs: [] }]
      for (const body of [{ urls: list }, { urls, resolutionPolicy: { version: 1, rules } }]) {
        expect(await refusal(body)).toMatchObject({ error, code: 'BAD_REQUEST' })
      }
    }
  })

  test('a request that never ends delays nobody else', async () => {
    const { host } = new URL(server().origin)
    const head = { host, 'content-type': 'application/json', 'content-length': '1000' }
    const hanging = Array.from({ length: 20 }, () =>
      sendRaw(server(), requestText('POST', '/api/links', head, '{"urls":'), 500),
    )
    expect((await create(server(), { urls: [URL_OK] })).status).toBe(201)
    await Promise.all(hanging)
    expect((await create(server(), { urls: [URL_OK] })).status).toBe(201)
    expect(server().output()).not.toContain('"level":50')
  })
})

describe('the generator', () => {
  test('gives the same requests for the same seed', () => {
    const [first, second] = [generator(prng(7)), generator(prng(7))]
    const take = (next: () => Sent) => Array.from({ length: 50 }, () => next())
    expect(take(first)).toEqual(take(second))
  })
})
