import { beforeAll, expect, test } from 'bun:test'
import { eventually } from '../eventually.ts'
import { callOf, send } from '../mcp/support.ts'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { newAddress } from './callers.ts'

// In front of a gate, whoever sends values learns nothing by any door: no text, no link, no variable, and not whether there
// are any. Each bundle was opened and filled before its gate was shut, so that whatever is kept in memory is there.

/** All texts of the bundle, and no others, have this. */
const MARK = 'zqmark'
const FIELDS = {
  title: `${MARK} {zqvar}`,
  description: `${MARK} {zqvar}`,
  urls: [`https://${MARK}.example/{zqvar}`, `https://${MARK}.example/?q={zqother}`],
  urlMetadata: [{ note: `${MARK} {zqvar}`, section: `${MARK} {zqvar}` }, { tags: [MARK] }],
  variables: [
    { name: 'zqvar', label: `${MARK} label`, example: `${MARK} example` },
    { name: 'zqother', options: [`${MARK} option`, `${MARK} other`], default: `${MARK} option` },
  ],
  resolutionPolicy: {
    version: 1,
    rules: [
      {
        name: MARK,
        showBadge: true,
        when: { op: 'equals', field: 'query.zqvar', value: 'vip' },
        tabs: [{ url: `https://${MARK}.example/vip` }],
      },
    ],
  },
  copyable: true,
}
/** What only the bundle has. A page in front of a gate repeats the address that was asked for, so what is sent is not among it. */
const TELLS = [MARK, 'zqother']

/** Addresses below a launcher’s, with values. */
const PATHS = [
  '',
  '?zqvar=4711',
  '?zqvar=vip',
  '?zqvar=..&other=9',
  '/4711',
  '/vip?other=9',
  '/4711%2F8',
  '.json?zqvar=4711',
  '.md?zqvar=4711',
  '/bookmarks.html?zqvar=4711',
  '/qr.svg?zqvar=4711',
  '/opensearch.xml?zqvar=4711',
  '/picture.png?zqvar=4711',
  '/feed?zqvar=4711',
  '/copy?zqvar=4711',
  '/remind?zqvar=4711',
  '/calendar.ics?days=mon&at=09:00&zone=UTC&zqvar=4711',
]
const ACCEPTS = ['text/html', 'application/json', 'text/markdown']
const PASSWORD = 'four stairs down'

onEveryTarget({ SERVICE_CLIENT_IP_HEADER: 'x-client' }, (at) => {
  let owner: Person
  let stranger: Person
  let key: string
  beforeAll(async () => {
    owner = await newPerson(at())
    stranger = await newPerson(at())
    key = (await stranger.mint({ scopes: ['links:read'], rateLimitPerHour: 0 })).rawKey
  })

  const nobody = () => new Visitor(at(), { 'user-agent': 'Mozilla/5.0 Firefox/153.0', 'x-client': newAddress() })

  /** Everything that is answered about a bundle, by every door. */
  async function everything(slug: string, visitor: Visitor): Promise<[door: string, status: number, text: string][]> {
    const heard: [string, number, string][] = []
    const hear = async (door: string, answer: Response) => {
      const { date: _, 'x-request-id': __, 'content-length': ___, ...headers } = Object.fromEntries(answer.headers)
      const text = await answer.text()
      if (door.startsWith('HEAD')) expect([door, text]).toEqual([door, ''])
      heard.push([door, answer.status, JSON.stringify(headers) + text])
    }
    for (const path of PATHS) {
      for (const accept of ACCEPTS) {
        for (const method of ['GET', 'HEAD']) {
          const answer = await visitor.fetch(`/l/${slug}${path}`, { method, headers: { accept } })
          await hear(`${method} ${path} ${accept}`, answer)
        }
      }
    }
    for (const path of ['', '?zqvar=4711', '/4711', '/vip'])
      await hear(`POST ${path}`, await visitor.form(`/l/${slug}${path}`, { password: 'wrong' }))
    await hear('POST /copy', await visitor.form(`/l/${slug}/copy?zqvar=4711`, { title: 'A copy' }))
    for (const named of [slug, `${at().origin}/l/${slug}/4711`, `/l/${slug}?zqvar=vip`]) {
      const path = `/api/links/${encodeURIComponent(named)}/tabs`
      for (const query of ['', '?zqvar=4711', '?zqvar=vip&other=9'])
        await hear(`GET tabs of ${named.replace(slug, '')}${query}`, await visitor.fetch(path + query))
    }
    const by = { authorization: `Bearer ${key}` }
    const read = { jsonrpc: '2.0', id: 1, method: 'resources/read' }
    const messages = [
      callOf('get_tabs', { slug, values: { zqvar: '4711' } }),
      callOf('get_tabs', { slug: `${at().origin}/l/${slug}/4711` }),
      { ...read, params: { uri: `openall://l/${slug}?zqvar=4711` } },
      { ...read, params: { uri: `${at().origin}/l/${slug}/vip` } },
      {
        ...read,
        method: 'completion/complete',
        params: {
          ref: { type: 'ref/resource', uri: 'openall://l/{slug}{?values*}' },
          argument: { name: 'values', value: '' },
          context: { arguments: { slug } },
        },
      },
    ]
    for (const message of messages) {
      const { status, body } = await send(at(), message, by)
      heard.push([`MCP ${message.method}`, status, JSON.stringify(body)])
    }
    // What differs by chance or by name.
    return heard.map(([door, status, text]) => [
      door,
      status,
      text
        .replaceAll(slug, '<slug>')
        .replace(/opens-in="\d+"/, '')
        .replaceAll(/\\?"[0-9a-f-]{36}\\?"/g, '')
        // The hash of a calendar, and of an event, which are made of the slug.
        .replace(/"W\/\\"[\w-]{22}\\""|UID:[\w-]{22}/g, ''),
    ])
  }

  const told = (heard: Awaited<ReturnType<typeof everything>>) =>
    heard.filter(([, , text]) => TELLS.some((tell) => text.includes(tell)))

  /** Makes a bundle, opens it by its doors, and then shuts its gate. */
  async function shut(fields: Record<string, unknown>, gate: (slug: string) => Promise<unknown>): Promise<string> {
    const { slug } = await owner.makeBundle(fields)
    const open = await everything(slug, nobody())
    if (fields === FIELDS) expect(told(open).length).toBeGreaterThan(PATHS.length)
    await gate(slug)
    return slug
  }

  const patch = (fields: object) => (slug: string) => owner.api('PATCH', `/api/links/${slug}`, fields)
  const PLAIN = { urls: ['https://a.example/'], copyable: true }
  const block = async (slug: string) => {
    const insert = "INSERT INTO blocked_bundles SELECT id, 'it is a test', 1 FROM bundles WHERE slug = ?"
    await at().sql(insert, [slug])
    await eventually(async () => (await nobody().fetch(`/l/${slug}?zqvar=4711`)).status >= 400, 'the block is seen')
  }

  test.each([
    ['members only', patch({ access: 'members' })],
    ['a password', patch({ access: 'password', password: PASSWORD })],
    ['not open yet', patch({ opensAt: '2100-01-01T00:00:00.000Z' })],
    ['closed', patch({ closesAt: '2020-01-01T00:00:00.000Z' })],
    ['deleted', (slug: string) => owner.api('DELETE', `/api/links/${slug}`)],
    ['taken down by the operator', block],
  ])('%s', async (_, gate) => {
    const [filled, plain] = [await shut(FIELDS, gate), await shut(PLAIN, gate)]
    const heard = await everything(filled, nobody())
    expect(told(heard)).toEqual([])
    expect(told(await everything(filled, stranger))).toEqual([])
    // A form with a password that none asks for leads back to the launcher; a calendar has the link that was asked for, and no more.
    const isRefused = (door: string, status: number) =>
      status >= 400 ||
      door.includes('/calendar.ics') ||
      door.startsWith('MCP') ||
      (door.startsWith('POST') && status === 303)
    expect(heard.filter(([door, status]) => !isRefused(door, status))).toEqual([])
    // As without variables, so that nobody learns whether there are any.
    const without = await everything(plain, nobody())
    expect(heard.filter((one, at) => !Bun.deepEquals(one, without[at])).slice(0, 2)).toEqual([])
  })

  test('a person whom the operator has disabled is in front of what was theirs', async () => {
    const person = await newPerson(at())
    const { slug } = await person.makeBundle({ ...FIELDS, access: 'members' })
    expect(told(await everything(slug, person)).length).toBeGreaterThan(PATHS.length)
    await at().sql('UPDATE user SET disabled_at = 1 WHERE id = ?', [person.userId])
    await eventually(async () => (await person.fetch(`/l/${slug}?zqvar=4711`)).status === 401, 'it is seen')
    expect(told(await everything(slug, person))).toEqual([])
  })
})
