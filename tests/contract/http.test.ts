import { beforeAll, describe, expect, test } from 'bun:test'
import { operations } from '../../src/api/implementations.ts'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onBothSchemes, onEveryTarget } from '../targets.ts'

const EVIL = { origin: 'https://evil.example' }
const ALLOW_ORIGIN = 'access-control-allow-origin'

onBothSchemes({}, (at) => {
  let person: Person
  let key: Record<string, string>
  let slug: string
  beforeAll(async () => {
    person = await newPerson(at())
    const { body } = await person.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'k', scopes: ['keys:admin'] })
    key = { authorization: `Bearer ${body.rawKey}` }
    slug = (await person.makeBundle({ title: 'One' })).slug
  })
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(at().origin + path, { method, headers, redirect: 'manual' })

  test('HEAD has the headers of GET, with the true length, and no body', async () => {
    const plain = { 'accept-encoding': 'identity' }
    const paths = ['/', '/docs', '/llms.txt', '/robots.txt', '/api/openapi.json', '/.well-known/api-catalog']
    for (const path of [...paths, `/l/${slug}`, '/api/nothing', '/nothing']) {
      const [head, body] = [await get(path, plain, 'HEAD'), await (await get(path, plain)).arrayBuffer()]
      expect([path, head.headers.get('content-length'), await head.text()]).toEqual([path, `${body.byteLength}`, ''])
    }
    for (const path of ['/api/me', `/api/links/${slug}`, '/api/me/links', `/api/links/${slug}/versions`]) {
      const [head, body] = [await get(path, { ...plain, ...key }, 'HEAD'), await (await get(path, key)).arrayBuffer()]
      expect([path, head.status, head.headers.get('content-length')]).toEqual([path, 200, `${body.byteLength}`])
    }
  })

  test('HEAD tells the length of a large answer too', async () => {
    const owner = await newPerson(at())
    for (let made = 0; made < 20; made += 1) await owner.makeBundle({ description: 'x'.repeat(1000) })
    const head = await owner.fetch('/api/me/links', { method: 'HEAD' })
    const { byteLength } = await (await owner.fetch('/api/me/links')).arrayBuffer()
    expect(byteLength).toBeGreaterThan(20_000)
    expect(head.headers.get('content-length')).toBe(`${byteLength}`)
  })

  describe('If-None-Match', () => {
    const read = async (known: string, more = key) => {
      const answer = await get(`/api/links/${slug}`, { ...more, 'if-none-match': known })
      return [answer.status, answer.headers.get('etag'), (await answer.text()) === '']
    }

    test('a bundle that is unchanged is 304, after an edit it is 200 again', async () => {
      for (const known of ['"v1"', 'W/"v1"', '"x", "v1"', '*']) expect(await read(known)).toEqual([304, '"v1"', true])
      expect(await read('"v9"')).toEqual([200, '"v1"', false])
      await person.api('PATCH', `/api/links/${slug}`, { title: 'Two' })
      expect(await read('"v1"')).toEqual([200, '"v2"', false])
    })

    test('it opens nothing: a stranger is refused as without it', async () => {
      const { body } = await (await newPerson(at())).api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'k' })
      expect((await read('*', { authorization: `Bearer ${body.rawKey}` }))[0]).toBe(403)
      expect((await read('*', {}))[0]).toBe(401)
      // An unclaimed bundle has no representation, so nothing that was read before a claim can be taken for current.
      const { slug: unclaimed } = await new Visitor(at()).makeBundle()
      const before = await get(`/api/links/${unclaimed}`, { ...key, 'if-none-match': '*' })
      expect([before.status, before.headers.get('etag')]).toEqual([403, null])
    })

    test('the OpenAPI document has a validator', async () => {
      const etag = (await get('/api/openapi.json')).headers.get('etag') ?? ''
      expect(etag).toMatch(/^"[\w-]{22}"$/)
      const again = await get('/api/openapi.json', { 'if-none-match': etag })
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
    })
  })

  describe('from pages of other sites', () => {
    test('answers to anonymous calls and to keys can be read, errors included', async () => {
      for (const [path, headers, status] of [
        ['/api/me', key, 200],
        ['/api/me', {}, 401],
        [`/api/links/${slug}`, key, 200],
        ['/api/links/nothing', key, 404],
      ] as const) {
        const answer = await get(path, { ...EVIL, ...headers })
        expect([path, answer.status, answer.headers.get(ALLOW_ORIGIN)]).toEqual([path, status, '*'])
        expect(answer.headers.get('access-control-expose-headers')).toContain('etag')
      }
      const made = await new Visitor(at(), EVIL).api('POST', '/api/links', { urls: ['https://a.example/'] })
      expect([made.status, made.headers.get(ALLOW_ORIGIN)]).toEqual([201, '*'])
    })

    test('no answer to a cookie can be read, and nothing allows credentials', async () => {
      const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      for (const headers of [{ cookie }, { cookie, ...key }, { cookie: 'a=b' }, { cookie, origin: 'null' }]) {
        for (const path of ['/api/me', '/api/me/links', `/api/links/${slug}`, '/api/me/export', '/api/nothing']) {
          const answer = await get(path, { ...EVIL, ...headers })
          expect([path, answer.headers.get(ALLOW_ORIGIN)]).toEqual([path, null])
          expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
        }
      }
      const sent = await person.api('POST', '/api/links', { urls: ['https://a.example/'] }, EVIL)
      expect([sent.status, sent.headers.get(ALLOW_ORIGIN)]).toEqual([403, null])
    })

    test('OPTIONS says what a page may send, never with credentials', async () => {
      for (const { route, auth, keyScope, name } of operations) {
        const path = `/api${route.split(' ')[1]!.replaceAll(/:\w+/g, '1')}`
        const asked = { ...EVIL, 'access-control-request-method': route.split(' ')[0]! }
        const answer = await get(path, asked, 'OPTIONS')
        // Only viewers count and report: no page may have its visitors do so.
        const isShared = auth !== 'public' || keyScope !== undefined
        expect([name, answer.status]).toEqual([name, isShared ? 204 : 405])
        expect([name, answer.headers.get(ALLOW_ORIGIN)]).toEqual([name, isShared ? '*' : null])
        expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
        if (!isShared) continue
        expect(answer.headers.get('access-control-allow-methods')?.split(', ')).toContain(route.split(' ')[0]!)
        expect(answer.headers.get('access-control-allow-headers')).toContain('authorization')
        expect(answer.headers.get('allow')).toEndWith('OPTIONS')
      }
    })

    test('signing in, tools, clicks, reports and pages stay closed', async () => {
      for (const [method, path] of [
        ['POST', '/api/auth/sign-in/email'],
        ['GET', '/api/auth/get-session'],
        ['POST', '/api/mcp'],
        ['POST', `/api/links/${slug}/events`],
        ['POST', `/api/links/${slug}/reports`],
        ['GET', '/'],
        ['GET', `/l/${slug}`],
        ['GET', '/dashboard'],
      ] as const) {
        for (const tried of [method, 'OPTIONS']) {
          const { headers } = await get(path, { ...EVIL, ...key, 'content-type': 'application/json' }, tried)
          expect([tried, path, headers.get(ALLOW_ORIGIN)]).toEqual([tried, path, null])
        }
      }
    })
  })

  describe('lists', () => {
    interface Page {
      bundles: { slug: string }[]
      versions: { versionNumber: number }[]
      hasMore: boolean
    }
    /** Follows `Link: rel="next"` to the end. */
    const pagesFrom = async (start: string) => {
      const pages: Page[] = []
      for (let path: string | undefined = start; path !== undefined; ) {
        const answer = await get(path, key)
        const page = (await answer.json()) as Page
        pages.push(page)
        path = /^<(\/[^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]
        expect([start, page.hasMore]).toEqual([start, path !== undefined])
      }
      return pages
    }

    test('every list says whether there is more, and links to it', async () => {
      const made = [slug]
      for (const title of ['A b&c', 'A b&c', 'A b&c']) made.unshift((await person.makeBundle({ title })).slug)
      const all = await pagesFrom('/api/me/links?limit=2')
      const slugs = all.flatMap(({ bundles }) => bundles.map((bundle) => bundle.slug))
      expect(slugs.slice(0, 3)).toEqual(made.slice(0, 3))
      expect([new Set(slugs).size, slugs.includes(slug)]).toEqual([slugs.length, true])
      const found = await pagesFrom(`/api/me/links?limit=1&q=${encodeURIComponent('b&c')}`)
      expect(found.map(({ bundles }) => bundles.map((bundle) => bundle.slug))).toEqual(
        made.slice(0, 3).map((one) => [one]),
      )
      const other = made[0]!
      for (let n = 0; n < 29; n += 1) await person.api('PATCH', `/api/links/${other}`, { title: `${n}` })
      const numbersOf = ({ versions }: Page) => versions.map(({ versionNumber }) => versionNumber)
      const descending = Array.from({ length: 30 }, (_, index) => 30 - index)
      for (const limit of [7, 28, 30, 100]) {
        const pages = await pagesFrom(`/api/links/${other}/versions?limit=${limit}`)
        expect(pages.flatMap(numbersOf)).toEqual(descending)
        expect(pages).toHaveLength(Math.ceil(30 / limit))
      }
      expect((await pagesFrom(`/api/links/${other}/versions`)).map(numbersOf)).toEqual([descending])
      expect(await pagesFrom(`/api/links/${other}/versions?before=1`)).toEqual([
        { versions: [], hasMore: false } as never,
      ])
    })

    test('bounds of numbers are those that the document says', async () => {
      for (const [before, status] of [
        ['999999999999999', 200],
        ['1000000000000000', 400],
        ['0', 400],
      ] as const) {
        const answer = await get(`/api/links/${slug}/versions?before=${before}`, key)
        expect([before, answer.status]).toEqual([before, status])
      }
      const document = JSON.stringify(await (await get('/api/openapi.json')).json())
      expect([document.includes('999999999999999'), document.includes('1000000000000000')]).toEqual([true, false])
    })
  })

  describe('what machines look for', () => {
    test('the API catalog leads to the documents (RFC 9727)', async () => {
      const answer = await get('/.well-known/api-catalog')
      expect(answer.headers.get('content-type')).toStartWith('application/linkset+json')
      expect(answer.headers.get(ALLOW_ORIGIN)).toBe('*')
      const { linkset } = (await answer.json()) as {
        linkset: Record<string, { href: string; type?: string }[] | string>[]
      }
      expect(linkset[0]!.anchor).toBe(`${at().origin}/api`)
      const links = Object.values(linkset[0]!).flatMap((link) => (typeof link === 'string' ? [] : link))
      for (const { href, type } of links) {
        const found = await fetch(href)
        expect([href, found.status]).toEqual([href, 200])
        if (type !== undefined) expect(found.headers.get('content-type')).toStartWith(type)
      }
      const head = await get('/.well-known/api-catalog', {}, 'HEAD')
      expect(head.headers.get('link')).toBe(`<${at().origin}/.well-known/api-catalog>; rel="api-catalog"`)
    })

    test('nothing below /api and /.well-known answers with HTML', async () => {
      const accept = { accept: 'text/html' }
      const paths = [
        '/api',
        '/api/',
        '/api?x',
        '/api/nothing',
        '/api/links/x/y/z',
        '/.well-known/',
        '/.well-known/nothing',
      ]
      for (const path of [...paths, '/.well-known/oauth-protected-resource/x', '/.well-known/openid-configuration']) {
        for (const method of ['GET', 'POST']) {
          const answer = await get(path, accept, method)
          expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
            path,
            404,
            'application/json; charset=utf-8',
          ])
          expect(await answer.json()).toMatchObject({ code: 'NOT_FOUND' })
        }
      }
    })
  })
})

for (const base of ['http://go', 'https://go'])
  onEveryTarget({ SERVICE_BASE_URL: base }, (at) => {
    test(`${base}: a host of two characters leads to the same routes as any other`, async () => {
      const ask = (method: string, path: string, body?: string) =>
        fetch(at().origin + path, { method, body, headers: { host: 'go', 'content-type': 'application/json' } })
      const made = await ask('POST', '/api/links', '{"urls":["https://a.example/"]}')
      expect(made.status).toBe(201)
      const { slug } = (await made.json()) as { slug: string }
      for (const path of [`/l/${slug}`, `/l/${slug}`, `/l/${slug}.json`, '/healthz', '/docs/api', '/sign-in']) {
        expect([path, (await ask('GET', path)).status]).toEqual([path, 200])
      }
      expect((await ask('POST', `/api/links/${slug}/events`, '{"kind":"open_all"}')).status).toBe(204)
    })
  })
