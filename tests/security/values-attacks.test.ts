import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { markedFilling } from '../../src/launcher/page-template.ts'
import { elementsOf, unescaped } from '../contract/html.ts'
import { type InProcess, startInProcess } from '../in-process.ts'
import { newPerson, type Person, Visitor } from '../people.ts'
import { newAddress, WITHOUT_LIMITS } from './callers.ts'

// Values of an attacker, and pages of other sites. That a value changes no link’s place is held by unit/placeholders.ts, that it
// runs nothing by browser/open-filled.test.ts, and that it is kept nowhere by values.test.ts.

const BROWSER = { 'user-agent': 'Mozilla/5.0 Firefox/153.0', accept: 'text/html' }
const VARIABLES = [{ name: 'id' }, { name: 'region', default: 'eu', options: ['eu', 'us'] }]
const CONTENT = {
  title: 'Customer {id}',
  description: 'All of {id}',
  urls: ['https://crm.example/{id}', 'https://logs.example/?q={id}&r={region}#{id}'],
  urlMetadata: [{ note: 'Of {id}', section: 'In {id}' }],
  variables: VARIABLES,
}

let server: InProcess
let owner: Person
let slug: string
beforeAll(async () => {
  server = await startInProcess(WITHOUT_LIMITS)
  owner = await newPerson(server)
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
    const forms = ['', '.json', '.md', '/bookmarks.html', '/qr.svg', '/opensearch.xml', '/feed', '/remind']
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

describe('what a browser or a proxy has kept', () => {
  const FORMS = ['', '.json', '.md', '/bookmarks.html', '/qr.svg', '/feed', '/opensearch.xml', '/remind']
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
