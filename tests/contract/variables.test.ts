import { beforeAll, expect, test } from 'bun:test'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

interface Told {
  slug: string
  versionNumber: number
  urls: string[]
  variables: object[]
  error: string
  code: string
  errors: { path: string; message: string }[]
}

const LINK = 'https://a.example/{x}'
const X = { name: 'x' }
const when = { op: 'exists', field: 'language' }
const ruled = (...urls: string[]) => ({
  version: 1,
  rules: [{ name: 'Some', when, tabs: urls.map((url) => ({ url })) }],
})
const many = (length: number, make: (at: number) => unknown) => Array.from({ length }, (_, at) => make(at))

/** What `variables` may not be: its error begins with this path. */
const REFUSED: [what: string, variables: unknown, path: string][] = [
  ['six', many(6, (at) => ({ name: `v${at}` })), 'variables'],
  ['no list', X, 'variables'],
  ['a list of null', [null], 'variables[0]'],
  ['no name', [{}], 'variables[0].name'],
  ['an unknown field', [{ ...X, type: 'text' }], 'variables[0]'],
  ...[
    'X',
    '',
    '1a',
    '_a',
    'a-b',
    'ä',
    'a b',
    `a${'b'.repeat(30)}`,
    'lang',
    'format',
    'client',
    'utm_',
    'utm_source',
    '__proto__',
  ].map((name): [string, unknown, string] => [`the name “${name}”`, [X, { name }], 'variables[1].name']),
  ['a name twice', [X, { name: 'y' }, X], 'variables[2].name'],
  ['a long label', [{ ...X, label: 'l'.repeat(61) }], 'variables[0].label'],
  ['a blank label', [{ ...X, label: ' ' }], 'variables[0].label'],
  ['a label of two lines', [{ ...X, label: 'a\nb' }], 'variables[0].label'],
  ['a long example', [{ ...X, example: 'e'.repeat(101) }], 'variables[0].example'],
  ['a long default', [{ ...X, default: 'd'.repeat(201) }], 'variables[0].default'],
  ['an empty default', [{ ...X, default: '' }], 'variables[0].default'],
  ['a default with a mark of direction', [{ ...X, default: 'a\u202eb' }], 'variables[0].default'],
  ['a default with a lone surrogate', [{ ...X, default: 'a\ud800' }], 'variables[0].default'],
  ['a default that leads elsewhere', [{ ...X, default: '..' }], 'variables[0].default'],
  [
    'a default with which a link is too long',
    [{ ...X, default: '漢'.repeat(200) }, { name: 'y' }],
    'variables[0].default',
  ],
  ['no options', [{ ...X, options: [] }], 'variables[0].options'],
  ['51 options', [{ ...X, options: many(51, String) }], 'variables[0].options'],
  ['a long option', [{ ...X, options: ['a', 'o'.repeat(101)] }], 'variables[0].options[1]'],
  ['an empty option', [{ ...X, options: ['a', ''] }], 'variables[0].options[1]'],
  ['an option twice', [{ ...X, options: ['a', 'b', ' a'] }], 'variables[0].options[2]'],
  ['another default than the options', [{ ...X, options: ['a'], default: 'b' }], 'variables[0].default'],
  ['another example than the options', [{ ...X, options: ['a'], example: 'b' }], 'variables[0].example'],
]

/** Links with a placeholder before the path. */
const MOVING = [
  ...[
    'https://{x}.example/',
    'https://{x}/',
    'https://a.example.{x}',
    'https://{x}@a.example/',
    'https://u:{x}@a.example/',
  ],
  ...[
    'https://a.example:{x}/',
    'https://a.example:8{x}/',
    'http{x}://a.example/',
    '{x}://a.example/',
    'https:{x}',
    'https:/{x}/a',
  ],
  ...['https:\\\\{x}', '{x}', 'https://[::{x}]/', 'https://a.example{x}', 'https://%{x}1.example/'],
]

onEveryTarget({}, (at) => {
  let owner: Person
  beforeAll(async () => {
    owner = await newPerson(at())
  })
  const create = (fields: object, headers?: Record<string, string>) =>
    owner.api<Told>('POST', '/api/links', { urls: [LINK], ...fields }, headers)
  const patch = (slug: string, fields: object) => owner.api<Told>('PATCH', `/api/links/${slug}`, fields)
  const read = async (slug: string) => (await owner.api<Told>('GET', `/api/links/${slug}`)).body

  test('at every bound, variables are accepted and come back as they are stored', async () => {
    const variables = [
      { name: `a${'b'.repeat(29)}`, label: '😀'.repeat(60), example: 'e'.repeat(100), default: 'd'.repeat(200) },
      { name: 'o', options: many(50, (at) => `${at}`.padEnd(100, 'o')) },
      { name: 'constructor' },
      { name: 'language' },
      { name: 'utm' },
    ]
    const { status, body } = await create({ variables })
    expect([status, (await read(body.slug)).variables]).toEqual([201, variables])
    const { body: spaced } = await create({
      variables: [{ name: 'x', label: ' The X ', default: ' a ', options: [' a ', 'b'] }],
    })
    expect((await read(spaced.slug)).variables).toEqual([
      { name: 'x', label: 'The X', default: 'a', options: ['a', 'b'] },
    ])
    const { body: none } = await create({ variables: [] })
    expect((await read(none.slug)).variables).toEqual([])
  })

  test.each(REFUSED)('%s is refused at its path, by a create and by an edit', async (_, variables, path) => {
    const urls = [`${LINK}?${'l'.repeat(300)}`]
    const { body: made } = await create({ urls, variables: [] })
    for (const { status, body } of [await create({ urls, variables }), await patch(made.slug, { variables })]) {
      const text = path === 'variables' || path === 'variables[0]' ? path : `${path} `
      expect([status, body.code, body.error.slice(0, text.length)]).toEqual([400, 'BAD_REQUEST', text])
    }
    expect(await read(made.slug)).toMatchObject({ versionNumber: 1, variables: [] })
  })

  test.each(MOVING)('%s cannot be a link, nor a rule’s tab', async (url) => {
    const urls = ['https://b.example/', url]
    const link = await create({ urls, variables: [X] })
    expect([link.status, link.body.code, link.body.error.startsWith('urls[1] ')]).toEqual([400, 'INVALID_URLS', true])
    const tab = await create({ variables: [X], resolutionPolicy: ruled('https://b.example/', url) })
    const place = 'resolutionPolicy.rules[0].tabs[1].url '
    expect([tab.status, tab.body.code, tab.body.error.startsWith(place)]).toEqual([400, 'BAD_REQUEST', true])
    // Whichever comes later, the variable or the link.
    const { body: declared } = await create({ variables: [X] })
    expect((await patch(declared.slug, { urls })).body.code).toBe('INVALID_URLS')
    expect((await patch(declared.slug, { resolutionPolicy: ruled(url) })).body.code).toBe('BAD_REQUEST')
    const linked = await create({ urls })
    if (linked.status === 201)
      expect((await patch(linked.body.slug, { variables: [X] })).body.code).toBe('INVALID_URLS')
    const ruling = await create({ resolutionPolicy: ruled(url) })
    if (ruling.status === 201) expect((await patch(ruling.body.slug, { variables: [X] })).body.code).toBe('BAD_REQUEST')
  })

  test('each link that a variable could move is named, and which variable', async () => {
    const urls = ['https://{y}.example/{x}', LINK, 'https://{x}.example/']
    const { body } = await create({ urls, variables: [X, { name: 'y' }] })
    expect(body.errors.map(({ path, message }) => [path, /\{(\w)\}/.exec(message)?.[1]])).toEqual([
      ['urls[0]', 'y'],
      ['urls[2]', 'x'],
    ])
  })

  test('braces around other names are text, before the path too, and so are all where no variable is wanted', async () => {
    const urls = ['https://{y}.example/{X}/{x', 'https://a.example/?q={x}']
    const { status, body } = await create({ urls, title: '{x}', variables: [] })
    expect([status, (await read(body.slug)).urls]).toEqual([201, urls])
    const told = await new Visitor(at()).api<{ title: string; tabs: { url: string }[] }>(
      'GET',
      `/l/${body.slug}.json?x=1`,
    )
    expect([told.body.title, told.body.tabs.map(({ url }) => url)]).toEqual(['{x}', urls])
    expect((await patch(body.slug, { variables: [X] })).status).toBe(200)
  })
})
