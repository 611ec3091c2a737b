import { beforeAll, expect, test } from 'bun:test'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf } from './html.ts'

/** A launcher as `.json`. */
interface Told {
  title: string | null
  description: string | null
  matchedRule: { name: string } | null
  variables: unknown[]
  values: Record<string, string>
  missing: string[]
  invalid: { name: string; message: string }[]
  tabs: { url: string; note: string | null; section: string | null }[]
}

const CUSTOMER = {
  title: 'Customer {id}',
  description: 'All of {id} in {region}, {nobody}',
  urls: ['https://crm.example/c/{id}', 'https://logs.example/{region}?q={id}&r={region}#{id}'],
  urlMetadata: [{ note: 'Notes on {id}', section: 'In {region}' }],
  variables: [
    { name: 'id', label: 'Customer number', example: '4711' },
    { name: 'region', default: 'eu', options: ['eu', 'us'] },
  ],
}
const BROWSER = { 'user-agent': 'Mozilla/5.0 Firefox/153.0', accept: 'text/html' }

onEveryTarget({}, (at) => {
  let owner: Person
  let slug: string
  beforeAll(async () => {
    owner = await newPerson(at())
    slug = (await owner.makeBundle(CUSTOMER)).slug
  })
  const viewer = () => new Visitor(at(), BROWSER)
  const page = async (path: string) => {
    const answer = await viewer().fetch(`/l/${path}`)
    return { status: answer.status, headers: answer.headers, html: await answer.text() }
  }
  const told = async (path: string) =>
    (await new Visitor(at()).api<Told>('GET', `/l/${path}`, undefined, { accept: 'application/json' })).body
  const asText = async (path: string) => (await viewer().fetch(`/l/${path}`)).text()
  const hrefs = (html: string) =>
    elementsOf(html).flatMap(({ tag, attributes }) =>
      tag === 'a' && attributes.class === 'tab' ? [attributes.href ?? null] : [],
    )
  const urlsOf = async (fields: Record<string, unknown>, query: string) => {
    const made = await owner.makeBundle(fields)
    return (await told(`${made.slug}.json?${query}`)).tabs.map(({ url }) => url)
  }
  const one = async (url: string, value: string) => {
    const made = await owner.makeBundle({ urls: [url], variables: [{ name: 'x' }] })
    return told(`${made.slug}.json?x=${encodeURIComponent(value)}`)
  }

  test('a value stands in links, title, description, notes and sections; other braces are text', async () => {
    const { title, description, tabs, values, missing, invalid, variables } = await told(`${slug}.json?id=47%2F11`)
    expect({ title, description, values, missing, invalid }).toEqual({
      title: 'Customer 47/11',
      description: 'All of 47/11 in eu, {nobody}',
      values: { id: '47/11', region: 'eu' },
      missing: [],
      invalid: [],
    })
    expect(tabs.map(({ url, note, section }) => [url, note, section])).toEqual([
      ['https://crm.example/c/47%2F11', 'Notes on 47/11', 'In eu'],
      ['https://logs.example/eu?q=47%2F11&r=eu#47%2F11', null, null],
    ])
    expect(variables).toEqual([
      { name: 'id', label: 'Customer number', example: '4711' },
      { name: 'region', label: 'Region', options: ['eu', 'us'] },
    ])
    const { html } = await page(`${slug}?id=47%2F11&region=us`)
    expect(html).toContain('<title>Customer 47/11 · Openall</title>')
    expect(hrefs(html)).toEqual(['https://crm.example/c/47%2F11', 'https://logs.example/us?q=47%2F11&r=us#47%2F11'])
    const markdown = await asText(`${slug}.md?id=4711`)
    expect(markdown).toContain('# Customer 4711')
    expect(markdown).toContain('(https://crm.example/c/4711)')
    expect(await asText(`${slug}/bookmarks.html?id=4711`)).toContain('HREF="https://crm.example/c/4711"')
  })

  test('values are encoded as by level 1 of RFC 6570: all but unreserved characters, as UTF-8', async () => {
    const value = "aZ09-._~ !*'();:@&=+$,/?#[]%ü漢😀é"
    const { tabs } = await one('https://a.example/{x}', value)
    const encoded =
      'aZ09-._~%20%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%2F%3F%23%5B%5D%25%C3%BC%E6%BC%A2%F0%9F%98%80%C3%A9'
    expect(tabs[0]?.url).toBe(`https://a.example/${encoded}`)
  })

  test('a value is trimmed and has 1 to 200 characters; an empty one is none', async () => {
    const link = 'https://a.example/?q={x}'
    expect((await one(link, ' \u00a0a b\n ')).values).toEqual({ x: 'a b' })
    for (const empty of ['', ' ', '\n\t'])
      expect(await one(link, empty)).toMatchObject({ values: {}, missing: ['x'], invalid: [] })
    const { slug: named } = await owner.makeBundle({
      urls: ['https://a.example/'],
      title: '{x}',
      variables: [{ name: 'x' }],
    })
    expect((await told(`${named}.json?x=${encodeURIComponent('😀'.repeat(200))}`)).title).toBe('😀'.repeat(200))
    expect((await told(`${named}.json?x=${encodeURIComponent('😀'.repeat(201))}`)).invalid).toHaveLength(1)
  })

  test.each([
    ['too long', 'x'.repeat(201), 'Use at most 200 characters.'],
    ['with a line break', 'a\nb', 'Leave out line breaks and invisible characters.'],
    ['with a null byte', 'a\0b', 'Leave out line breaks and invisible characters.'],
    ['with a C1 control', 'a\u0085b', 'Leave out line breaks and invisible characters.'],
    ['with a mark of direction', 'a\u202eb', 'Leave out line breaks and invisible characters.'],
    ['of a step up', '..', 'Use another value: with this one, a link would lead elsewhere.'],
    ['of a step nowhere', '.', 'Use another value: with this one, a link would lead elsewhere.'],
    [
      'with which a link is too long',
      '漢'.repeat(200),
      'Use a shorter value: a link would have more than 2048 characters.',
    ],
  ])('a value %s is refused everywhere, and nothing is filled in', async (_, value, message) => {
    const url = `https://a.example/{x}?${'l'.repeat(300)}`
    const made = await owner.makeBundle({
      urls: [url, 'https://b.example/'],
      title: 'Of {x}',
      variables: [{ name: 'x', label: 'The X' }],
    })
    const query = `x=${encodeURIComponent(value)}`
    const { status, html } = await page(`${made.slug}?${query}`)
    expect([status, hrefs(html)]).toEqual([200, [null, 'https://b.example/']])
    expect(html).toContain(message)
    expect(await told(`${made.slug}.json?${query}`)).toMatchObject({
      title: 'Of {x}',
      values: {},
      missing: [],
      invalid: [{ name: 'x', message }],
      tabs: [{ url }, { url: 'https://b.example/' }],
    })
    const markdown = await asText(`${made.slug}.md?${query}`)
    expect(markdown).toContain(`- \`x\`: The X. ${message}`)
  })

  test('a value that is none of the options is refused with what they are', async () => {
    const { invalid, values } = await told(`${slug}.json?id=1&region=mars`)
    expect([invalid, values]).toEqual([[{ name: 'region', message: 'Choose one of: eu, us.' }], { id: '1' }])
  })

  test('steps are found in parts too, and whatever is encoded already', async () => {
    const elsewhere = [
      ['https://a.example/.{x}', '.'],
      ['https://a.example/%2{x}', 'e'],
      ['https://a.example/%{x}', '2e'],
      ['https://a.example/{x}%2E', '.'],
      ['https://a.example/a\\{x}', '..'],
    ]
    for (const [link = '', value = ''] of elsewhere) {
      expect([link, (await one(link, value)).invalid.length]).toEqual([link, 1])
    }
    for (const [link = '', value = ''] of [
      ['https://a.example/?q={x}', '..'],
      ['https://a.example/#{x}', '.'],
      ['https://a.example/{x}', '...'],
      ['https://a.example/{x}', '%2e'],
    ]) {
      expect([link, (await one(link, value)).invalid.length]).toEqual([link, 0])
    }
    const both = { urls: ['https://a.example/{a}{b}'], variables: [{ name: 'a' }, { name: 'b' }] }
    const { slug: of } = await owner.makeBundle(both)
    expect((await told(`${of}.json?a=.&b=.`)).invalid.map(({ name }) => name)).toEqual(['a', 'b'])
    expect((await told(`${of}.json?a=..&b=b`)).invalid).toEqual([])
  })

  test('a value is never read again for placeholders', async () => {
    const fields = {
      urls: ['https://a.example/{a}/{b}'],
      title: '{a} and {b}',
      variables: [{ name: 'a' }, { name: 'b' }],
    }
    expect(await urlsOf(fields, 'a={b}&b={a}')).toEqual(['https://a.example/%7Bb%7D/%7Ba%7D'])
    const { slug: of } = await owner.makeBundle(fields)
    expect((await told(`${of}.json?a={b}&b=$%26`)).title).toBe('{b} and $&')
    expect((await page(`${of}?a={b}&b={a}`)).html).toContain('<title>{b} and {a} · Openall</title>')
  })

  test('without a value the page is the form, and what programs read says what is missing', async () => {
    const { status, html } = await page(slug)
    const [form] = elementsOf(html).filter(({ tag }) => tag === 'form')
    const controls = elementsOf(html).filter(({ tag }) => tag === 'input' || tag === 'select')
    expect([status, form?.attributes, hrefs(html)]).toMatchObject([
      200,
      { method: 'get', action: `/l/${slug}` },
      [null, null],
    ])
    expect(controls.map(({ attributes }) => attributes.name)).toEqual(['id', 'region'])
    expect(await told(`${slug}.json`)).toMatchObject({
      missing: ['id'],
      invalid: [],
      values: { region: 'eu' },
      title: CUSTOMER.title,
    })
    const markdown = await asText(`${slug}.md`)
    expect(markdown).toContain(`/l/${slug}.md?id=…&region=…`)
    expect(markdown).toContain('- `id`: Customer number; such as 4711')
    expect(markdown).toContain('- `region`: one of eu, us; by default eu')
  })

  test('a default fills in what nothing was sent for, also alone', async () => {
    const fields = { urls: ['https://a.example/{x}'], title: '{x}', variables: [{ name: 'x', default: 'all' }] }
    const { slug: of } = await owner.makeBundle(fields)
    for (const query of ['', '?x=', '?x=+'])
      expect(hrefs((await page(of + query)).html)).toEqual(['https://a.example/all'])
    expect(await told(`${of}.json`)).toMatchObject({ values: { x: 'all' }, missing: [], title: 'all' })
  })

  test('unknown parameters are ignored, and the first of several is meant', async () => {
    expect((await told(`${slug}.json?utm_source=x&nobody=1&id=1&id=2&ID=3`)).values).toEqual({ id: '1', region: 'eu' })
    const { slug: plain } = await owner.makeBundle()
    expect((await page(`${plain}?id=4711`)).headers.get('cache-control')).toBe('no-cache, no-transform')
  })

  test('the address may end in the value of the first variable; a query wins, and so do our own addresses', async () => {
    for (const form of ['html', 'json'] as const) {
      const urls = async (path: string) =>
        form === 'html' ? hrefs((await page(path)).html) : (await told(path)).tabs.map(({ url }) => url)
      expect((await urls(`${slug}/4711`))[0]).toBe('https://crm.example/c/4711')
      expect((await urls(`${slug}/47%2F11?region=us`))[1]).toBe('https://logs.example/us?q=47%2F11&r=us#47%2F11')
      expect((await urls(`${slug}/4711?id=12`))[0]).toBe('https://crm.example/c/12')
      expect((await urls(`${slug}/4711?id=`))[0]).toBe('https://crm.example/c/4711')
      expect((await urls(`${slug}/copies`))[0]).toBe('https://crm.example/c/copies')
    }
    expect((await viewer().fetch(`/l/${slug}/feed`)).headers.get('content-type')).toContain('application/atom+xml')
    expect((await viewer().fetch(`/l/${slug}/qr.svg`)).headers.get('content-type')).toContain('image/svg+xml')
    const { slug: plain } = await owner.makeBundle()
    expect((await page(`${plain}/4711`)).status).toBe(404)
    expect((await page(`${slug}/4711/more`)).status).toBe(404)
    expect((await page(`${slug}/%ff`)).status).toBe(404)
    expect((await page('nothing-here/4711')).status).toBe(404)
  })
})
