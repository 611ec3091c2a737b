import { beforeAll, describe, expect, test } from 'bun:test'
import { qrCode } from '../../src/launcher/qr.ts'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

interface Told {
  error?: string
  code?: string
  slug: string
  url: string
  title: string | null
  description: string | null
  matchedRule: { id: string; name: string | null } | null
  variables: unknown[]
  values: Record<string, string>
  missing: string[]
  invalid: { name: string; message: string }[]
  tabs: { url: string; note: string | null; section: string | null; tags: string[]; openPolicy: string }[]
}

const VARIABLES = [
  { name: 'id', label: 'Customer', example: '4711' },
  { name: 'range', default: '7d', options: ['7d', '30d'] },
]
const CONTENT = {
  title: 'Customer {id}',
  description: 'All of {id}, {range} back.',
  variables: VARIABLES,
  urls: ['https://crm.example/{id}', 'https://logs.example/?q={id}&range={range}', 'https://wiki.example/'],
  urlMetadata: [
    { note: 'Of {id}', section: 'About {id}' },
    { openPolicy: 'manual', tags: ['logs'] },
  ],
  resolutionPolicy: {
    version: 1,
    rules: [
      {
        name: 'Europe',
        showBadge: true,
        when: { op: 'startsWith', field: 'query.id', value: 'EU-' },
        tabs: [{ url: 'https://eu.example/{id}' }],
      },
      {
        name: 'From a mail',
        when: { op: 'equals', field: 'query.from', value: 'mail' },
        tabs: [{ url: 'https://mail.example/{id}/{range}' }],
      },
    ],
  },
}

onEveryTarget({ SERVICE_CLIENT_IP_HEADER: 'x-client' }, (server) => {
  let owner: Person
  let slug: string
  beforeAll(async () => {
    owner = await newPerson(server())
    slug = (await owner.makeBundle(CONTENT)).slug
  })

  const someone = () =>
    new Visitor(server(), { 'x-client': `10.${crypto.getRandomValues(new Uint8Array(3)).join('.')}` })
  const tabsOf = async (query: string, by: Visitor = someone()) =>
    (await by.api<Told>('GET', `/api/links/${slug}/tabs${query}`)).body
  const textOf = async (below: string) => (await someone().fetch(`/l/${slug}${below}`)).text()

  describe('get_tabs', () => {
    test('answers the filled tabs, with what can be filled in and what was', async () => {
      const { status, body, headers } = await someone().api<Told>('GET', `/api/links/${slug}/tabs?id=47 11`)
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect(body).toEqual({
        slug,
        url: `${server().origin}/l/${slug}`,
        title: 'Customer 47 11',
        description: 'All of 47 11, 7d back.',
        matchedRule: null,
        variables: [
          { name: 'id', label: 'Customer', example: '4711' },
          { name: 'range', label: 'Range', options: ['7d', '30d'] },
        ],
        values: { id: '47 11', range: '7d' },
        missing: [],
        invalid: [],
        tabs: [
          {
            url: 'https://crm.example/47%2011',
            note: 'Of 47 11',
            tags: [],
            section: 'About 47 11',
            openPolicy: 'auto',
          },
          {
            url: 'https://logs.example/?q=47%2011&range=7d',
            note: null,
            tags: ['logs'],
            section: null,
            openPolicy: 'manual',
          },
          { url: 'https://wiki.example/', note: null, tags: [], section: null, openPolicy: 'auto' },
        ],
      })
    })

    test('says what is missing or refused, and answers the tabs with their placeholders', async () => {
      expect(await tabsOf('')).toMatchObject({
        title: 'Customer {id}',
        values: { range: '7d' },
        missing: ['id'],
        invalid: [],
        tabs: [{ url: 'https://crm.example/{id}' }, {}, {}],
      })
      expect(await tabsOf('?id=..&range=9d')).toMatchObject({
        missing: [],
        invalid: [{ name: 'range', message: 'Choose one of: 7d, 30d.' }, { name: 'id' }],
      })
      expect(await tabsOf('?id=..')).toMatchObject({ invalid: [{ name: 'id' }], tabs: [{ note: 'Of {id}' }, {}, {}] })
    })

    test.each([
      '?id=1',
      '?id=1&range=30d',
      '?id=EU-7',
      '?id=8&from=mail',
      '?id=1&id=2',
      '?ID=1',
      '?id=%20',
      '?id=..',
      '',
    ])('answers %s as .json does', async (query) => {
      expect(await tabsOf(query)).toEqual(JSON.parse(await textOf(`.json${query}`)))
    })

    test('rules read the values, and other parameters of the query', async () => {
      expect(await tabsOf('?id=EU-7')).toMatchObject({
        matchedRule: { name: 'Europe' },
        tabs: [{ url: 'https://eu.example/EU-7' }],
      })
      expect(await tabsOf('?id=8&from=mail&slug=other&format=csv&values=x')).toMatchObject({
        slug,
        matchedRule: { name: null },
        tabs: [{ url: 'https://mail.example/8/7d' }],
      })
    })

    test('fills variables whose names are those of fields', async () => {
      const urls = ['https://a.example/{slug}/{values}/{constructor}']
      const variables = ['slug', 'values', 'constructor'].map((name) => ({ name }))
      const made = await owner.makeBundle({ urls, variables })
      const path = `/api/links/${made.slug}/tabs`
      expect((await someone().api<Told>('GET', path)).body.missing).toEqual(['slug', 'values', 'constructor'])
      const { body } = await someone().api<Told>('GET', `${path}?slug=1&values=2&constructor=3`)
      expect(body.tabs.map(({ url }) => url)).toEqual(['https://a.example/1/2/3'])
    })

    test('takes a link for the slug, with its values', async () => {
      const at = async (link: string, query = '') =>
        (await someone().api<Told>('GET', `/api/links/${encodeURIComponent(link)}/tabs${query}`)).body
      const { origin } = server()
      expect((await at(`${origin}/l/${slug}?id=5&range=30d`)).values).toEqual({ id: '5', range: '30d' })
      expect((await at(`${origin}/l/${slug}/a%20b?range=30d`)).values).toEqual({ id: 'a b', range: '30d' })
      expect((await at(`/l/${slug}/6`)).values).toEqual({ id: '6', range: '7d' })
      expect((await at(`${origin}/l/${slug}/6?id=7#x`, '?range=30d')).values).toEqual({ id: '7', range: '30d' })
      expect((await at(`${origin}/l/${slug}/6`, '?id=8')).values).toEqual({ id: '8', range: '7d' })
      expect((await at(`${origin}/l/${slug}.json?id=5`)).values).toEqual({ id: '5', range: '7d' })
      for (const own of ['qr.svg', 'feed', 'bookmarks.html', 'copy', 'report', 'remind', 'calendar.ics'])
        expect([own, (await at(`${origin}/l/${slug}/${own}`)).missing]).toEqual([own, ['id']])
      expect(await at(`https://other.example/l/${slug}?id=5`)).toMatchObject({ code: 'BAD_REQUEST' })
    })

    test('has the doors of the launcher', async () => {
      const gated = (fields: object) => owner.makeBundle({ ...CONTENT, ...fields })
      const read = (at: string, by: Visitor) => by.api<Told>('GET', `/api/links/${at}/tabs?id=1`)
      const members = await gated({ access: 'members' })
      const locked = await gated({ access: 'password', password: 'four stairs down' })
      const later = await gated({ opensAt: '2099-01-01T00:00:00Z' })
      const closed = await gated({ closesAt: '2020-01-01T00:00:00Z', closedNote: 'Gone' })
      const key = new Visitor(server(), { authorization: `Bearer ${(await owner.mint()).rawKey}` })
      const refusals: [string, number, string][] = [
        [members.slug, 401, 'MEMBERS_ONLY'],
        [locked.slug, 401, 'PASSWORD_REQUIRED'],
        [later.slug, 403, 'NOT_OPEN_YET'],
        [closed.slug, 410, 'CLOSED'],
        ['there-is-none', 404, 'NOT_FOUND'],
      ]
      for (const [at, status, code] of refusals) {
        for (const by of [someone(), key]) expect(await read(at, by)).toMatchObject({ status, body: { code } })
      }
      expect((await read(members.slug, owner)).body.tabs[0]?.url).toBe('https://crm.example/1')
    })

    test('is limited by address for whoever has no credential, and counts no view', async () => {
      const visitor = someone()
      const one = () => visitor.api<Told>('GET', `/api/links/${slug}/tabs?id=1`)
      const answers = await Promise.all(Array.from({ length: 130 }, one))
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
      expect(answers.find(({ status }) => status === 429)?.body.code).toBe('RATE_LIMITED')
      const asOwner = await Promise.all(Array.from({ length: 130 }, () => tabsOf('?id=1', owner)))
      expect(asOwner.every(({ missing }) => missing.length === 0)).toBe(true)
      const { body } = await owner.api<{ totals: { views: number } }>('GET', `/api/links/${slug}/insights`)
      expect(body.totals.views).toBe(0)
    })
  })

  describe('the same tabs come through every form:', () => {
    const QUERY = '?id=a%20%26%20b&range=30d'
    const FILLED = [
      'https://crm.example/a%20%26%20b',
      'https://logs.example/?q=a%20%26%20b&range=30d',
      'https://wiki.example/',
    ]
    const unescaped = (html: string) => html.replaceAll('&amp;', '&')

    test('get_tabs and .json', async () => {
      const told = await tabsOf(QUERY)
      expect(told.tabs.map(({ url }) => url)).toEqual(FILLED)
      expect(JSON.parse(await textOf(`.json${QUERY}`))).toEqual(told)
    })

    test('.md', async () => {
      const text = (await textOf(`.md${QUERY}`)).replaceAll('\\', '')
      expect(Array.from(text.matchAll(/\]\((\S+)\)/g), ([, url]) => url)).toEqual(FILLED)
      expect(text).toContain('# Customer a & b')
    })

    test('the bookmarks file', async () => {
      const file = unescaped(await textOf(`/bookmarks.html${QUERY}`))
      expect(Array.from(file.matchAll(/HREF="([^"]*)"/g), ([, url]) => url)).toEqual(FILLED)
      expect(file).toContain('<H3>Customer a & b</H3>')
    })

    test('the page, by either form of its address', async () => {
      for (const address of [QUERY, '/a%20%26%20b?range=30d']) {
        const page = unescaped(await textOf(address))
        const links = Array.from(page.matchAll(/href="(https:\/\/[^"]*\.example\/[^"]*)"/g), ([, url]) => url)
        expect([...new Set(links)]).toEqual(FILLED)
      }
    })

    test('values that are too long for a QR code are refused one, and nothing else', async () => {
      const variables = ['a', 'b'].map((name) => ({ name }))
      const fields = { urls: ['https://a.example/{a}', 'https://b.example/{b}'], variables }
      const long = encodeURIComponent('漢'.repeat(200))
      const query = `?a=${long}&b=${long}`
      const { slug: open } = await owner.makeBundle(fields)
      const answer = await someone().fetch(`/l/${open}/qr.svg${query}`)
      expect([answer.status, await answer.text()]).toEqual([
        400,
        expect.stringContaining('These values are too long for a QR code. Copy the link instead.'),
      ])
      const lock = { access: 'password', password: 'four stairs down' }
      const { slug: locked } = await owner.makeBundle({ ...fields, ...lock })
      const unlocked = await someone().form(`/l/${locked}${query}`, lock)
      const page = await unlocked.text()
      expect([unlocked.status, page.includes(`href="https://b.example/${long}"`)]).toEqual([200, true])
      expect(page).toContain('These values are too long for a QR code. Copy the link instead.')
      expect(server().output()).not.toContain('"level":50')
    })

    test('the QR code is that of the filled address', async () => {
      expect(await textOf(`/qr.svg${QUERY}`)).toBe(qrCode(`${server().origin}/l/${slug}${QUERY}`))
    })
  })
})
