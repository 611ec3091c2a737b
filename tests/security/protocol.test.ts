import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { create, requestText, sendRaw, statusOf, URL_OK } from '../contract/support.ts'
import { newPerson, type Person } from '../people.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'

// Requests that a proxy in front could parse differently, and their effects. tests/faults/sockets.test.ts checks which
// framings are refused.

const WAIT_MS = 600
const JSON_TYPE = 'content-type: application/json'

/** A request that would create a bundle recognisable by its title. */
function hidden(host: string, title: string): string {
  const body = JSON.stringify({ urls: [URL_OK], title })
  return `POST /api/links HTTP/1.1\r\nhost: ${host}\r\n${JSON_TYPE}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

/** Requests that hide a second one behind them or in their body, by what is wrong with them. */
function carriers(host: string, inner: string): Record<string, string> {
  const post = (headers: string, body: string) =>
    `POST /api/links HTTP/1.1\r\nhost: ${host}\r\n${JSON_TYPE}\r\n${headers}\r\n\r\n${body}`
  const { length } = inner
  const chunk = `${length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`
  const chunked = 'transfer-encoding: chunked'
  return {
    'a length and chunks': post(`content-length: ${length + 5}\r\n${chunked}`, `0\r\n\r\n${inner}`),
    'chunks and a length': post(`${chunked}\r\ncontent-length: 5`, `0\r\n\r\n${inner}`),
    'two lengths': post(`content-length: 0\r\ncontent-length: ${length}`, inner),
    'two lengths in one': post(`content-length: 0, ${length}`, inner),
    'a length with a plus': post('content-length: +0', inner),
    'a length in hex': post('content-length: 0x0', inner),
    'a length with space inside': post('content-length: 0 0', inner),
    'a folded length': post('x: y\r\n content-length: 0', inner),
    'a space before the colon': post('content-length : 0', inner),
    'a tab before chunked': post('transfer-encoding:\tchunked', `0\r\n\r\n${inner}`),
    'chunked in another case': post('Transfer-Encoding: cHuNkEd', `0\r\n\r\n${inner}`),
    'chunked twice': post(`${chunked}, chunked`, `0\r\n\r\n${inner}`),
    'another encoding': post('transfer-encoding: gzip', `0\r\n\r\n${inner}`),
    'a vertical tab in the encoding': post('transfer-encoding: \x0bchunked', `0\r\n\r\n${inner}`),
    'bare line feeds': post(chunked, '').replaceAll('\r\n', '\n') + inner,
    'a bare line feed in a header': post('x: y\ncontent-length: 0', inner),
    'a bare carriage return in a header': post('x: y\rcontent-length: 0', inner),
    'a chunk ended by a line feed': post(chunked, `0\n\n${inner}`),
    'a chunk size with an extension': post(chunked, `0;a=b\nc\r\n\r\n${inner}`),
    'a chunk size that is negative': post(chunked, `-1\r\n\r\n${inner}`),
    'a chunk size past 64 bits': post(chunked, `10000000000000000\r\n\r\n${inner}`),
    'a chunk longer than it says': post(chunked, `2\r\n{}xx\r\n0\r\n\r\n${inner}`),
    'trailers that are headers': post(chunked, `0\r\ncontent-length: ${length}\r\n\r\n${inner}`),
    'chunks in HTTP/1.0': post(chunked, `0\r\n\r\n${inner}`).replace('HTTP/1.1', 'HTTP/1.0'),
    'the body of a GET': `GET / HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${length}\r\n\r\n${inner}`,
    'the chunks of a GET': `GET / HTTP/1.1\r\nhost: ${host}\r\n${chunked}\r\n\r\n${chunk}`,
    'the body of a HEAD': `HEAD / HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${length}\r\n\r\n${inner}`,
    'the body of another type': post(`content-length: ${length}`, inner).replace(JSON_TYPE, 'content-type: text/html'),
    'the body of a bad key': post(`authorization: Bearer no\r\ncontent-length: ${length}`, inner),
    'the body for another host': post(`content-length: ${length}`, inner).replace(host, 'evil.example'),
    'the body of an unknown path': post(`content-length: ${length}`, inner).replace('/api/links', '/nothing'),
    'the chunks of an unknown path': post(chunked, chunk).replace('/api/links', '/nothing'),
    'a body that is too large': post(`content-length: ${length + 300_000}`, `${inner}${' '.repeat(300_000)}`),
    'chunks that are too large': post(chunked, `493e0\r\n${' '.repeat(300_000)}\r\n${chunk}`),
    'an upgrade': `GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n${inner}`,
    'a promise to wait': post(`expect: 100-continue\r\ncontent-length: ${length}`, inner),
  }
}

/** Ways to name another host; `OWN` is the service's. */
const FOREIGN_HOSTS: Record<string, string> = {
  'no Host': 'GET / HTTP/1.1\r\n\r\n',
  'no Host in HTTP/1.0': 'GET / HTTP/1.0\r\n\r\n',
  'an empty Host': 'GET / HTTP/1.1\r\nhost:\r\n\r\n',
  'a foreign Host': 'GET / HTTP/1.1\r\nhost: evil.example\r\n\r\n',
  'a foreign Host in HTTP/1.0': 'GET / HTTP/1.0\r\nhost: evil.example\r\n\r\n',
  'two Hosts, the first foreign': 'GET / HTTP/1.1\r\nhost: evil.example\r\nhost: OWN\r\n\r\n',
  'two Hosts, the last foreign': 'GET / HTTP/1.1\r\nhost: OWN\r\nhost: evil.example\r\n\r\n',
  'a list of Hosts': 'GET / HTTP/1.1\r\nhost: OWN, evil.example\r\n\r\n',
  'a Host that begins like ours': 'GET / HTTP/1.1\r\nhost: OWN.evil.example\r\n\r\n',
  'a Host with a user': 'GET / HTTP/1.1\r\nhost: OWN@evil.example\r\n\r\n',
  'a user before our Host': 'GET / HTTP/1.1\r\nhost: evil.example@OWN\r\n\r\n',
  'a Host with a path': 'GET / HTTP/1.1\r\nhost: OWN/evil.example\r\n\r\n',
  'a folded Host': 'GET / HTTP/1.1\r\nhost: OWN\r\n evil.example\r\n\r\n',
  'our Host with another port': 'GET / HTTP/1.1\r\nhost: localhost:1\r\n\r\n',
  'a target of another host': 'GET http://evil.example/ HTTP/1.1\r\nhost: OWN\r\n\r\n',
  'a target of another scheme': 'GET https://evil.example/ HTTP/1.1\r\nhost: OWN\r\n\r\n',
  'a target of ours under a foreign Host': 'GET http://OWN/ HTTP/1.1\r\nhost: evil.example\r\n\r\n',
  'a target with a user': 'GET http://OWN@evil.example/ HTTP/1.1\r\nhost: OWN\r\n\r\n',
  'a launcher’s target of another host': 'GET http://evil.example/l/SLUG HTTP/1.1\r\nhost: OWN\r\n\r\n',
  'a launcher under a foreign Host': 'GET /l/SLUG HTTP/1.1\r\nhost: evil.example\r\n\r\n',
}

/** Headers that a proxy could send, which must not be trusted. */
const HOST_HEADERS = ['x-forwarded-host', 'x-host', 'x-original-host', 'x-forwarded-server', 'x-http-host-override']

/** Paths that would differ if decoded or normalised, and what must not be found there. */
const PATHS = [
  '/l/..%2fapi%2fme',
  '/l/%2e%2e%2fdocs',
  '/l/SLUG%2f..%2f..%2fdocs',
  '/l/SLUG%2freport',
  '/l/SLUG%00',
  '/l/SLUG%0d%0ax-injected:1',
  '/l/SLUG;x',
  '/l/%5c..%5cdocs',
  '/api/links/SLUG%2fversions',
  '/api/links/..%2fme',
  '/api/links/%2e%2e%2fme',
  '/static/..%2f..%2fpackage.json',
  '/static/%2e%2e%2f%2e%2e%2fpackage.json',
  '/%2fapi%2fme',
  '//api/me',
  '/api//me',
  '/api/me%00',
  '/API/me',
  '/dashboard%2fkeys',
  '/dashboard/links/%2e%2e%2fkeys',
]

for (const runtime of RUNTIMES) {
  describe(`on ${runtime}`, () => {
    let server: Server
    let host: string
    let ann: Person
    let slug: string
    let cookie: string
    beforeAll(async () => {
      server = await startServer({ runtime })
      host = new URL(server.origin).host
      ann = await newPerson(server)
      slug = (await ann.makeBundle({ title: 'the title' })).slug
      cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    })
    afterAll(async () => {
      await server?.stop()
    })
    const made = async (title: string) => (await server.sql('SELECT 1 FROM bundles WHERE title = ?', [title])).length
    const answersIn = (raw: string) =>
      Array.from(raw.matchAll(/HTTP\/1\.[01] (\d{3})/g), ([, status]) => Number(status))

    test('nothing smuggled behind or inside an ambiguous request is ever executed unseen', async () => {
      const names = Object.keys(carriers(host, ''))
      const seen = await Promise.all(
        names.map(async (name) => {
          const title = `hidden ${names.indexOf(name)}`
          const raw = await sendRaw(server, carriers(host, hidden(host, title))[name]!, WAIT_MS)
          return { name, title, statuses: answersIn(raw).filter((status) => status !== 100) }
        }),
      )
      // Each request has its own answer: the second one's is 201 if it was executed.
      const unseen: unknown[] = []
      for (const { name, title, statuses } of seen) {
        const [, ...others] = statuses
        if ((await made(title)) !== others.filter((status) => status === 201).length) unseen.push([name, statuses])
        if (statuses[0] === 201) unseen.push([name, statuses])
      }
      expect(unseen).toEqual([])
      expect((await create(server, { urls: [URL_OK] })).status).toBe(201)
    })

    test('two requests sent together get two answers, in order', async () => {
      const first = `GET /l/${slug} HTTP/1.1\r\nhost: ${host}\r\n\r\n`
      const raw = await sendRaw(server, first + hidden(host, 'in the open'), WAIT_MS)
      expect([answersIn(raw), await made('in the open')]).toEqual([[200, 201], 1])
    })

    test('nothing is served for another host, however it is named', async () => {
      const all = Object.entries(FOREIGN_HOSTS).map(async ([name, text]) => {
        const raw = await sendRaw(server, text.replaceAll('OWN', host).replaceAll('SLUG', slug), WAIT_MS)
        const statuses = answersIn(raw)
        const isRefused = statuses.every((status) => status >= 400 && status < 500)
        // Bun drops the host of such a target and uses the Host header, which is ours.
        const isDropped = runtime === 'bun' && /^GET \w+:.* HTTP\/1.1\r\nhost: OWN\r/.test(text)
        return { name, isOne: statuses.length <= 1, isRefused: isRefused || isDropped, isNamed: raw.includes('evil') }
      })
      const answers = await Promise.all(all)
      expect(answers.filter(({ isOne, isRefused, isNamed }) => !isOne || !isRefused || isNamed)).toEqual([])
    })

    test('only the Host header determines the host', async () => {
      const headers = Object.fromEntries(HOST_HEADERS.map((name) => [name, 'evil.example']))
      const forwarded = { ...headers, forwarded: 'host=evil.example;proto=https', 'x-forwarded-proto': 'https' }
      const urls = [URL_OK]
      const answer = await create(server, { urls }, forwarded)
      expect(answer.body.url).toBe(`${server.origin}/l/${answer.body.slug}`)
      for (const path of ['/', `/l/${slug}`, '/dashboard', '/docs', '/api/openapi.json']) {
        expect([path, (await (await ann.fetch(path, { headers: forwarded })).text()).includes('evil.example')]).toEqual(
          [path, false],
        )
      }
    })

    test('an encoded or unusual path is no other path', async () => {
      for (const template of PATHS) {
        const path = template.replace('SLUG', slug)
        const raw = await sendRaw(server, requestText('GET', path, { host, cookie }), WAIT_MS)
        const status = statusOf(raw)
        expect([path, status === null || (status >= 400 && status < 500)]).toEqual([path, true])
        expect([path, /\r\nx-injected:|the title|"subject"|"name": *"openall"/i.test(raw)]).toEqual([path, false])
      }
    })

    test('the method is that of the request line: no header, field or query changes it', async () => {
      for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override']) {
        const post = await ann.api('POST', `/api/links/${slug}`, { title: 'other' }, { [name]: 'PATCH' })
        expect([name, post.status]).toEqual([name, 405])
        const get = await ann.api<{ title: string }>('GET', `/api/links/${slug}?_method=DELETE`, undefined, {
          [name]: 'DELETE',
        })
        expect([name, get.status === 400 || get.body.title === 'the title']).toEqual([name, true])
      }
      const form = await ann.form(`/dashboard/links/${slug}/insights`, { _method: 'DELETE' })
      expect(form.status).toBe(405)
      expect((await ann.api('GET', `/api/links/${slug}`)).body.title).toBe('the title')
    })

    test('two credentials of one kind are none, and one sent twice gives no more', async () => {
      const { body } = await ann.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'one' })
      const get = (lines: string) =>
        sendRaw(server, `GET /api/me HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${lines}\r\n\r\n`, WAIT_MS)
      const key = `authorization: Bearer ${body.rawKey}`
      expect(statusOf(await get(key))).toBe(200)
      for (const lines of [`${key}\r\nauthorization: Bearer no`, `authorization: Bearer no\r\n${key}`]) {
        const status = statusOf(await get(lines))
        expect([lines.slice(0, 30), status === 401 || status === 400]).toEqual([lines.slice(0, 30), true])
      }
    })

    test('HTTP/1.0 is answered, once, and the connection is closed', async () => {
      const raw = await sendRaw(
        server,
        `GET /healthz HTTP/1.0\r\nhost: ${host}\r\n\r\n${hidden(host, 'after')}`,
        WAIT_MS,
      )
      expect(answersIn(raw)[0]).toBe(200)
      expect(await made('after')).toBe(answersIn(raw).slice(1).length)
    })
  })
}
