import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../eventually.ts'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { ask } from './people.ts'
import { requestText, sendRaw } from './support.ts'

// What stands between a client and the service: proxies that compress, rewrite or ask for a sign-in of their own, and
// programs that write another charset.

const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0' }
/** What compressing proxies make of `"v1"`: Caddy, Apache in two versions, Jetty, and weak as nginx and Cloudflare do. */
const CHANGED = ['"v1-gzip"', '"v1-br"', '"v1-zstd"', '"v1;gzip"', '"v1--gzip"', 'W/"v1"', 'W/"v1-gzip"']

onEveryTarget({}, (at) => {
  let person: Person
  let key: string
  beforeAll(async () => {
    person = await newPerson(at())
    key = (await person.mint({ scopes: ['keys:admin'] })).rawKey
  })
  const bearer = () => ({ authorization: `Bearer ${key}` })

  describe('an ETag that a proxy has changed', () => {
    test('means the version that was sent, in If-None-Match and in If-Match', async () => {
      for (const etag of CHANGED) {
        const { slug } = await person.makeBundle()
        const known = await ask(at(), `GET /api/links/${slug}`, { key, headers: { 'if-none-match': `"x", ${etag}` } })
        expect([etag, known.status]).toEqual([etag, 304])
        const edit = { key, body: { title: 'New' }, headers: { 'if-match': etag } }
        expect([etag, (await ask(at(), `PATCH /api/links/${slug}`, edit)).status]).toEqual([etag, 200])
        // The same ETag is stale now.
        const again = await ask(at(), `PATCH /api/links/${slug}`, edit)
        expect([etag, again.status, again.body.code]).toEqual([etag, 412, 'VERSION_CONFLICT'])
      }
    })

    test('of a launcher’s other forms is known again too', async () => {
      const { slug } = await person.makeBundle()
      for (const path of [`/l/${slug}.json`, `/l/${slug}.md`, `/l/${slug}/feed`]) {
        const etag = (await fetch(at().origin + path)).headers.get('etag') ?? ''
        expect(etag).toMatch(/^W\/"[^"]+"$/)
        const changed = etag.replace(/"$/, '-br"')
        const answer = await fetch(at().origin + path, { headers: { 'if-none-match': changed } })
        expect([path, answer.status]).toEqual([path, 304])
      }
    })

    test('of another version, or with an ending that no proxy adds, is none of ours', async () => {
      const { slug } = await person.makeBundle()
      for (const etag of ['"v2-gzip"', '"v1-edited"', '"v1gzip"', '"-gzip"']) {
        const known = await ask(at(), `GET /api/links/${slug}`, { key, headers: { 'if-none-match': etag } })
        expect([etag, known.status]).toEqual([etag, 200])
      }
      const edit = { key, body: { title: 'New' }, headers: { 'if-match': '"v1-edited"' } }
      expect((await ask(at(), `PATCH /api/links/${slug}`, edit)).status).toBe(400)
    })

    test('comes back through a proxy that behaves as Caddy 2.10 does', async () => {
      const proxy = startCompressingProxy(at().origin)
      try {
        const through = { origin: proxy.url.origin }
        const host = { host: new URL(at().origin).host }
        const { slug } = await person.makeBundle()
        const read = await ask(through as never, `GET /api/links/${slug}`, { key, headers: host })
        const etag = read.headers.get('etag') ?? ''
        expect([read.status, etag]).toEqual([200, '"v1-zstd"'])
        const known = { key, headers: { ...host, 'if-none-match': etag } }
        expect((await ask(through as never, `GET /api/links/${slug}`, known)).status).toBe(304)
        const edit = { key, body: { title: 'New' }, headers: { ...host, 'if-match': etag } }
        expect((await ask(through as never, `PATCH /api/links/${slug}`, edit)).status).toBe(200)
      } finally {
        await proxy.stop(true)
      }
    })
  })

  test('no proxy may rewrite a page: all are no-transform, kept or not', async () => {
    const { slug } = await person.makeBundle({ title: 'Ask ada@acme.example' })
    const guarded = await person.makeBundle({ access: 'members' })
    const paths = ['/', '/sign-in', '/docs', '/docs/errors', '/nothing', `/l/${slug}`, `/l/${slug}?x=1`, '/l/nothing1']
    const inner = ['/dashboard', `/dashboard/links/${slug}`, `/l/${guarded.slug}`, `/l/${slug}/bookmarks.html`]
    for (const path of [...paths, `/l/${slug}`, ...inner]) {
      const answer = await person.fetch(path, { headers: BROWSER })
      expect([path, answer.headers.get('content-type')]).toEqual([path, 'text/html; charset=utf-8'])
      expect([path, answer.headers.get('cache-control')]).toEqual([path, expect.stringMatching(/, no-transform$/)])
    }
  })

  test('JSON names its charset: PowerShell 5.1 reads anything else as Latin-1', async () => {
    const { slug } = await person.makeBundle({ title: 'Größe' })
    const paths = ['/api/me', '/api/me/export', `/api/links/${slug}`, '/api/nothing', '/api/auth/get-session']
    const open = ['/api/openapi.json', `/l/${slug}.json`, '/.well-known/oauth-authorization-server']
    for (const path of [...paths, ...open]) {
      const answer = await person.fetch(path)
      expect([path, answer.headers.get('content-type')]).toEqual([path, 'application/json; charset=utf-8'])
    }
  })

  describe('the sign-in of a proxy', () => {
    const OTHERS = [
      'Basic dXNlcjpwYXNz',
      'Digest username="oa_ada", realm="x"',
      'Negotiate YIIF',
      'NTLM TlRMTVNT',
      'Basic',
    ]

    test('is nobody’s credential: whoever is signed in stays so, and everybody else is anonymous', async () => {
      const { slug } = await person.makeBundle()
      for (const authorization of OTHERS) {
        const seen = async (path: string, by: Visitor = person) =>
          (await by.fetch(path, { headers: { ...BROWSER, authorization } })).status
        const paths = ['/dashboard', '/api/me', `/l/${slug}`, `/l/${slug}.json`]
        expect([authorization, await Promise.all(paths.map((path) => seen(path)))]).toEqual([
          authorization,
          [200, 200, 200, 200],
        ])
        const stranger = new Visitor(at())
        expect([authorization, await seen(`/l/${slug}`, stranger)]).toEqual([authorization, 200])
        const urls = ['https://a.example/']
        const made = await stranger.api('POST', '/api/links', { urls }, { authorization })
        expect([authorization, made.status]).toEqual([authorization, 201])
      }
    })

    test('opens nothing', async () => {
      const { slug } = await person.makeBundle()
      for (const authorization of OTHERS) {
        const headers = { authorization }
        for (const path of ['/api/me', `/api/links/${slug}`]) {
          const {
            status,
            body,
            headers: said,
          } = await new Visitor(at()).api<{ error: string }>('GET', path, undefined, headers)
          expect([path, status, said.get('www-authenticate')]).toEqual([path, 401, expect.stringContaining('Bearer')])
          expect(body.error).toContain('Authorization: Bearer <key>')
        }
        const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
        // A cookie is no credential for tools either.
        expect((await person.api('POST', '/api/mcp', call, headers)).status).toBe(401)
      }
    })

    test('does not keep clicks from being counted', async () => {
      const { slug } = await person.makeBundle()
      const headers = { ...BROWSER, authorization: 'Basic dXNlcjpwYXNz' }
      const visitor = new Visitor(at(), headers)
      await visitor.fetch(`/l/${slug}`)
      const click = { kind: 'open_all', matchedRuleId: null }
      expect((await visitor.api('POST', `/api/links/${slug}/events`, click)).status).toBe(204)
      await eventually(async () => {
        const { body } = await person.api<{ totals: object }>('GET', `/api/links/${slug}/insights`)
        return JSON.stringify(body.totals).includes('"openAllClicks":1')
      }, 'the click is counted')
    })

    test('what claims to be a key of ours is still refused, never anonymous', async () => {
      for (const authorization of ['Bearer x', 'bearer', key, `Token ${key}`]) {
        const made = await new Visitor(at()).api(
          'POST',
          '/api/links',
          { urls: ['https://a.example/'] },
          { authorization },
        )
        expect([authorization, made.status]).toEqual([authorization, 401])
      }
    })
  })

  test('a body in another charset is refused with the cure, whatever it is declared as', async () => {
    const text = JSON.stringify({ urls: ['https://a.example/'], title: 'Größe' })
    const utf16 = (mark: boolean) => Buffer.from((mark ? '\ufeff' : '') + text, 'utf16le')
    const bodies: [string, Uint8Array<ArrayBuffer>, string][] = [
      ['Latin-1', new Uint8Array(Buffer.from(text, 'latin1')), 'application/json'],
      ['declared Latin-1', new Uint8Array(Buffer.from(text, 'latin1')), 'application/json; charset=iso-8859-1'],
      ['UTF-16 with a mark', new Uint8Array(utf16(true)), 'application/json; charset=utf-16'],
      ['UTF-16 without', new Uint8Array(utf16(false)), 'application/json'],
      ['UTF-16, the other way round', new Uint8Array(utf16(true).swap16()), 'application/json'],
      ['the same without a mark', new Uint8Array(utf16(false).swap16()), 'application/json'],
    ]
    for (const [name, body, type] of bodies) {
      const headers = { ...bearer(), 'content-type': type }
      const answer = await fetch(`${at().origin}/api/links`, { method: 'POST', headers, body })
      const said = (await answer.json()) as { error: string; code: string }
      expect([name, answer.status, said.code]).toEqual([name, 400, 'INVALID_JSON'])
      expect(said.error).toContain('The body is not UTF-8 text. Send it as UTF-8: in Windows PowerShell 5.1 with')
    }
    for (const [name, body] of [
      ['UTF-8', text],
      ['UTF-8 with a mark', `\ufeff${text}`],
    ] as const) {
      const headers = { ...bearer(), 'content-type': 'application/json; charset="UTF-8"' }
      const answer = await fetch(`${at().origin}/api/links`, { method: 'POST', headers, body })
      const { slug } = (await answer.json()) as { slug: string }
      const { body: made } = await ask(at(), `GET /api/links/${slug}`, { key })
      expect([name, made]).toMatchObject([name, { title: 'Größe' }])
    }
  })

  test('a request for another host is told what its proxy must pass on', async () => {
    for (const path of ['/', '/api/me', '/dashboard']) {
      const answer = await sendRaw(at(), requestText('GET', path, { host: '10.1.2.3:3000' }))
      expect(answer).toContain(
        `answers for ${new URL(at().origin).host} only. A proxy before it must pass on the Host header`,
      )
      expect(answer).not.toContain('10.1.2.3')
      expect(answer).toContain('proxy_set_header Host $host;')
      expect(answer).toContain('SERVICE_BASE_URL')
    }
  })
})

const proxies: { stop(force: boolean): unknown }[] = []
afterAll(() => Promise.all(proxies.map((proxy) => proxy.stop(true))))

/**
 * A proxy that does with ETags what Caddy 2.10.2 does where it compresses (modules/caddyhttp/encode/encode.go: Debian’s
 * Caddy 2.6 does not yet): the encoding is appended to a strong ETag, and taken away again from If-None-Match alone.
 */
function startCompressingProxy(origin: string) {
  const proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const headers = new Headers(request.headers)
      const known = headers.get('if-none-match')
      if (known !== null) headers.set('if-none-match', known.replace(/-zstd"/g, '"'))
      const { pathname, search } = new URL(request.url)
      const body = request.method === 'GET' ? null : await request.bytes()
      const answer = await fetch(origin + pathname + search, { method: request.method, headers, body })
      const said = new Headers(answer.headers)
      const etag = said.get('etag')
      if (etag !== null && !etag.startsWith('W/')) said.set('etag', etag.replace(/"$/, '-zstd"'))
      said.delete('content-encoding')
      said.delete('content-length')
      return new Response(answer.status === 304 ? null : await answer.bytes(), { status: answer.status, headers: said })
    },
  })
  proxies.push(proxy)
  return proxy
}
