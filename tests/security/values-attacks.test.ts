import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { markedFilling } from '../../src/launcher/page-template.ts'
import { elementsOf, unescaped } from '../contract/html.ts'
import { requestText, sendRaw, statusOf } from '../contract/support.ts'
import { type InProcess, startInProcess } from '../in-process.ts'
import { callOf, send } from '../mcp/support.ts'
import { newPerson, type Person, Visitor } from '../people.ts'
import { newAddress, WITHOUT_LIMITS } from './callers.ts'

// What an attacker can send in the address of a launcher with variables. That a value changes no link’s place, and runs
// nothing, is held by unit/placeholders.ts and browser/open-filled.test.ts; that it is kept nowhere, by values.test.ts.

const BROWSER = { 'user-agent': 'Mozilla/5.0 Firefox/153.0', accept: 'text/html' }
const VARIABLES = [{ name: 'id' }, { name: 'region', default: 'eu', options: ['eu', 'us'] }]
const CONTENT = {
  title: 'Customer {id}',
  description: 'All of {id}',
  urls: ['https://crm.example/{id}', 'https://logs.example/?q={id}&r={region}#{id}'],
  urlMetadata: [{ note: 'Of {id}', section: 'In {id}' }],
  variables: VARIABLES,
}

interface Told {
  tabs: { url: string }[]
  values: Record<string, string>
  missing: string[]
  invalid: { name: string }[]
}

let server: InProcess
let owner: Person
let key: string
let slug: string
beforeAll(async () => {
  server = await startInProcess(WITHOUT_LIMITS)
  owner = await newPerson(server)
  key = (await owner.mint({ rateLimitPerHour: 0 })).rawKey
  slug = (await owner.makeBundle(CONTENT)).slug
})
afterAll(() => server?.stop())

const nobody = () => new Visitor(server, { ...BROWSER, 'x-client': newAddress() })
const read = async (path: string, headers: Record<string, string> = {}) =>
  (await nobody().fetch(path, { headers })).text()
const hrefs = (html: string) =>
  elementsOf(html).flatMap(({ tag, attributes }) =>
    tag === 'a' && attributes.class === 'tab' ? [attributes.href] : [],
  )
const filled = (id: string, region = 'eu') => [
  `https://crm.example/${id}`,
  `https://logs.example/?q=${id}&r=${region}#${id}`,
]

describe('a mark that pages have inside for a value', () => {
  // The very marks, which no attacker can know: this is the service’s own process.
  const [id = '', region = ''] = Object.values(markedFilling(VARIABLES).values)
  const nonce = id.slice(1, -2)
  const MARKS = [id, region, `%28${nonce}0%29`, `%28${nonce}1%29`, `${nonce}1-1`, `x data-chosen="${nonce}1-1"`]
  const encoded = (text: string) => encodeURIComponent(text).replaceAll('(', '%28').replaceAll(')', '%29')

  test('is never replaced in a value, the first time or later', async () => {
    for (const mark of MARKS) {
      for (const _ of ['rendered', 'cached']) {
        const page = await read(`/l/${slug}?id=${encodeURIComponent(mark)}`)
        expect([mark, hrefs(page)]).toEqual([mark, filled(encoded(mark))])
        const [, title] = /<title>(.*) · Openall<\/title>/.exec(page) ?? []
        expect(unescaped(title ?? '')).toBe(`Customer ${mark}`)
      }
    }
  })

  test('is no value of an option', async () => {
    const page = await read(`/l/${slug}?id=1&region=${encodeURIComponent(region)}`)
    expect(hrefs(page)).toEqual(['https://crm.example/1', undefined])
  })

  test('is in no answer of the service', async () => {
    const forms = ['', '.json', '.md', '/bookmarks.html', '/qr.svg', '/opensearch.xml', '/feed']
    for (const form of forms) {
      for (const query of ['', '?id=1', '?id=1&region=us', '?id=..', '?region=9']) {
        const answer = await nobody().fetch(`/l/${slug}${form}${query}`)
        const text = JSON.stringify([...answer.headers]) + (await answer.text())
        expect([form, query, text.includes(nonce), text.includes('data-chosen')]).toEqual([form, query, false, false])
      }
    }
  })

  test('stays in the texts of a bundle whose author makes one up', async () => {
    const made = 'ab'.repeat(12)
    const texts = [`(${made}0)`, `%28${made}0%29`, `" data-chosen="${made}1-0`, `{id}(${made}1){id}`]
    for (const text of texts) {
      const own = await owner.makeBundle({
        ...CONTENT,
        title: text,
        urls: [`https://crm.example/%28${made}0%29/{id}`],
        variables: [
          { name: 'id' },
          { name: 'region', default: text.replaceAll('{id}', ''), options: [text.replaceAll('{id}', ''), 'us'] },
        ],
      })
      const page = await read(`/l/${own.slug}?id=7`)
      const [, title] = /<title>(.*) · Openall<\/title>/.exec(page) ?? []
      expect(unescaped(title ?? '')).toBe(text.replaceAll('{id}', '7'))
      expect(hrefs(page)).toEqual([`https://crm.example/%28${made}0%29/7`])
      const chosen = elementsOf(page).filter(({ tag, attributes }) => tag === 'option' && 'selected' in attributes)
      expect(chosen.map(({ attributes }) => attributes.value)).toEqual([text.replaceAll('{id}', '')])
    }
  })
})

describe('a query', () => {
  const json = async (query: string) => JSON.parse(await read(`/l/${slug}.json${query}`)) as Told
  const LONG = 'x'.repeat(201)

  test.each([
    ['?id=1&id=2', '1'],
    ['?id=1&ID=2&Id=3', '1'],
    ['?id=1&id%5B%5D=2&id[a]=3&id.b=4', '1'],
    ['?id=1&__proto__=2&__proto__[id]=3&constructor=4&prototype=5&hasOwnProperty=6', '1'],
    ['?__proto__[id]=2&constructor.prototype.id=3&id=1', '1'],
    ['?id=1&values[id]=2&values=%7B%22id%22:%223%22%7D&slug=x&format=md&lang=de', '1'],
    ['?id=1;id=2', '1%3Bid%3D2'],
    ['?id=1%26id=2', '1%26id%3D2'],
    ['?id=1#&id=2', '1'],
    ['?&&=&=x&id=1&', '1'],
    [`?id=1&${'id=2&'.repeat(1000)}`, '1'],
    [`?id=1&${'__proto__=2&'.repeat(500)}`, '1'],
    ['?id=%ff', '%EF%BF%BD'],
    ['?id=a%', 'a%25'],
  ])('%#: is read alike by every door', async (query, id) => {
    const [own = ''] = query.split('#')
    expect(hrefs(await read(`/l/${slug}${own}`))).toEqual(filled(id))
    expect((await json(own)).tabs.map(({ url }) => url)).toEqual(filled(id))
    const { body } = await nobody().api<Told>('GET', `/api/links/${slug}/tabs${own}`)
    expect(body.tabs.map(({ url }) => url)).toEqual(filled(id))
    const file = elementsOf(await read(`/l/${slug}/bookmarks.html${own}`))
    expect(file.flatMap(({ tag, attributes }) => (tag === 'a' ? [attributes.href] : []))).toEqual(filled(id))
    const agent = await send(server, callOf('get_tabs', { slug: `${server.origin}/l/${slug}${query}` }), {
      authorization: `Bearer ${key}`,
    })
    // What is longer than a link can be is none.
    if (query.length < 2000)
      expect(agent.body.result.structuredContent.tabs).toMatchObject([{ url: filled(id)[0] }, {}])
    else expect(agent.body.result.isError).toBe(true)
  })

  test('without a value is one: a prototype’s properties are none', async () => {
    for (const query of ['?__proto__[id]=1', '?constructor=1', '?id=', '?id=%20', '?id', '?id=&id=1']) {
      expect([query, await json(query)]).toMatchObject([query, { missing: ['id'], invalid: [] }])
      expect([query, hrefs(await read(`/l/${slug}${query}`))]).toEqual([query, [undefined, undefined]])
    }
    for (const values of ['{"__proto__":{"id":"1"}}', '{"__proto__":"1"}', '{"constructor":"1"}']) {
      const call = JSON.stringify(callOf('get_tabs', { slug })).replace(/}}}$/, `,"values":${values}}}}`)
      const { body } = await send(server, call, { authorization: `Bearer ${key}` })
      expect([
        values,
        body.result.isError === true || (body.result.structuredContent as unknown as Told).missing,
      ]).toEqual([values, expect.anything()])
      expect(JSON.stringify(body)).not.toContain('crm.example/1')
    }
  })

  test('that is far too long is refused or answered, and then with what to do', async () => {
    for (const length of [201, 2_000, 8_000, 15_000, 100_000]) {
      for (const form of ['', '.json', '.md', '/qr.svg', '/bookmarks.html']) {
        const answer = await nobody().fetch(`/l/${slug}${form}?id=${'x'.repeat(length)}`)
        const text = await answer.text()
        expect([length, form, [200, 400, 404, 413, 414, 431].includes(answer.status)]).toEqual([length, form, true])
        if (answer.status === 200 && form === '') {
          expect(text).toContain('Use at most 200 characters.')
          expect(hrefs(text)).toEqual([undefined, undefined])
        }
        expect([length, form, text.includes(`crm.example/${LONG}`)]).toEqual([length, form, false])
      }
    }
  })
})

describe('what a browser or a proxy has kept', () => {
  const FORMS = ['', '.json', '.md', '/bookmarks.html', '/qr.svg', '/feed', '/opensearch.xml']
  const QUERIES = ['', '?id=1', '?id=2', '?id=1&region=us', '?id=..', '/1', '/2']

  test('of a page is never taken for one of other values', async () => {
    /** Each page, by its address, and every tag that any of them had. */
    const pages = new Map<string, string>()
    const tags = new Set<string>(['"v1"', 'W/"v1"'])
    const addresses = FORMS.flatMap((form) =>
      QUERIES.filter((query) => !(form !== '' && query.startsWith('/'))).map((query) => `/l/${slug}${form}${query}`),
    )
    for (const address of addresses) {
      const answer = await nobody().fetch(address)
      pages.set(address, await answer.text())
      const tag = answer.headers.get('etag')
      if (tag !== null) tags.add(tag)
    }
    expect(tags.size).toBeGreaterThan(8)
    for (const address of addresses) {
      for (const tag of tags) {
        for (const method of ['GET', 'HEAD']) {
          const answer = await nobody().fetch(address, { method, headers: { 'if-none-match': tag } })
          const own = answer.headers.get('etag')
          const text = await answer.text()
          if (answer.status === 304) expect([address, own]).toEqual([address, tag])
          else if (method === 'GET') expect([address, text === pages.get(address)]).toEqual([address, true])
        }
      }
      const since = { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT', 'if-range': '"x"', range: 'bytes=0-9' }
      expect((await nobody().fetch(address, { headers: since })).status).toBe(200)
    }
    // The same tag, the same text.
    const byTag = new Map<string, string>()
    for (const address of addresses) {
      const answer = await nobody().fetch(address)
      const tag = answer.headers.get('etag')
      const text = await answer.text()
      if (tag !== null) expect([address, (byTag.get(tag) ?? text) === text]).toEqual([address, true])
      if (tag !== null) byTag.set(tag, text)
    }
  })
})

describe('the value in a path', () => {
  // As bytes, because a client that reads addresses would already have changed them.
  test.each([
    ['/4711', 200, filled('4711')],
    ['/a%2Fb', 200, filled('a%2Fb')],
    ['/a%2fb', 200, filled('a%2Fb')],
    ['/%2e%2e%2Fx', 200, filled('..%2Fx')],
    ['/a%3Fid=2', 200, filled('a%3Fid%3D2')],
    ['/a%23b', 200, filled('a%23b')],
    ['/a%252Fb', 200, filled('a%252Fb')],
    ['/a+b', 200, filled('a%2Bb')],
    ['/%00', 200, [undefined, undefined]],
    ['/a%0d%0aSet-Cookie:%20x=1', 200, [undefined, undefined]],
    ['/%20', 200, [undefined, undefined]],
    ['/a/', 200, filled('a')],
    ['/a/b', 404, []],
    ['//', 404, []],
    ['//a', 404, []],
    ['/%ff', 404, []],
    ['/%', 404, []],
  ] as const)('%s', async (path, status, links) => {
    const { host } = new URL(server.origin)
    const raw = await sendRaw(server, requestText('GET', `/l/${slug}${path}`, { host, accept: 'text/html' }))
    expect([statusOf(raw), raw.split('\r\n\r\n')[0]?.toLowerCase().includes('set-cookie')]).toEqual([status, false])
    expect(hrefs(raw.slice(raw.indexOf('\r\n\r\n')))).toEqual([...links])
  })

  test.each(['/%2e%2e', '/..', '/%2E', '/.', '/.%2e', '/'])('%s is no step out of the launcher', async (path) => {
    const { host } = new URL(server.origin)
    const raw = await sendRaw(server, requestText('GET', `/l/${slug}${path}`, { host, accept: 'text/html' }))
    // Nothing of the bundle filled in, whether it is read as a value, as the launcher, or as what is above it.
    expect([200, 303, 308, 404]).toContain(statusOf(raw) ?? 0)
    expect(raw).not.toMatch(/href="https:\/\/(crm|logs)/)
  })
})

describe('where an answer leads', () => {
  const VALUE = 'zq7led'

  test('a search of the address bar opens only one’s own launcher, with nothing of what was searched', async () => {
    const { slug: own } = await owner.makeBundle({ ...CONTENT, title: `Only ${VALUE}` })
    for (const more of ['', '&id=1', '&next=//evil.example', '&slug=x', '&open=1']) {
      const answer = await owner.fetch(`/dashboard?q=only+${VALUE}&open=1${more}`)
      expect([more, answer.status, answer.headers.get('location')]).toEqual([more, 303, `/l/${own}`])
    }
    const stranger = await newPerson(server)
    expect((await stranger.fetch(`/dashboard?q=only+${VALUE}&open=1`)).status).toBe(200)
    for (const q of ['//evil.example', `/l/${own}`, 'https://evil.example', '\r\nlocation: //evil.example'])
      expect((await stranger.fetch(`/dashboard?open=1&q=${encodeURIComponent(q)}`)).headers.get('location')).toBeNull()
  })

  test('values leave with no redirect but the one to the page that they were sent to', async () => {
    const { slug: locked } = await owner.makeBundle({ ...CONTENT, access: 'password', password: 'four stairs down' })
    const made = await nobody().api<{ claimToken: string; slug: string }>('POST', '/api/links', CONTENT)
    const paths: [string, Visitor, string][] = [
      ['GET', owner, `/l/${slug}/copy?id=${VALUE}`],
      ['POST', nobody(), `/l/${slug}?id=${VALUE}`],
      ['POST', nobody(), `/l/${slug}/${VALUE}`],
      ['POST', nobody(), `/l/${locked}/%2F%2Fevil.example?id=${VALUE}`],
      ['GET', nobody(), `/claim/${made.body.claimToken}?id=${VALUE}`],
      ['POST', owner, `/claim/${made.body.claimToken}?id=${VALUE}`],
      ['GET', nobody(), `/dashboard/links/${slug}?id=${VALUE}`],
      ['POST', nobody(), `/sign-in/link?id=${VALUE}`],
    ]
    for (const [method, visitor, path] of paths) {
      const answer =
        method === 'GET'
          ? await visitor.fetch(path)
          : await visitor.form(path, { password: 'x', next: `//evil.example/${VALUE}` })
      const location = answer.headers.get('location')
      if (location === null) continue
      const { origin, pathname } = new URL(location, server.origin)
      expect([path, origin]).toEqual([path, server.origin])
      if (!pathname.startsWith('/l/') && pathname !== '/sign-in') expect([path, location]).not.toContain(VALUE)
    }
    // Whoever claims a bundle while they look at it filled in has it as it was made.
    const { body } = await owner.api<{ urls: string[] }>('GET', `/api/links/${made.body.slug}`)
    expect(body.urls).toEqual(CONTENT.urls)
  })

  test.each([
    'https://evil.example/l/x?id=1',
    '//evil.example/l/x?id=1',
    '/\\evil.example?id=1',
    '/%5cevil.example?id=1\\',
    '/l/x?id=1\r\nset-cookie: a=b',
    '/\t/evil.example?id=1',
  ])('a sign-in for a filled page leads nowhere else: %j', async (next) => {
    const page = await read(`/sign-in?next=${encodeURIComponent(next)}`)
    const fields = elementsOf(page).filter(({ attributes }) => attributes.name === 'next')
    expect(fields.length).toBeGreaterThan(0)
    for (const { attributes } of fields) {
      const { origin, host } = new URL(attributes.value ?? '', server.origin)
      expect([origin, host.includes('evil')]).toEqual([server.origin, false])
    }
  })
})

describe('a page of another site', () => {
  test('gets no preview of the editor, cannot show one, and makes no variable on the home page', async () => {
    const form = { 'urls[0]': 'https://a.example/{id}', url: 'https://a.example/{id}', title: 'zqpreview {id}' }
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]
    for (const headers of foreign) {
      for (const path of ['/dashboard/links/new/preview', '/', '/dashboard/links/new', `/l/${slug}/copy?id=1`]) {
        const answer = await owner.form(path, form, headers)
        expect([path, headers, answer.status, (await answer.text()).includes('zqpreview')]).toEqual([
          path,
          headers,
          403,
          false,
        ])
      }
    }
    const own = await owner.form('/dashboard/links/new/preview', form, { 'sec-fetch-site': 'same-origin' })
    expect(own.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    for (const method of ['GET', 'HEAD']) {
      const { status } = await owner.fetch('/dashboard/links/new/preview?title=zqpreview', { method })
      expect([method, status === 404 || status === 405]).toEqual([method, true])
    }
  })

  test('reads no filled page, and none can be framed', async () => {
    for (const path of ['?id=1', '/1', '.json?id=1', '.md?id=1', '/bookmarks.html?id=1', '/qr.svg?id=1']) {
      const { headers } = await nobody().fetch(`/l/${slug}${path}`, { headers: { origin: 'https://evil.example' } })
      expect([path, headers.get('access-control-allow-origin'), headers.get('cross-origin-resource-policy')]).toEqual([
        path,
        null,
        'same-origin',
      ])
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    }
  })
})
