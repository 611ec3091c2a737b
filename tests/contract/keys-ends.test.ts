import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { post } from '../oauth.ts'
import { onEveryTarget } from '../targets.ts'
import { ask, mint, newPerson, type Person } from './people.ts'

setDefaultTimeout(180_000)

const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS
const after = (ms: number) => new Date(Date.now() + ms).toISOString()

onEveryTarget({ SERVICE_CLIENT_IP_HEADER: 'x-client' }, (server) => {
  let person: Person
  beforeAll(async () => {
    person = await newPerson(server())
  })
  const make = (body: object, by: { cookie?: string; key?: string; headers?: Record<string, string> } = person) =>
    ask(server(), 'POST /api/me/keys', { ...by, body: { name: 'a key', ...body } })
  const statusOf = async (key: string, from?: string) =>
    (await ask(server(), 'GET /api/me', { key, headers: from === undefined ? {} : { 'x-client': from } })).status

  test('a key works until its end, is refused from then on, and stays in the list', async () => {
    const expiresAt = after(DAY_MS)
    const { apiKey, rawKey } = await mint(server(), person, { expiresAt })
    expect(apiKey.expiresAt).toBe(expiresAt)
    expect(await statusOf(rawKey)).toBe(200)
    await server().sql('UPDATE api_keys SET expires_at = ? WHERE id = ? RETURNING 1', [Date.now() - 1, apiKey.id])
    // A process may know it for another second.
    await becomes(() => statusOf(rawKey), 401)
    const { body } = await ask(server(), 'GET /api/me/keys', { cookie: person.cookie })
    expect(body.apiKeys.find(({ id }) => id === apiKey.id)).toMatchObject({ revokedAt: null })
  })

  test('a key that a process has read ends at its time, to the moment', async () => {
    const { apiKey, rawKey } = await mint(server(), person, { expiresAt: after(DAY_MS), rateLimitPerHour: 0 })
    // Later than any process knows it without.
    const end = Date.now() + 5000
    await server().sql('UPDATE api_keys SET expires_at = ? WHERE id = ? RETURNING 1', [end, apiKey.id])
    const answers: { negotiatedAt: number; status: number }[] = []
    do {
      const negotiatedAt = Date.now()
      answers.push({ negotiatedAt, status: await statusOf(rawKey) })
    } while (answers.at(-1)?.status === 200)
    const { status } = answers.at(-1)!
    expect([status, Date.now() >= end]).toEqual([401, true])
    expect(answers.filter(({ negotiatedAt, status }) => status === 200 && negotiatedAt > end)).toEqual([])
  })

  test('the end must be a time to come, within five years, and the error names the field', async () => {
    const cases: [expiresAt: unknown, status: number][] = [
      [after(60_000), 201],
      [after(5 * YEAR_MS - DAY_MS), 201],
      ['2999-01-01T00:00:00Z', 400],
      [after(6 * YEAR_MS), 400],
      [after(-60_000), 400],
      ['2020-01-01T00:00:00Z', 400],
      ['tomorrow', 400],
      ['2027-01-01', 400],
      ['', 400],
      // The same as none.
      [null, 201],
      [7, 400],
    ]
    for (const [expiresAt, status] of cases) {
      const answer = await make({ expiresAt })
      expect([expiresAt, answer.status]).toEqual([expiresAt, status])
      if (status === 400) expect(answer.body.error).toContain('expiresAt')
    }
  })

  test('a key works from its networks alone, as the server sees its clients', async () => {
    const allowedNetworks = ['203.0.113.0/24', '198.51.100.7', '2001:db8:1::/48']
    const { apiKey, rawKey } = await mint(server(), person, { allowedNetworks })
    expect(apiKey.allowedNetworks).toEqual(['203.0.113.0/24', '198.51.100.7/32', '2001:db8:1::/48'])
    for (const from of [
      '203.0.113.0',
      '203.0.113.255',
      '198.51.100.7',
      '2001:db8:1::',
      '2001:DB8:1:ffff::9',
      '::ffff:203.0.113.9',
    ])
      expect([from, await statusOf(rawKey, from)]).toEqual([from, 200])
    for (const from of [
      '203.0.112.255',
      '203.0.114.0',
      '198.51.100.8',
      '2001:db8:2::',
      '::1',
      '127.0.0.1',
      '::ffff:203.0.114.9',
    ])
      expect([from, await statusOf(rawKey, from)]).toEqual([from, 403])
    const refused = await ask(server(), 'GET /api/me', { key: rawKey, headers: { 'x-client': '192.0.2.1' } })
    expect([refused.body.code, refused.body.error]).toEqual(['FORBIDDEN', expect.stringContaining('192.0.2.1')])
    // Also where no credential is needed, and over MCP.
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who_am_i', arguments: {} } }
    const accept = { accept: 'application/json, text/event-stream', 'x-client': '192.0.2.1' }
    expect((await ask(server(), 'POST /api/mcp', { key: rawKey, body: message, headers: accept })).status).toBe(403)
    const open = { key: rawKey, body: { urls: ['https://a.example/'] }, headers: { 'x-client': '192.0.2.1' } }
    expect((await ask(server(), 'POST /api/links', open)).status).toBe(403)
    // And where it asks about itself.
    const active = async (from: string) => {
      const headers = { authorization: `Bearer ${rawKey}`, 'x-client': from }
      return (await post(server(), 'introspect', { token: rawKey }, headers)).status
    }
    expect([await active('203.0.113.7'), await active('192.0.2.1')]).toEqual([200, 403])
    // A refused address neither uses the key nor its limit.
    const unused = await mint(server(), person, { allowedNetworks: ['203.0.113.0/24'], rateLimitPerHour: 1 })
    for (let times = 0; times < 3; times += 1) expect(await statusOf(unused.rawKey, '192.0.2.1')).toBe(403)
    expect(await statusOf(unused.rawKey, '203.0.113.1')).toBe(200)
  })

  test('networks are kept in one form, and what is none is refused by name', async () => {
    const good: [sent: string, kept: string][] = [
      ['10.1.2.3/8', '10.0.0.0/8'],
      ['0.0.0.0/0', '0.0.0.0/0'],
      ['::/0', '::/0'],
      ['2001:0DB8:0000::1/33', '2001:db8::/33'],
      ['2001:db8::1', '2001:db8::1/128'],
      [' 192.0.2.1/32 ', '192.0.2.1/32'],
    ]
    for (const [sent, kept] of good)
      expect((await make({ allowedNetworks: [sent] })).body.apiKey.allowedNetworks).toEqual([kept])
    const bad = [
      '',
      'x',
      '10.0.0',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/08',
      '010.0.0.1',
      '10.0.0.256',
      '0x0a.0.0.1',
      '::1/129',
      '1::2::3',
      'fe80::1%eth0',
      '::ffff:10.0.0.1',
      '10.0.0.0/8/8',
      'a.example',
    ]
    for (const network of bad) {
      const { status, body } = await make({ allowedNetworks: ['10.0.0.0/8', network] })
      expect([network, status, body.error]).toEqual([network, 400, expect.stringContaining('allowedNetworks[1]')])
    }
    const many = (count: number) => Array.from({ length: count }, (_, at) => `10.0.${at}.0/24`)
    expect((await make({ allowedNetworks: many(20) })).status).toBe(201)
    expect((await make({ allowedNetworks: many(21) })).status).toBe(400)
    expect((await make({ allowedNetworks: [] })).status).toBe(400)
    expect((await make({ allowedNetworks: '10.0.0.0/8' })).status).toBe(400)
  })

  test('a key makes no key that outlasts it or works from elsewhere', async () => {
    const expiresAt = after(30 * DAY_MS)
    const networks = ['203.0.113.0/24', '2001:db8::/32']
    const { rawKey } = await mint(server(), person, { scopes: ['keys:admin'], expiresAt, allowedNetworks: networks })
    const by = { key: rawKey, headers: { 'x-client': '203.0.113.9' } }
    const same = await make({}, by)
    expect([same.status, same.body.apiKey.expiresAt, same.body.apiKey.allowedNetworks]).toEqual([
      201,
      expiresAt,
      networks,
    ])
    const within = { expiresAt: after(DAY_MS), allowedNetworks: ['203.0.113.128/25', '2001:db8:7::/48', '203.0.113.4'] }
    expect((await make(within, by)).status).toBe(201)
    const beyond = [
      { expiresAt: after(31 * DAY_MS) },
      { allowedNetworks: ['203.0.112.0/23'] },
      { allowedNetworks: ['203.0.113.0/25', '198.51.100.0/24'] },
      { allowedNetworks: ['2001:db8::/31'] },
      { allowedNetworks: ['0.0.0.0/0'] },
    ]
    for (const body of beyond) {
      const { status, body: said } = await make(body, by)
      expect([body, status, said.code]).toEqual([body, 403, 'FORBIDDEN'])
    }
  })
})
