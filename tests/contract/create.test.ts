import { expect, test } from 'bun:test'
import { onEveryTarget } from '../targets.ts'
import { ERROR_FIELDS } from '../told.ts'
import { create, storedBundle, URL_OK } from './support.ts'

const PLANE = '𝒳' // one code point, two UTF-16 units
const withUrl = (length: number) => URL_OK + 'x'.repeat(length - URL_OK.length)
const meta = (urlMetadata: unknown) => ({ urlMetadata })

/** Fields in addition to `urls: [URL_OK]`, each valid and at its bound. */
const ACCEPTED: [string, Record<string, unknown>][] = [
  ['25 urls', { urls: Array(25).fill(URL_OK) }],
  ['a url of 2048 characters', { urls: [withUrl(2048)] }],
  ['a url of 2048 code points', { urls: [URL_OK + PLANE.repeat(2048 - URL_OK.length)] }],
  ['an http: url', { urls: ['http://a.example'] }],
  ['a url with an upper-case scheme', { urls: ['HTTPS://a.example'] }],
  ['an international domain', { urls: ['https://müller.example/ä?ö#ü'] }],
  ['a title of 200 characters', { title: 'x'.repeat(200) }],
  ['a title of 200 code points', { title: PLANE.repeat(200) }],
  ['title null', { title: null }],
  ['an empty title', { title: '' }],
  ['a description of 2000 code points', { description: PLANE.repeat(2000) }],
  ['a description with tab and newline', { description: 'a\tb\nc' }],
  ['description null', { description: null }],
  ['a note of 500 code points', meta([{ note: PLANE.repeat(500) }])],
  ['a note with tab and newline', meta([{ note: 'a\tb\nc' }])],
  ['10 tags of 40 code points', meta([{ tags: Array(10).fill(PLANE.repeat(40)) }])],
  ['openPolicy auto', meta([{ openPolicy: 'auto' }])],
  ['openPolicy manual', meta([{ openPolicy: 'manual' }])],
  ['no urlMetadata for a url', meta([])],
  ['an email address', { email: 'someone@mail.example' }],
  ['an email address of 254 characters', { email: `${'x'.repeat(241)}@mail.example` }],
  ['resolutionPolicy null', { resolutionPolicy: null }],
  ...['web', 'api', 'cli', 'sdk', 'mcp', 'extension', 'import'].map((source): [string, Record<string, unknown>] => [
    `source ${source}`,
    { source },
  ]),
]

const URLS = 'INVALID_URLS'
const BAD = 'BAD_REQUEST'
const ENTRIES = 'must have at most 25 entries'
const TOO_LONG = 'must be at most'

/** Invalid fields, the code, and the beginning of the message. */
const REFUSED: [string, Record<string, unknown>, typeof URLS | typeof BAD, string][] = [
  ['no urls', { urls: undefined }, URLS, 'urls is missing'],
  ['urls null', { urls: null }, URLS, 'urls must be an array'],
  ['urls that are a text', { urls: URL_OK }, URLS, 'urls must be an array'],
  ['urls that are an object', { urls: { 0: URL_OK, length: 1 } }, URLS, 'urls must be an array'],
  ['an empty list of urls', { urls: [] }, URLS, 'urls must have at least 1 entry'],
  ['26 urls', { urls: Array(26).fill(URL_OK) }, URLS, `urls ${ENTRIES}`],
  ['a url of 2049 characters', { urls: [URL_OK, withUrl(2049)] }, URLS, `urls[1] ${TOO_LONG} 2048`],
  ['a url of 2049 characters as sent', { urls: [` ${withUrl(2048)}`] }, URLS, `urls[0] ${TOO_LONG} 2048`],
  ['a url that is a number', { urls: [URL_OK, 1] }, URLS, 'urls[1] must be a string'],
  ['an empty url', { urls: [''] }, URLS, 'urls[0] must be an http: or https: URL'],
  ['a javascript: url', { urls: ['javascript:alert(1)'] }, URLS, 'urls[0] must be an http: or https: URL'],
  ['a javascript: url behind a space', { urls: [' javascript:alert(1)'] }, URLS, 'urls[0] must be an http: or https:'],
  ['a javascript: url with a tab in it', { urls: ['java\tscript:alert(1)'] }, URLS, 'urls[0] must be an http: or'],
  ['a data: url', { urls: ['data:text/html,x'] }, URLS, 'urls[0] must be an http: or https: URL'],
  [
    'an ftp: url',
    { urls: [URL_OK, URL_OK, URL_OK, 'ftp://a.example'] },
    URLS,
    'urls[3] must be an http: or https: URL',
  ],
  ['a url without a scheme', { urls: ['a.example'] }, URLS, 'urls[0] must be an http: or https: URL'],
  ['a url without a host', { urls: ['https://'] }, URLS, 'urls[0] must be an http: or https: URL'],
  ['a url with a tab inside', { urls: ['https://a.ex\tample'] }, URLS, 'urls[0] must be free of control characters'],
  ['a url with a newline inside', { urls: ['https://a.ex\nample'] }, URLS, 'urls[0] must be free of control'],
  ['a url with a NUL inside', { urls: ['https://a.example/\0'] }, URLS, 'urls[0] must be free of control characters'],
  ['a url with half a surrogate pair', { urls: ['https://a.example/\ud800'] }, URLS, 'urls[0] must be well-formed'],
  ['a title of 201 characters', { title: 'x'.repeat(201) }, BAD, `title ${TOO_LONG} 200`],
  ['a title of 201 code points', { title: PLANE.repeat(201) }, BAD, `title ${TOO_LONG} 200`],
  ['a title that is a number', { title: 1 }, BAD, 'title must be a string or null'],
  ['a title with a newline', { title: 'a\nb' }, BAD, 'title must be free of control characters'],
  ['a title with a NUL', { title: 'a\0b' }, BAD, 'title must be free of control characters'],
  ['a title with half a surrogate pair', { title: '\udc00' }, BAD, 'title must be well-formed Unicode'],
  ['a description of 2001 characters', { description: 'x'.repeat(2001) }, BAD, `description ${TOO_LONG} 2000`],
  ['a description with a NUL', { description: '\0' }, BAD, 'description must be free of control characters'],
  ['a description with a carriage return', { description: 'a\r\nb' }, BAD, 'description must be free of control'],
  ['a note of 501 characters', meta([{ note: 'x'.repeat(501) }]), BAD, `urlMetadata[0].note ${TOO_LONG} 500`],
  ['a note with an escape', meta([{ note: '\u001b[0m' }]), BAD, 'urlMetadata[0].note must be free of control'],
  ['11 tags', meta([{ tags: Array(11).fill('x') }]), BAD, 'urlMetadata[0].tags must have at most 10 entries'],
  ['a tag of 41 characters', meta([{ tags: ['a', 'x'.repeat(41)] }]), BAD, `urlMetadata[0].tags[1] ${TOO_LONG} 40`],
  ['a tag of spaces', meta([{ tags: [' '] }]), BAD, 'urlMetadata[0].tags[0] must be a text that is not blank'],
  ['a tag with a newline', meta([{ tags: ['a\nb'] }]), BAD, 'urlMetadata[0].tags[0] must be free of control'],
  ['openPolicy of another value', meta([{ openPolicy: 'never' }]), BAD, 'urlMetadata[0].openPolicy must be "auto" or'],
  ['urlMetadata longer than urls', meta([{}, {}]), BAD, 'urlMetadata must be no longer than urls'],
  ['urlMetadata that holds null', meta([null]), BAD, 'urlMetadata[0] must be an object'],
  ['an unknown field of urlMetadata', meta([{ nota: 'x' }]), BAD, 'urlMetadata[0].nota is not a field'],
  ['source of another value', { source: 'fax' }, BAD, 'source must be'],
  ['email without an at sign', { email: 'someone' }, BAD, 'email must be an email address'],
  ['email without a domain', { email: 'someone@mail' }, BAD, 'email must be an email address'],
  ['email of 255 characters', { email: `${'x'.repeat(242)}@mail.example` }, BAD, `email ${TOO_LONG} 254`],
  ['a policy of a later version', { resolutionPolicy: { version: 2, rules: [] } }, BAD, 'resolutionPolicy.version '],
  ['a slug, which is for people who are signed in', { slug: 'chosen' }, BAD, 'slug can be chosen only when signed in'],
  ['an unknown field', { titel: 'x' }, BAD, 'titel is not a field of this request'],
]

onEveryTarget({}, (server) => {
  test('an anonymous bundle is answered with 201, its location, and a claim token shown once', async () => {
    const before = Date.now()
    const { status, headers, body } = await create(server(), { urls: [URL_OK] })
    const { origin } = server()
    expect(status).toBe(201)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(headers.get('location')).toBe(`/api/links/${body.slug}`)
    expect(Object.keys(body).sort()).toEqual([
      'claimExpiresAt',
      'claimToken',
      'claimUrl',
      'slug',
      'url',
      'versionNumber',
      'warning',
    ])
    expect(body.slug).toMatch(/^[23456789abcdefghjkmnpqrstuvwxyz]{10}$/)
    expect(body.url).toBe(`${origin}/l/${body.slug}`)
    expect(body.claimToken).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(body.claimUrl).toBe(`${origin}/claim/${body.claimToken}`)
    expect(body.claimExpiresAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const days = (Date.parse(body.claimExpiresAt) - before) / 86_400_000
    expect(days).toBeCloseTo(7, 1)
    expect(body.warning).toContain('once')
  })

  test('every allowed value, up to its bound, is accepted', async () => {
    const refused = []
    for (const [name, fields] of ACCEPTED) {
      const { status, body } = await create(server(), { urls: [URL_OK], ...fields })
      if (status !== 201) refused.push([name, body])
    }
    expect(refused).toEqual([])
  })

  test('one past each bound, and every wrong type, is refused with its code and its path', async () => {
    const wrong = []
    for (const [name, fields, code, begins] of REFUSED) {
      const { status, body } = await create(server(), { urls: [URL_OK], ...fields })
      const isAsSaid = status === 400 && body.code === code && body.error.startsWith(begins)
      if (!isAsSaid) wrong.push([name, status, body])
    }
    expect(wrong).toEqual([])
  })

  test('a 400 answer has error, code, requestId and docUrl, and nothing else', async () => {
    const { body } = await create(server(), { urls: [] })
    expect(Object.keys(body).sort()).toEqual([...ERROR_FIELDS].sort())
  })

  test('URLs are stored as sent, trimmed; metadata is padded to the same length', async () => {
    const { body } = await create(server(), {
      urls: ['  https://A.example/%7Ex?b=1#c \n', 'http://b.example'],
      urlMetadata: [{ note: ' kept ', tags: ['one', 'two'], openPolicy: 'manual' }],
    })
    const { urls, urlMetadata } = await storedBundle(server(), body.slug)
    expect(urls).toEqual(['https://A.example/%7Ex?b=1#c', 'http://b.example'])
    expect(urlMetadata).toEqual([{ note: ' kept ', tags: ['one', 'two'], openPolicy: 'manual' }, {}])
  })

  test('title, description and source are stored; source defaults to api', async () => {
    const sent = { title: 'Ä title', description: 'Two\nlines', source: 'cli' }
    const told = await create(server(), { urls: [URL_OK], ...sent })
    expect(await storedBundle(server(), told.body.slug)).toMatchObject(sent)
    const untold = await create(server(), { urls: [URL_OK] })
    expect(await storedBundle(server(), untold.body.slug)).toMatchObject({
      title: null,
      description: null,
      source: 'api',
    })
  })

  test('a valid Service-Client is stored, and an invalid one is ignored', async () => {
    const kept = async (label: string) => {
      const { status, body } = await create(server(), { urls: [URL_OK] }, { 'service-client': label })
      return [status, (await storedBundle(server(), body.slug)).client]
    }
    const longest = `${'a'.repeat(40)}/${'b'.repeat(40)}`
    expect(await kept('my-tool/1.2_x')).toEqual([201, 'my-tool/1.2_x'])
    expect(await kept(longest)).toEqual([201, longest])
    for (const malformed of ['tool', 'tool/', 'a b/c', 'a/b/c', `${longest}b`]) {
      expect(await kept(malformed)).toEqual([201, null])
    }
  })

  test('fields named like properties of every object are unknown fields', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const outer = await create(server(), `{"urls":["${URL_OK}"],"${name}":{"note":"x"}}`)
      expect([outer.status, outer.body.error]).toEqual([400, `${name} is not a field of this request: remove it`])
      const inner = await create(server(), `{"urls":["${URL_OK}"],"urlMetadata":[{"${name}":{"note":"x"}}]}`)
      expect([inner.status, inner.body.code]).toEqual([400, 'BAD_REQUEST'])
    }
  })

  test('fields cannot be smuggled in under __proto__', async () => {
    const { status, body } = await create(server(), `{"__proto__":{"urls":["${URL_OK}"]}}`)
    expect([status, body.code]).toEqual([400, 'INVALID_URLS'])
  })

  test('an email address that is slow to parse does not delay other requests', async () => {
    const email = `a@${'a.'.repeat(120_000)}@`
    const { status, body } = await create(server(), { urls: [URL_OK], email })
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST'])
  })
})
