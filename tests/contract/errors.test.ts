import { expect, test } from 'bun:test'
import { challengeOf } from '../oauth.ts'
import { onBothSchemes, onEveryTarget } from '../targets.ts'
import { ERROR_FIELDS, told } from '../told.ts'
import { create, newSlug, post, requestText, sendRaw, statusOf, URL_OK } from './support.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const OK = JSON.stringify({ urls: [URL_OK] })
const LIMIT = 256 * 1024

/** Headers of every answer. */
const SECURITY: Record<string, RegExp> = {
  'content-security-policy': /^(?!.*unsafe-)default-src 'none'.*frame-ancestors 'none'/,
  // Pages with forms send their origin, because otherwise browsers would post `Origin: null` over plain http.
  'referrer-policy': /^(no-referrer|same-origin)$/,
  'cross-origin-opener-policy': /^same-origin$/,
  'x-content-type-options': /^nosniff$/,
}

function streamOf(size: number): ReadableStream<Uint8Array> {
  let left = size
  return new ReadableStream({
    pull(controller) {
      const bytes = Math.min(left, 65_536)
      controller.enqueue(new Uint8Array(bytes).fill(0x20))
      left -= bytes
      if (left === 0) controller.close()
    },
  })
}

// A proxy may lose what comes before the end of a connection whose body nobody reads.
onEveryTarget({}, (at) => {
  test('a body of 256 KiB is read, one byte more is 413, declared or not, however much follows', async () => {
    const full = OK.padEnd(LIMIT, ' ')
    expect((await post(`${at().origin}/api/links`, full, JSON_TYPE)).status).toBe(201)
    for (const size of [LIMIT + 1, 8 * LIMIT, 40 * LIMIT]) {
      for (const body of [' '.repeat(size), streamOf(size)]) {
        const answer = await fetch(`${at().origin}/api/links`, { method: 'POST', headers: JSON_TYPE, body })
        expect([size, answer.status, (await answer.json()) as unknown]).toEqual([
          size,
          413,
          { error: 'The body is larger than 256 KiB.', code: 'PAYLOAD_TOO_LARGE', ...told },
        ])
      }
    }
    expect((await create(at(), OK)).status).toBe(201)
  })
})

onBothSchemes({}, (server) => {
  const links = () => `${server().origin}/api/links`

  test('an unknown path is 404, as JSON below /api and as a page elsewhere', async () => {
    for (const path of ['/api', '/api/', '/api/nothing', '/api/links/a/b/c', '/api/links/a/nothing?x=1']) {
      const answer = await fetch(server().origin + path)
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        404,
        'application/json; charset=utf-8',
      ])
      expect(Object.keys((await answer.json()) as object)).toEqual(ERROR_FIELDS)
    }
    for (const path of ['/nothing', '/apis', '/API/links', '/l', '/l/unknown123', '/l/a/b', '/static/x.js']) {
      const answer = await fetch(server().origin + path)
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8'])
      expect(await answer.text()).toContain('<h1>Page not found</h1>')
    }
  })

  test('an unknown page below a bundle leads to the bundle; a bundle that is gone, like any page, to a new one', async () => {
    const slug = await newSlug(server())
    const nextAt = async (path: string) => {
      const answer = await fetch(`${server().origin}${path}`, { headers: { accept: 'text/html' } })
      const [, href, label] = /class="button primary" href="([^"]*)">([^<]*)</.exec(await answer.text()) ?? []
      return [answer.status, href, label]
    }
    for (const below of ['today', 'a/b']) {
      expect(await nextAt(`/l/${slug}/${below}`)).toEqual([404, `/l/${slug}`, 'Go to the bundle'])
    }
    for (const path of ['/l/no-such-bundle', '/l/no-such-bundle/today', '/nowhere/at/all']) {
      expect(await nextAt(path)).toEqual([404, '/new', 'New bundle'])
    }
    // Members may see a start page that strangers do not.
    expect(await nextAt('/o/nobody')).toEqual([404, '/sign-in?next=%2Fo%2Fnobody', 'Sign in'])
  })

  test('an invalid percent encoding is an unknown slug', async () => {
    for (const slug of ['%', '%zz', '%00', '%ff', '%E0%A4', '%2e%2e%2f', '%u0041']) {
      expect([slug, (await fetch(`${server().origin}/l/${slug}`)).status]).toEqual([slug, 404])
    }
  })

  test('an unsupported method is 405, and Allow names the supported ones', async () => {
    const cases: [string, string, string][] = [
      ['/api/links', 'GET PUT PATCH DELETE HEAD', 'POST, OPTIONS'],
      ['/api/links/abc/events', 'GET PUT HEAD OPTIONS', 'POST'],
      ['/', 'PUT DELETE PATCH OPTIONS', 'GET, HEAD, POST'],
      // There is no bundle that would take a password.
      ['/l/abc', 'POST', 'GET, HEAD'],
      ['/l/abc', 'PUT DELETE OPTIONS', 'GET, HEAD, POST'],
      ['/l/abc/qr.svg', 'POST DELETE', 'GET, HEAD'],
      ['/l/abc/bookmarks.html', 'POST DELETE', 'GET, HEAD'],
      ['/static/site.css', 'POST DELETE', 'GET, HEAD'],
      ['/healthz', 'POST DELETE OPTIONS', 'GET, HEAD'],
    ]
    for (const [path, methods, allow] of cases) {
      for (const method of methods.split(' ')) {
        const answer = await fetch(server().origin + path, { method })
        expect([method, path, answer.status, answer.headers.get('allow')]).toEqual([method, path, 405, allow])
      }
    }
  })

  test('HEAD is answered like GET, without a body', async () => {
    const slug = await newSlug(server())
    for (const path of ['/', `/l/${slug}`, `/l/${slug}/qr.svg`, `/l/${slug}/bookmarks.html`, '/healthz']) {
      const target = server().origin + path
      const [head, get] = [await fetch(target, { method: 'HEAD' }), await fetch(target)]
      expect([path, head.status, await head.text()]).toEqual([path, 200, ''])
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
    }
  })

  test('a body without a JSON content type is 415', async () => {
    for (const type of ['text/plain', 'text/html', 'application/x-www-form-urlencoded', 'application/jsonx', '']) {
      const { status, body } = await post(links(), OK, { 'content-type': type })
      expect([type, status, body.code]).toEqual([type, 415, 'UNSUPPORTED_MEDIA_TYPE'])
    }
    const encoded = await post(links(), OK, { ...JSON_TYPE, 'content-encoding': 'gzip' })
    expect(encoded.status).toBe(415)
    const form = await post(`${server().origin}/api/links/abc/events`, 'kind=open_all', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(form.status).toBe(415)
  })

  test('content types are compared without case and parameters', async () => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;x=y']) {
      expect((await post(links(), OK, { 'content-type': type })).status).toBe(201)
    }
  })

  test('a form with more fields than any of ours is refused before they are read', async () => {
    for (const [path, body] of [
      ['/', 'a&'.repeat(10_001)],
      ['/sign-in', '='.repeat(8).concat('&').repeat(50_000)],
    ] as const) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await fetch(server().origin + path, { method: 'POST', headers, body })
      expect([path, answer.status, await answer.text()]).toEqual([path, 400, expect.stringContaining('10000 fields')])
    }
  })

  test('a form that is too large is 413 as a page', async () => {
    const body = new URLSearchParams({ urls: 'x'.repeat(LIMIT) })
    const answer = await fetch(server().origin, { method: 'POST', body })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([413, 'text/html; charset=utf-8'])
  })

  test('texts of a form that is too large come back, unless it is far too large; a password never does', async () => {
    const urls = `${URL_OK}\n${'x'.repeat(LIMIT)}<b>`
    const sent = await fetch(server().origin, {
      method: 'POST',
      body: new URLSearchParams({ urls, password: 'a horse' }),
    })
    const html = await sent.text()
    expect([sent.status, html]).toEqual([413, expect.stringContaining(`${URL_OK}\n${'x'.repeat(LIMIT)}&lt;b`)])
    expect(html).toContain('more than 256 KiB of text')
    expect(html).not.toContain('a horse')
    const far = await fetch(server().origin, {
      method: 'POST',
      body: new URLSearchParams({ urls: 'x'.repeat(5 * LIMIT) }),
    })
    expect([far.status, await far.text()]).toEqual([413, expect.stringContaining('Go back and send less at a time')])
  })

  test('a client that waits for 100 Continue gets it', async () => {
    const head = { host: new URL(links()).host, ...JSON_TYPE, 'content-length': String(OK.length) }
    const raw = await sendRaw(server(), requestText('POST', '/api/links', { ...head, expect: '100-continue' }, OK))
    expect(raw).toMatch(/^HTTP\/1\.1 100 /)
    expect(raw).toContain('HTTP/1.1 201 ')
  })

  test('a chunked body is accepted', async () => {
    const body = `5\r\n${OK.slice(0, 5)}\r\n${(OK.length - 5).toString(16)}\r\n${OK.slice(5)}\r\n0\r\n\r\n`
    const head = { host: new URL(links()).host, ...JSON_TYPE, 'transfer-encoding': 'chunked' }
    expect(statusOf(await sendRaw(server(), requestText('POST', '/api/links', head, body)))).toBe(201)
  })

  test('text that is not JSON is INVALID_JSON; JSON that is not an object is BAD_REQUEST', async () => {
    for (const text of ['', '{', '{"urls":[}', "{'urls':1}", 'undefined', `${OK}x`, '{"a":NaN}']) {
      const { status, body } = await create(server(), text)
      expect([text, status, body.code]).toEqual([text, 400, 'INVALID_JSON'])
    }
    for (const text of ['null', '1', '"x"', '[]', 'true']) {
      const { status, body } = await create(server(), text)
      expect<unknown[]>([text, status, body]).toEqual([
        text,
        400,
        { error: 'The body must be a JSON object', code: 'BAD_REQUEST', ...told },
      ])
    }
  })

  test('bytes that are not UTF-8 are refused, not repaired', async () => {
    const parts = [Buffer.from('{"urls":["https://a.example/"],"title":"'), Buffer.from('"}')]
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
      const body = Buffer.concat([parts[0]!, Buffer.from(bytes), parts[1]!])
      const answer = await fetch(links(), { method: 'POST', headers: JSON_TYPE, body })
      expect([bytes, answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
        bytes,
        400,
        'INVALID_JSON',
      ])
    }
  })

  test('nesting past 64 levels is refused before parsing, and brackets in strings do not count', async () => {
    const nested = (depth: number) => `{"urls":["${URL_OK}"],"x":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect((await create(server(), nested(63))).body.code).toBe('BAD_REQUEST')
    for (const depth of [64, 100_000]) expect((await create(server(), nested(depth))).body.code).toBe('INVALID_JSON')
    expect((await create(server(), '['.repeat(200_000))).body.code).toBe('INVALID_JSON')
    const text = `\\"${'[{'.repeat(90)}`
    expect((await create(server(), `{"urls":["${URL_OK}"],"title":"${text}"}`)).status).toBe(201)
  })

  test('errors under urls win over other errors', async () => {
    const { body } = await create(server(), { title: 1, extra: 1, urls: ['x'] })
    expect([body.error, body.code]).toEqual(['urls[0] must be an http: or https: URL, not "x"', 'INVALID_URLS'])
  })

  test('an invalid credential is 401 with WWW-Authenticate, before any other error', async () => {
    for (const authorization of ['Bearer oa_x.y', 'Bearer', 'oa_x.y', 'Token oa_x.y']) {
      const { status, headers, body } = await create(server(), '{', { authorization, 'idempotency-key': 'ä' })
      expect([status, body.code, headers.get('www-authenticate')]).toEqual([
        401,
        'UNAUTHORIZED',
        challengeOf(server(), 'error="invalid_token"'),
      ])
    }
    const event = await post(`${server().origin}/api/links/abc/events`, '{', { authorization: 'Bearer x' })
    expect(event.status).toBe(401)
  })

  test('a Host that is not the service’s is 421, except for /healthz and /readyz', async () => {
    for (const host of ['evil.example', 'localhost', '127.0.0.1', '', 'a b', '[::1']) {
      const api = await sendRaw(server(), requestText('GET', '/api/links', { host }))
      expect([host, statusOf(api)]).toEqual([host, 421])
      expect(api).toContain('"code":"MISDIRECTED_REQUEST"')
      const page = await sendRaw(server(), requestText('GET', '/', { host }))
      expect([host, statusOf(page)]).toEqual([host, 421])
      expect(page).toContain('<!doctype html>')
    }
    for (const path of ['/healthz', '/readyz'])
      expect([path, statusOf(await sendRaw(server(), requestText('GET', path, { host: '10.0.0.1' })))]).toEqual([
        path,
        200,
      ])
    const { host } = new URL(server().origin)
    expect(statusOf(await sendRaw(server(), requestText('GET', '/', { host: host.toUpperCase() })))).toBe(200)
  })

  test('two Host headers are refused', async () => {
    const { host } = new URL(server().origin)
    const raw = await sendRaw(server(), requestText('GET', '/', { host, Host: 'evil.example' }))
    expect(statusOf(raw)! >= 400).toBeTrue()
  })

  test('an absolute request target cannot disguise where its path begins', async () => {
    const { host, origin } = new URL(server().origin)
    for (const target of ['http://x/aaa/healthz', 'http://evil.example/aaa/healthz']) {
      const status = statusOf(await sendRaw(server(), requestText('GET', target, { host })))
      expect([target, status === 404 || status === 421]).toEqual([target, true])
    }
    expect(statusOf(await sendRaw(server(), requestText('GET', `${origin}/healthz`, { host })))).toBe(200)
  })

  test('every kind of answer carries the security headers', async () => {
    const slug = await newSlug(server())
    const { origin } = server()
    const style = /\/static\/[^"]+\.css/.exec(await (await fetch(origin)).text())?.[0]
    const gets = ['/', `/l/${slug}`, `/l/${slug}/qr.svg`, `/l/${slug}/bookmarks.html`, style!, '/healthz']
    const answers = [
      ...(await Promise.all(
        [...gets, '/nothing', '/api/nothing', '/l/nothing123'].map((path) => fetch(origin + path)),
      )),
      await fetch(origin, { method: 'PUT' }),
      await fetch(origin, { method: 'POST' }),
      await fetch(links(), { method: 'POST', headers: JSON_TYPE, body: OK }),
      await fetch(links(), { method: 'POST', headers: JSON_TYPE, body: '{' }),
      await fetch(links(), { method: 'POST', headers: { ...JSON_TYPE, authorization: 'Bearer x' }, body: OK }),
      await fetch(`${links()}/${slug}/events`, { method: 'POST', headers: JSON_TYPE, body: '{"kind":"open_all"}' }),
      await fetch(links(), { method: 'POST', headers: JSON_TYPE, body: ' '.repeat(LIMIT + 1) }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([
      ...gets.map(() => 200),
      ...[404, 404, 404, 405, 415, 201, 400, 401, 204, 413],
    ])
    for (const { status, url, headers } of answers) {
      for (const [name, value] of Object.entries(SECURITY)) {
        expect([status, url, name, value.test(headers.get(name) ?? '')]).toEqual([status, url, name, true])
      }
    }
    const misdirected = await sendRaw(server(), requestText('GET', '/', { host: 'evil.example' }))
    for (const name of Object.keys(SECURITY)) expect(misdirected.toLowerCase()).toContain(`\r\n${name}: `)
  })
})
