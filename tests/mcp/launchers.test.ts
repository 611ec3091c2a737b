import { beforeAll, expect, test } from 'bun:test'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { callOf, send } from './support.ts'

// An agent reads a link that it was given, with values, whoever owns the bundle.

interface Answered {
  result?: {
    contents: { uri: string; mimeType: string; text: string }[]
    completion: { values: string[] }
    resourceTemplates: { uriTemplate: string }[]
  }
  error?: { code: number; message: string }
}

onEveryTarget({}, (at) => {
  let key: string
  let owner: Person
  let slug: string
  beforeAll(async () => {
    owner = await newPerson(at())
    key = (await (await newPerson(at())).mint({ scopes: ['links:read'], rateLimitPerHour: 0 })).rawKey
    const made = await owner.makeBundle({
      title: 'Customer {id}',
      urls: ['https://crm.example/{id}', 'https://logs.example/?q={id}&since={range}'],
      variables: [
        { name: 'id', label: 'Customer' },
        { name: 'range', default: '7d', options: ['7d', '30d'] },
      ],
      resolutionPolicy: {
        version: 1,
        rules: [
          {
            name: 'a',
            when: { op: 'equals', field: 'query.id', value: 'vip' },
            tabs: [{ url: 'https://vip.example/{range}' }],
          },
          {
            name: 'b',
            when: { op: 'equals', field: 'client', value: 'script' },
            tabs: [{ url: 'https://wrong.example/' }],
          },
        ],
      },
    })
    slug = made.slug
  })

  const ask = async (method: string, params: unknown): Promise<Answered> =>
    (await send(at(), { jsonrpc: '2.0', id: 1, method, params }, { authorization: `Bearer ${key}` }))
      .body as unknown as Answered
  const read = (uri: string) => ask('resources/read', { uri })

  test('a template says how launchers are asked for with values', async () => {
    const { result } = await ask('resources/templates/list', {})
    expect(result?.resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('openall://l/{slug}{?values*}')
  })

  test.each([
    (slug: string) => `openall://l/${slug}.json?id=4711&range=30d`,
    (slug: string) => `openall://l/${slug}?id=4711&range=30d`,
    (slug: string) => `${at().origin}/l/${slug}?id=4711&range=30d`,
    (slug: string) => `${at().origin}/l/${slug}.json?id=4711&range=30d`,
    (slug: string) => `${at().origin}/l/${slug}.md?id=4711&range=30d#top`,
    (slug: string) => `${at().origin}/l/${slug}/4711?range=30d`,
    (slug: string) => `openall://l/${slug}/4711?range=30d`,
  ])('its address number %# is read filled', async (addressOf) => {
    const uri = addressOf(slug)
    const { result } = await read(uri)
    const [content] = result?.contents ?? []
    const isJson = uri.includes('.json')
    expect(content).toMatchObject({ uri, mimeType: isJson ? 'application/json' : 'text/markdown' })
    const below = isJson ? '.json' : '.md'
    const page = await new Visitor(at(), { 'user-agent': 'claude' }).fetch(`/l/${slug}${below}?id=4711&range=30d`)
    expect(content?.text).toBe(await page.text())
    expect(content?.text).toContain('https://logs.example/?q=4711&since=30d')
  })

  test('rules see the values, and that an agent asks', async () => {
    expect((await read(`openall://l/${slug}?id=vip`)).result?.contents[0]?.text).toContain('https://vip.example/7d')
    const { body } = await send(at(), callOf('get_tabs', { slug, values: { id: 'vip', range: '30d' } }), {
      authorization: `Bearer ${key}`,
    })
    expect(body.result.structuredContent.tabs).toMatchObject([{ url: 'https://vip.example/30d' }])
    const other = await send(at(), callOf('get_tabs', { slug: `${at().origin}/l/${slug}/1?range=30d` }), {
      authorization: `Bearer ${key}`,
    })
    expect(other.body.result.structuredContent.tabs).toMatchObject([
      { url: 'https://crm.example/1' },
      { url: 'https://logs.example/?q=1&since=30d' },
    ])
  })

  test('without its values it says how to ask, and a value that is refused is named', async () => {
    expect((await read(`${at().origin}/l/${slug}`)).result?.contents[0]?.text).toContain('`id`: Customer')
    expect((await read(`openall://l/${slug}?range=9d`)).result?.contents[0]?.text).toContain('Choose one of: 7d, 30d.')
  })

  test('the address of another host, or of no launcher, is refused with what to do', async () => {
    for (const uri of [`https://other.example/l/${slug}?id=1`, `${at().origin}/dashboard`, 'https://other.example/']) {
      const { error } = await read(uri)
      expect([uri, error?.code]).toEqual([uri, -32602])
      expect(error?.message).toMatch(/fetch it, with Accept: text\/markdown/)
    }
  })

  test('what an agent may not see stays closed to it', async () => {
    const { slug: members } = await owner.makeBundle({
      access: 'members',
      urls: ['https://a.example/{id}'],
      variables: [{ name: 'id' }],
    })
    for (const uri of [`openall://l/${members}?id=1`, `${at().origin}/l/${members}/1`]) {
      expect((await read(uri)).error?.message).toContain('Only members')
    }
    expect(await completed('', members)).toEqual([])
  })

  const completed = async (value: string, slug?: string) => {
    const { result } = await ask('completion/complete', {
      ref: { type: 'ref/resource', uri: 'openall://l/{slug}{?values*}' },
      argument: { name: 'values', value },
      ...(slug === undefined ? {} : { context: { arguments: { slug } } }),
    })
    return result?.completion.values
  }

  test('names and options of variables are completed', async () => {
    expect(await completed('', slug)).toEqual(['id=', 'range='])
    expect(await completed('ra', slug)).toEqual(['range='])
    expect(await completed('range=', slug)).toEqual(['range=7d', 'range=30d'])
    expect(await completed('range=3', slug)).toEqual(['range=30d'])
    expect(await completed('id=', slug)).toEqual([])
    expect(await completed('', 'there-is-none')).toEqual([])
    expect(await completed('')).toEqual([])
  })
})
