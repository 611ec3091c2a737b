import { beforeAll, expect, test } from 'bun:test'
import { actFor, newOrganization, newPerson, type Person, URL_A, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { NO_BUNDLE, told } from '../told.ts'

/** Mistakes that people and agents make, and the hint that each gets. */
const MISTAKES: [string, object, string, string][] = [
  [
    'a host as URL',
    { urls: ['example.com'] },
    'INVALID_URLS',
    'not "example.com": did you mean "https://example.com"?',
  ],
  [
    'a path as URL',
    { urls: [URL_A, 'example.com/a b'] },
    'INVALID_URLS',
    'urls[1] must be an http: or https: URL, not "exa',
  ],
  ['a control character', { urls: ['x\u001b[2J'] }, 'INVALID_URLS', 'not "x\\u001b[2J"'],
  ['url for urls', { url: URL_A }, 'INVALID_URLS', 'did you mean urls instead of url?'],
  ['links for urls', { links: [URL_A] }, 'INVALID_URLS', 'did you mean urls instead of links?'],
  ['another word', { urls: [URL_A], name: 'x' }, 'BAD_REQUEST', 'remove it, or did you mean title?'],
  [
    'another word inside',
    { urls: [URL_A], urlMetadata: [{ comment: 'x' }] },
    'BAD_REQUEST',
    'remove it, or did you mean note?',
  ],
  [
    'a list as its text',
    { urls: JSON.stringify([URL_A]) },
    'INVALID_URLS',
    'urls must be an array, not a text with its JSON: send it without the quotes around it',
  ],
  [
    'an object as its text',
    { urls: [URL_A], urlMetadata: ['{"note":"x"}'] },
    'BAD_REQUEST',
    'urlMetadata[0] must be an object, not a text with its JSON',
  ],
  ['one URL as text', { urls: URL_A }, 'INVALID_URLS', `did you mean ["${URL_A}"]?`],
  [
    'URLs as objects',
    { urls: [{ url: URL_A }] },
    'INVALID_URLS',
    `did you mean "${URL_A}"? Notes and tags go into urlMetadata`,
  ],
  ['another case', { urls: [URL_A], url_metadata: [] }, 'BAD_REQUEST', 'remove it, or did you mean urlMetadata?'],
  ['a typing mistake', { urls: [URL_A], titel: 'x' }, 'BAD_REQUEST', 'remove it, or did you mean title?'],
  ['one inside', { urls: [URL_A], urlMetadata: [{ tag: [] }] }, 'BAD_REQUEST', 'remove it, or did you mean tags?'],
  [
    'tabs as texts',
    {
      urls: [URL_A],
      resolutionPolicy: { version: 1, rules: [{ name: 'a', when: { op: 'signedIn' }, tabs: [URL_A] }] },
    },
    'BAD_REQUEST',
    `resolutionPolicy.rules[0].tabs[0] must be an object: did you mean {"url": "${URL_A}"}?`,
  ],
]

onEveryTarget({}, (at) => {
  let person: Person
  beforeAll(async () => {
    person = await newPerson(at())
  })

  test.each(MISTAKES)('%s', async (_, sent, code, hint) => {
    const { status, body } = await person.api('POST', '/api/links', sent)
    expect([status, body.code]).toEqual([400, code])
    expect(body.error).toContain(hint)
  })

  test('links of an edit in another form get one too', async () => {
    const { slug } = await person.makeBundle()
    const edit = async (sent: object) => (await person.api('PATCH', `/api/links/${slug}`, sent)).body.error
    expect(await edit({ addUrls: [URL_A] })).toBe(`addUrls[0] must be an object: did you mean {"url": "${URL_A}"}?`)
    expect(await edit({ removeUrls: URL_A })).toBe(`removeUrls must be an array: did you mean ["${URL_A}"]?`)
  })

  test('what is no mistake of typing gets no hint, and long values are not repeated', async () => {
    const { body } = await person.api('POST', '/api/links', { urls: [URL_A], [`x${'y'.repeat(5000)}`]: 1 })
    expect(body.error).not.toContain('did you mean')
    expect(String(body.error).length).toBeLessThan(400)
    const long = await person.api('POST', '/api/links', { urls: ['x'.repeat(1000)] })
    expect(long.body.error).toBe('urls[0] must be an http: or https: URL')
  })

  test('what is secret is not repeated, whatever it was sent in the place of', async () => {
    const { slug } = await person.makeBundle()
    const SECRET = 'four stairs down'
    const sent: [method: string, path: string, body: object, secret?: string][] = [
      ['PATCH', `/api/links/${slug}`, { access: 'password', password: 12345678 }, '12345678'],
      ['PATCH', `/api/links/${slug}`, { access: 'password', password: { url: SECRET } }],
      ['PATCH', `/api/links/${slug}`, { access: 'password', passwords: SECRET }],
      ['POST', '/api/links/bulk', { bundles: [{ urls: [URL_A] }], password: SECRET }],
      ['POST', '/api/links/bulk', { bundles: { urls: [URL_A], access: 'password', password: SECRET } }],
      ['POST', '/api/claims', { token: { url: SECRET } }],
      ['POST', '/api/claims', { claimToken: SECRET }],
      [
        'POST',
        '/api/links',
        { urls: [`ftp://dana:${SECRET.replaceAll(' ', '-')}@files.example/`] },
        'four-stairs-down',
      ],
      ['POST', '/api/links', { urls: `https://dana:pw@files.example/ , https://b.example` }, 'dana:pw'],
      ['POST', '/api/links', { urls: [URL_A], metadata: { apiKey: 12345678 } }, '12345678'],
    ]
    for (const [method, path, body, secret = SECRET] of sent) {
      const answer = await person.api(method, path, body)
      expect([body, answer.status]).toEqual([body, 400])
      expect([body, JSON.stringify(answer.body).includes(secret)]).toEqual([body, false])
    }
  })

  test('a key without its scheme is told so, and never repeated', async () => {
    const { body: minted } = await person.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'k' })
    const by = (authorization: string) => new Visitor(at()).api('GET', '/api/me', undefined, { authorization })
    const bare = await by(minted.rawKey)
    expect([bare.status, bare.body.code]).toEqual([401, 'UNAUTHORIZED'])
    expect(bare.body.error).toBe('Put `Bearer ` before the key: Authorization: Bearer <key>.')
    expect((await by(`Token ${minted.rawKey}`)).body.error).toContain('Put `Bearer ` before the key')
    expect((await by('Basic dXNlcjpwYXNz')).body.error).toContain('send an API key as Authorization: Bearer <key>')
    expect((await by('Bearer nonsense')).body.error).toContain('This API key is not valid')
    expect((await by(`bearer ${minted.rawKey}`)).status).toBe(200)
  })

  test('another slug in an edit is refused with the way to get one', async () => {
    const { slug } = await person.makeBundle()
    const { status, body } = await person.api('PATCH', `/api/links/${slug}`, { slug: 'another', title: 'x' })
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST'])
    expect(body.error).toContain('rename_bundle changes it')
  })

  test('a link is taken for its slug, unless it leads elsewhere', async () => {
    const { slug, url } = await person.makeBundle({ title: 'Linked' })
    const read = (link: string) => person.api('GET', `/api/links/${encodeURIComponent(link)}`)
    const { host } = new URL(at().origin)
    for (const link of [
      url,
      `${url}?ref=x#y`,
      `${url}/`,
      `${host}/l/${slug}`,
      `/l/${slug}`,
      url.replace('http:', 'https:'),
    ]) {
      expect([link, (await read(link)).body.title]).toEqual([link, 'Linked'])
    }
    const elsewhere = await read(`https://other.example/l/${slug}`)
    expect([elsewhere.status, elsewhere.body.code]).toEqual([400, 'BAD_REQUEST'])
    expect(elsewhere.body.error).toBe(`slug is a link to other.example, but this is ${host}`)
    expect((await read('https://other.example/')).status).toBe(404)
    const edited = await person.api('PATCH', `/api/links/${encodeURIComponent(url)}`, { title: 'Edited' })
    expect([edited.status, edited.body.title]).toEqual([200, 'Edited'])
    expect(await (await person.fetch(url)).text()).toContain('Edited')
  })

  test('a deleted bundle says how to bring it back, only to those who may', async () => {
    const { slug } = await person.makeBundle()
    await person.api('DELETE', `/api/links/${slug}`)
    const read = async (by: Visitor) => (await by.api('GET', `/api/links/${slug}`)).body
    expect(await read(person)).toEqual({
      error: 'This bundle was deleted: restore_bundle brings it back.',
      code: 'NOT_FOUND',
      ...told,
    })
    expect((await read(await newPerson(at()))).error).toBe(NO_BUNDLE)
  })

  test('an editor, who cannot restore a bundle of the organisation, is not told to', async () => {
    const [admin, editor] = [await newPerson(at()), await newPerson(at())]
    const { id } = await newOrganization(admin, [[editor, 'editor']])
    await actFor(admin, id)
    const { slug } = await admin.makeBundle()
    await admin.api('DELETE', `/api/links/${slug}`)
    const errorFor = async (by: Visitor) => (await by.api('GET', `/api/links/${slug}`)).body.error
    expect(await errorFor(admin)).toContain('restore_bundle')
    expect(await errorFor(editor)).toBe(NO_BUNDLE)
    expect((await editor.api('POST', `/api/links/${slug}/restore`)).status).toBe(403)
  })
})
