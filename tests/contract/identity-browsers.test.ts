import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { newEmail, newPerson, PASSWORD, type Person, URL_A, Visitor } from '../people.ts'
import type { Server } from '../server.ts'
import { onEveryTarget } from '../targets.ts'

onEveryTarget({}, (at) => {
  let ann: Person
  beforeAll(async () => {
    ann = await newPerson(at())
  })

  describe('requests that another site makes a browser send are refused:', () => {
    const JSON_POST = { 'content-type': 'application/json' }
    const FORM_POST = { 'content-type': 'application/x-www-form-urlencoded' }
    const attempts = [
      ['POST /api/links', JSON_POST, JSON.stringify({ urls: [URL_A] })],
      ['POST /api/claims', JSON_POST, JSON.stringify({ token: 'x' })],
      ['PATCH /api/links/:slug', JSON_POST, JSON.stringify({ title: 'stolen' })],
      ['DELETE /api/links/:slug', {}, ''],
      ['POST /api/links/:slug/restore', {}, ''],
      ['POST /api/auth/sign-out', JSON_POST, '{}'],
      ['POST /api/auth/sign-in/email', JSON_POST, '{}'],
      ['POST /api/auth/organization/create', JSON_POST, JSON.stringify({ name: 'x', slug: 'x' })],
      ['POST /api/auth/delete-user', JSON_POST, '{}'],
      ['POST /', FORM_POST, 'urls=https%3A%2F%2Fa.example'],
      ['POST /sign-in', FORM_POST, 'email=a&password=b'],
      ['POST /sign-in/link', FORM_POST, 'email=a'],
      ['POST /sign-up', FORM_POST, 'email=a&password=b'],
      ['POST /sign-out', FORM_POST, ''],
      ['POST /claim/:token', FORM_POST, ''],
      ['POST /claims', FORM_POST, 'slug=abc'],
      ['POST /invitations/some-id', FORM_POST, ''],
    ] as const
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]

    test.each(attempts)('%s', async (route, headers, body) => {
      const { slug } = await ann.makeBundle()
      const { claimToken } = await new Visitor(at()).makeBundle()
      const [method = '', path = ''] = route.split(' ')
      const init = { method, ...(body === '' ? {} : { body }) }
      for (const from of foreign) {
        const sent = { ...headers, ...from }
        const response = await ann.fetch(path.replace(':slug', slug).replace(':token', claimToken), {
          ...init,
          headers: sent,
        })
        expect([JSON.stringify(from), response.status]).toEqual([JSON.stringify(from), 403])
        const isPage = !path.startsWith('/api/')
        expect(response.headers.get('content-type')).toStartWith(isPage ? 'text/html' : 'application/json')
      }
      expect((await ann.api('GET', `/api/links/${slug}`)).body.title).toBeNull()
    })

    test('also if it sends our own origin along with a foreign site', async () => {
      const lie = { 'sec-fetch-site': 'cross-site', origin: at().origin }
      expect((await ann.api('POST', '/api/links', { urls: [URL_A] }, lie)).status).toBe(403)
    })
  })

  test('requests from our own pages are served, and so are clients that are no browser', async () => {
    const ours: Record<string, string>[] = [
      { 'sec-fetch-site': 'same-origin', origin: at().origin },
      { 'sec-fetch-site': 'same-origin', origin: 'null' },
      { 'sec-fetch-site': 'none' },
      { origin: at().origin },
      {},
    ]
    for (const headers of ours) {
      const { status } = await ann.api('POST', '/api/links', { urls: [URL_A] }, headers)
      expect([JSON.stringify(headers), status]).toEqual([JSON.stringify(headers), 201])
    }
  })

  test('pages with forms let browsers send their origin, the only protection over plain http', async () => {
    const { claimToken, slug } = await new Visitor(at()).makeBundle()
    const policy = async (path: string) => (await ann.fetch(path)).headers.get('referrer-policy')
    for (const path of ['/', '/sign-in', '/sign-up', '/claims', `/claim/${claimToken}`]) {
      expect([path, await policy(path)]).toEqual([path, 'same-origin'])
    }
    expect(await policy(`/l/${slug}`)).toBe('no-referrer')
  })

  test('another site may link here, and callers without a cookie are served', async () => {
    const cross = { 'sec-fetch-site': 'cross-site' }
    expect((await ann.api('GET', '/api/me', undefined, cross)).status).toBe(200)
    expect((await new Visitor(at()).api('POST', '/api/links', { urls: [URL_A] }, cross)).status).toBe(201)
  })

  describe('redirects stay on this site:', () => {
    const ELSEWHERE = [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example/',
      '\\\\evil.example',
      '/\t/evil.example',
      '\t//evil.example',
      'javascript:alert(1)',
      '',
      'evil.example',
      '/ok\r\nset-cookie: x=y',
    ]
    test.each(ELSEWHERE)('next=%j on the pages', async (next) => {
      const page = await (await new Visitor(at()).fetch(`/sign-in?next=${encodeURIComponent(next)}`)).text()
      expect(page).toContain('name="next" value="/dashboard"')
      const out = await ann.form('/sign-in/link', { email: newEmail(), next })
      expect(await out.text()).not.toContain('evil')
    })

    test('callbackURL, redirectTo and the like of the routes', async () => {
      for (const elsewhere of ELSEWHERE.slice(0, 4)) {
        const words = { email: newEmail(), name: '', password: PASSWORD }
        for (const [path, body] of [
          ['sign-in/magic-link', { email: newEmail(), callbackURL: elsewhere }],
          ['sign-in/magic-link', { email: newEmail(), errorCallbackURL: elsewhere }],
          ['sign-in/magic-link', { email: newEmail(), newUserCallbackURL: elsewhere }],
          ['sign-up/email', { ...words, callbackURL: elsewhere }],
        ] as const) {
          const { status } = await new Visitor(at()).api('POST', `/api/auth/${path}`, body)
          expect([path, elsewhere, status]).toEqual([path, elsewhere, 403])
        }
        const query = `token=x&callbackURL=${encodeURIComponent(elsewhere)}&next=${encodeURIComponent(elsewhere)}`
        for (const path of ['/api/auth/magic-link/verify', '/api/auth/verify-email', '/sign-in/link/x', '/confirm/x']) {
          const answer = await new Visitor(at()).fetch(`${path}?${query}`)
          expect([path, [404, 410].includes(answer.status), answer.headers.get('location')]).toEqual([path, true, null])
          expect(await answer.text()).not.toContain('evil')
        }
      }
    })
  })

  test('an invalid form comes back as typed, with the error next to the field', async () => {
    const visitor = new Visitor(at())
    const wrong = await visitor.form('/sign-up', {
      email: 'no address',
      password: PASSWORD,
      name: 'Ann',
      next: '/claims',
    })
    expect(wrong.status).toBe(400)
    const html = await wrong.text()
    expect(html).toContain('value="no address"')
    expect(html).toContain('value="Ann"')
    expect(html).toContain('value="/claims"')
    expect(html).toMatch(/id="email"[^>]*aria-describedby="email-error"/)
    expect(html).toMatch(/id="email-error"[^>]*>Enter a valid email address/)
    expect(html).not.toContain(PASSWORD)
    const short = await (await visitor.form('/sign-up', { email: newEmail(), password: 'short' })).text()
    expect(short).toMatch(/id="password-error"[^>]*>Use at least 8 characters/)
    const unknown = await visitor.form('/sign-in', { email: newEmail(), password: PASSWORD })
    expect(unknown.status).toBe(401)
    expect(await unknown.text()).toMatch(/role="alert"[^>]*>Wrong email or password/)
  })
})

describe('on an https address', () => {
  const HOST = 'go.example.com'
  let server: Server
  let visitor: Visitor
  beforeAll(async () => {
    server = await startInProcess({ SERVICE_BASE_URL: `https://${HOST}` })
    visitor = new Visitor(server, { host: HOST })
  })
  afterAll(async () => {
    await server?.stop()
  })

  test.each(['a new', 'a known'])('the session cookie for %s address is restricted to host and https', async () => {
    const words = { email: 'one@people.example', password: PASSWORD, name: '' }
    const response = await visitor.fetch('/api/auth/sign-up/email', {
      method: 'POST',
      body: JSON.stringify(words),
      headers: { 'content-type': 'application/json' },
    })
    const [cookie = ''] = response.headers.getSetCookie()
    const [pair = '', ...attributes] = cookie.split('; ')
    expect(pair).toStartWith('__Host-session=')
    expect(attributes.toSorted()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax', 'Secure'])
  })

  test('the cookie signs in, and one with the plain name does not', async () => {
    await visitor.api('POST', '/api/auth/sign-in/email', { email: 'one@people.example', password: PASSWORD })
    expect((await visitor.api('GET', '/api/me')).status).toBe(200)
    const plain = new Visitor(server, { host: HOST })
    plain.cookies.set('session', visitor.cookies.get('__Host-session') ?? '')
    expect((await plain.api('GET', '/api/me')).status).toBe(401)
  })

  test('the mailbox is not available', async () => {
    expect((await visitor.fetch('/dev/mailbox')).status).toBe(404)
  })
})

describe('with a limit of 5 sign-ins', () => {
  let server: Server
  beforeAll(async () => {
    server = await startInProcess({ SERVICE_RATE_LIMIT_MAX_REQUESTS: '5' })
  })
  afterAll(async () => {
    await server?.stop()
  })

  test('a caller who fakes forwarding headers and spells the path differently is still one caller', async () => {
    const words = { email: 'x@people.example', password: PASSWORD }
    const attempt = (n: number, path = '/api/auth/sign-in/email') =>
      new Visitor(server, {
        'x-forwarded-for': `203.0.113.${n}`,
        'x-real-ip': `203.0.113.${n}`,
        'cf-connecting-ip': `203.0.113.${n}`,
        forwarded: `for=203.0.113.${n}`,
      }).api('POST', path, words)
    const statuses: number[] = []
    for (let n = 0; n < 5; n += 1) statuses.push((await attempt(n)).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401])
    const refused = await attempt(6)
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    for (const path of [
      '//sign-in/email',
      '/sign-in/email/',
      '/sign-in//email',
      '/SIGN-IN/email',
      '/%73ign-in/email',
      '/x/../sign-in/email',
    ]) {
      expect([path, [404, 429].includes((await attempt(7, `/api/auth${path}`)).status)]).toEqual([path, true])
    }
    expect((await new Visitor(server).form('/sign-in', words)).status).toBe(429)
    // A mailed link is another way in, with its own limit.
    expect((await new Visitor(server).form('/sign-in/link', words)).status).toBe(200)
    expect((await new Visitor(server).form('/sign-up', words)).status).toBe(429)
  })
})
