import { expect, setDefaultTimeout, test } from 'bun:test'
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { operations } from '../../src/api/implementations.ts'
import { SCOPES, type Scope } from '../../src/identity/caller.ts'
import { isTool } from '../../src/mcp/tools.ts'
import { scopeOf } from '../../src/operations/operation.ts'
import { ask, mint, newBundle, newPerson, revoke } from '../contract/people.ts'
import { requestText, sendRaw, statusOf } from '../contract/support.ts'
import { pageOf } from '../docs/run.ts'
import { onEveryTarget } from '../targets.ts'
import { NO_BUNDLE, told } from '../told.ts'
import { callOf, legacyAgent, modernAgent, send } from './support.ts'

setDefaultTimeout(180_000)

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

onEveryTarget({}, (at) => {
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  const keyOf = async (wishes: Parameters<typeof mint>[2] = {}) =>
    mint(at(), await newPerson(at()), { scopes: ['keys:admin'], ...wishes } as Parameters<typeof mint>[2])

  test('without a key the answer is 401 and names Bearer and where to sign in; a session cookie is not enough', async () => {
    const { cookie } = await newPerson(at())
    for (const headers of [{}, { cookie }] as Record<string, string>[]) {
      const { status, headers: sent, body } = await send(at(), PING, headers)
      const metadata = `${at().origin}/.well-known/oauth-protected-resource/api/mcp`
      const challenge = `Bearer resource_metadata="${metadata}", scope="links:read links:write"`
      expect([status, sent.get('www-authenticate'), body.code]).toEqual([401, challenge, 'UNAUTHORIZED'])
    }
  })

  test('a revoked key is 401, even with a valid cookie', async () => {
    const person = await newPerson(at())
    const { rawKey, apiKey } = await mint(at(), person)
    expect((await send(at(), PING, bearer(rawKey))).status).toBe(200)
    await revoke(at(), person, apiKey.id)
    const { status } = await send(at(), PING, { ...bearer(rawKey), cookie: person.cookie })
    expect(status).toBe(401)
  })

  test('an Origin must be the service’s own, and an unknown Host is refused', async () => {
    const { rawKey } = await keyOf()
    const by = (origin: string) => send(at(), PING, { ...bearer(rawKey), origin })
    expect((await by(at().origin)).status).toBe(200)
    for (const origin of ['https://evil.example', 'null', `${at().origin}.evil.example`]) {
      const { status, body } = await by(origin)
      expect([origin, status, body.code]).toEqual([origin, 403, 'FORBIDDEN'])
    }
    const text = JSON.stringify(PING)
    const headers = { host: 'evil.example', 'content-type': 'application/json', 'content-length': `${text.length}` }
    expect(
      statusOf(await sendRaw(at(), requestText('POST', '/api/mcp', { ...headers, ...bearer(rawKey) }, text))),
    ).toBe(421)
  })

  test('it accepts only POST and JSON, and no more bytes than other routes', async () => {
    const { rawKey } = await keyOf()
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await ask(at(), `${method} /api/mcp`, { key: rawKey })
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST'])
    }
    const refused = async (body: string, more: Record<string, string> = {}) => {
      const { status, body: told } = await send(at(), body, { ...bearer(rawKey), ...more })
      return [status, told.code]
    }
    expect(await refused('{}', { 'content-type': 'text/plain' })).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    expect(await refused('{"jsonrpc":')).toEqual([400, 'INVALID_JSON'])
    expect(await refused(JSON.stringify(callOf('who_am_i', { x: 'x'.repeat(300_000) })))).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
    ])
    expect(await refused('['.repeat(100) + ']'.repeat(100))).toEqual([400, 'INVALID_JSON'])
  })

  test('invalid messages are refused without a 5xx', async () => {
    const { rawKey } = await keyOf()
    const odd = [
      null,
      1,
      'x',
      [],
      {},
      { jsonrpc: '1.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', id: 1 },
      [[PING]],
      [null],
    ]
    for (const message of [
      ...odd,
      callOf('who_am_i', [] as never),
      callOf(7 as never),
      { ...PING, method: 'tools/nope' },
    ]) {
      const { status } = await send(at(), JSON.stringify(message), bearer(rawKey))
      expect([message, status < 500]).toEqual([message, true])
    }
  })

  test('the listed tools are those that the key’s scopes allow, and each call is checked', async () => {
    const person = await newPerson(at())
    const namesFor = async (scopes: Scope[]) => {
      const { rawKey } = await mint(at(), person, { scopes })
      const { body } = await send(at(), { jsonrpc: '2.0', id: 1, method: 'tools/list' }, bearer(rawKey))
      return body.result.tools.map(({ name }) => name)
    }
    // The page's table lists what each scope adds.
    const rows = [...pageOf('mcp.md').matchAll(/^\| `(\w+:\w+)`\s*\|(.*)\|$/gm)]
    expect(rows.map(([, scope]) => scope)).toEqual([...SCOPES])
    const expected: string[] = []
    for (const [index, scope] of SCOPES.entries()) {
      const own = Array.from(rows[index]![2]!.matchAll(/`(\w+)`/g), ([, name = '']) => name)
      expected.push(...own)
      // Webhooks lie beside links: without a scope of these, only what needs none.
      const free = operations.filter((one) => isTool(one) && scopeOf(one) === undefined).map(({ name }) => name)
      const listed = scope === 'webhooks:write' ? [...free, ...own] : expected
      expect((await namesFor([scope])).sort()).toEqual([...listed].sort())
    }

    const { rawKey } = await mint(at(), person, { scopes: ['links:read'] })
    const asked = callOf('create_key', { name: 'x' })
    const { status, headers, body } = await send(at(), asked, bearer(rawKey))
    expect(body.result.isError).toBe(true)
    expect(body.result.structuredContent).toEqual({ error: 'needs scope keys:admin', code: 'FORBIDDEN', ...told })
    // So a client knows which scope to ask for, and where.
    const metadata = `${at().origin}/.well-known/oauth-protected-resource/api/mcp`
    const challenge = `Bearer error="insufficient_scope", error_description="needs scope keys:admin", scope="keys:admin", resource_metadata="${metadata}"`
    expect([status, headers.get('www-authenticate')]).toEqual([403, challenge])
  })

  test('the list of all tools fits the budget of an agent’s attention, and says how long it may be kept', async () => {
    const { rawKey } = await keyOf({ scopes: ['keys:admin'] })
    const { body } = await send(at(), { jsonrpc: '2.0', id: 1, method: 'tools/list' }, bearer(rawKey))
    const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
    const { tools } = body.result
    expect(bytes(tools)).toBeLessThanOrEqual(50_000)
    const read = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
    expect(bytes(read)).toBeLessThanOrEqual(28_000)
    expect(JSON.stringify(tools)).not.toMatch(/"(?:description|title)":"(?:\s*|undefined)"/)
    // What a tool’s caller cannot send, or nobody types, is not in it; what it can is.
    const inputs = JSON.stringify(tools.map(({ inputSchema }) => inputSchema))
    expect(inputs).not.toMatch(/u0000|"email"|"breakdown"/)
    expect(inputs).toContain('"timeWindow"')
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = { ...bearer(rawKey), 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
    const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }
    const modern = (await send(at(), listing, headers)).body.result as unknown as { ttlMs: number; cacheScope: string }
    expect([modern.ttlMs, modern.cacheScope]).toEqual([600_000, 'private'])
  })

  test('exactly the tools that have the service send requests to a chosen URL say that they reach the open world', async () => {
    const { rawKey } = await keyOf()
    const { body } = await send(at(), { jsonrpc: '2.0', id: 1, method: 'tools/list' }, bearer(rawKey))
    const tools = body.result.tools as unknown as { name: string; annotations: { openWorldHint?: boolean } }[]
    const open = tools.filter(({ annotations }) => annotations.openWorldHint !== false).map(({ name }) => name)
    expect(open).toEqual(['inspect_urls', 'create_webhook', 'update_webhook', 'test_webhook', 'redeliver'])
  })

  test('a tool answers with the body of its route, structured and as text; a failure is marked as one', async () => {
    const person = await newPerson(at())
    const { rawKey } = await mint(at(), person)
    const slug = await newBundle(at(), person)
    const { body: route } = await ask(at(), `GET /api/links/${slug}`, { key: rawKey })
    const { body } = await send(at(), callOf('get_bundle', { slug }), bearer(rawKey))
    expect<unknown>(body.result.structuredContent).toEqual(route)
    expect<unknown>(JSON.parse(body.result.content[0]!.text)).toEqual(route)
    expect(body.result.structuredContent.versionNumber).toBe(1)
    expect(body.result.content).toHaveLength(1)
    const failed = (await send(at(), callOf('get_bundle', { slug: 'none' }), bearer(rawKey))).body.result
    expect(failed.isError).toBe(true)
    expect(failed.structuredContent).toEqual({
      error: NO_BUNDLE,
      code: 'NOT_FOUND',
      ...told,
    })
  })

  test.each(SUPPORTED_PROTOCOL_VERSIONS)(
    'a client of the revision %s connects, and lists the tools',
    async (revision) => {
      const headers = { ...bearer((await keyOf()).rawKey), 'mcp-protocol-version': revision }
      const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'x', version: '1' } }
      const { result } = (await send(at(), { jsonrpc: '2.0', id: 1, method: 'initialize', params }, headers)).body
      expect((result as unknown as { protocolVersion: string }).protocolVersion).toBe(revision)
      const listed = await send(at(), { jsonrpc: '2.0', id: 2, method: 'tools/list' }, headers)
      expect(listed.body.result.tools.map(({ name }) => name)).toContain('create_bundle')
    },
  )

  test('an unknown tool is a protocol error', async () => {
    const { rawKey } = await keyOf()
    const { body } = await send(at(), callOf('drop_tables'), bearer(rawKey))
    expect(body.error.code).toBe(-32602)
    // No key may use it: only pages send events.
    expect(
      (await send(at(), callOf('record_event', { slug: 'x', kind: 'open_all' }), bearer(rawKey))).body.error.code,
    ).toBe(-32602)
  })

  test('a bundle made by a tool has the source mcp, unless the call says otherwise', async () => {
    const { rawKey } = await keyOf()
    const sourceOf = async (args: Record<string, unknown>) => {
      const made = await send(at(), callOf('create_bundle', { urls: ['https://a.example/'], ...args }), bearer(rawKey))
      const { slug } = made.body.result.structuredContent
      return (await send(at(), callOf('get_bundle', { slug }), bearer(rawKey))).body.result.structuredContent.source
    }
    expect(await sourceOf({})).toBe('mcp')
    expect(await sourceOf({ source: 'import' })).toBe('import')
  })

  test('a key’s limit counts each call once through any transport, and past it the error is -32004', async () => {
    const { rawKey } = await keyOf({ rateLimitPerHour: 9 })
    const left = (headers: Headers) => /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]
    // Connecting and listing are not charged.
    const legacy = await legacyAgent(at(), rawKey)
    const modern = await modernAgent(at(), rawKey)
    await legacy.list()
    await modern.list()
    expect(left((await ask(at(), 'GET /api/me', { key: rawKey })).headers)).toBe('8')
    await legacy.call('who_am_i', {})
    await modern.call('who_am_i', {})
    expect(left((await send(at(), callOf('who_am_i'), bearer(rawKey))).headers)).toBe('5')
    // A refused call counts too.
    expect(left((await send(at(), callOf('get_bundle', { slug: 'none' }), bearer(rawKey))).headers)).toBe('4')
    const batch = Array.from({ length: 6 }, (_, id) => callOf('who_am_i', {}, id))
    const answers = (await send(at(), batch, bearer(rawKey))).body as unknown as {
      result?: unknown
      error?: { code: number; message: string; data: { code: string; retryAfterSeconds: number } }
    }[]
    expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(4)
    const refused = answers.filter(({ error }) => error !== undefined)
    expect(refused.map(({ error }) => [error?.code, error?.data.code])).toEqual([
      [-32004, 'RATE_LIMITED'],
      [-32004, 'RATE_LIMITED'],
    ])
    expect(refused[0]!.error!.data.retryAfterSeconds).toBeGreaterThanOrEqual(1)
    const { body, status, headers } = await ask(at(), 'GET /api/me', { key: rawKey })
    expect([status, body.code]).toEqual([429, 'RATE_LIMITED'])
    expect(Number(headers.get('retry-after'))).toBe(body.retryAfterSeconds)
    const error = await modern.call('who_am_i', {}).catch((error) => error)
    expect([error.code, error.data.code]).toEqual([-32004, 'RATE_LIMITED'])
    await legacy.close()
    await modern.close()
  })

  test('a batch of more than a hundred messages is refused entirely', async () => {
    const { rawKey } = await keyOf({ rateLimitPerHour: 1000 })
    const batch = Array.from({ length: 101 }, (_, id) => callOf('who_am_i', {}, id))
    expect((await send(at(), batch, bearer(rawKey))).status).toBe(400)
    expect((await ask(at(), 'GET /api/me', { key: rawKey })).headers.get('ratelimit')).toContain('r=999')
  })

  test('bundles are resources: listed, read, completed; another’s looks like a missing one', async () => {
    const person = await newPerson(at())
    const { rawKey } = await mint(at(), person, { scopes: ['links:read'] })
    const slug = await newBundle(at(), person)
    const foreign = await newBundle(at(), await newPerson(at()))
    const read = async (method: string, params: object) =>
      (await send(at(), { jsonrpc: '2.0', id: 1, method, params }, bearer(rawKey))).body as unknown as {
        result: { resources: { uri: string }[]; contents: { text: string }[]; completion: { values: string[] } }
        error: { code: number; data: { code: string } }
      }
    expect((await read('resources/list', {})).result.resources.map(({ uri }) => uri)).toEqual([`bundle://${slug}`])
    const { body: route } = await ask(at(), `GET /api/links/${slug}`, { key: rawKey })
    const contents = (await read('resources/read', { uri: `bundle://${slug}` })).result.contents
    expect(JSON.parse(contents[0]!.text)).toEqual(route as unknown as object)
    const refused = (await read('resources/read', { uri: `bundle://${foreign}` })).error.data
    expect(refused).toMatchObject({ code: 'FORBIDDEN', error: expect.stringContaining('get_tabs') })
    for (const uri of ['bundle://none', 'bundle://', 'file:///etc/passwd']) {
      expect([uri, [-32002, -32602].includes((await read('resources/read', { uri })).error.code)]).toEqual([uri, true])
    }
    // A launcher is for anyone, and counts as a call: the same text as at its link.
    const launcher = await read('resources/read', { uri: `openall://l/${foreign}` })
    const page = await fetch(`${at().origin}/l/${foreign}.md`)
    expect(launcher.result.contents).toEqual([
      { uri: `openall://l/${foreign}`, mimeType: 'text/markdown', text: await page.text() } as never,
    ])
    const data = (await read('resources/read', { uri: `openall://l/${foreign}.json` })).result.contents
    expect(JSON.parse(data[0]!.text).slug).toBe(foreign)
    for (const uri of [
      'openall://l/',
      'openall://l/none-such',
      'openall://x',
      'openall://l/../x',
      'openall://l/a.xml',
    ]) {
      expect([uri, [-32002, -32602].includes((await read('resources/read', { uri })).error.code)]).toEqual([uri, true])
    }
    const ref = { type: 'ref/resource', uri: 'bundle://{slug}' }
    const complete = (value: string) => read('completion/complete', { ref, argument: { name: 'slug', value } })
    expect((await complete(slug.slice(0, 3))).result.completion.values).toEqual([slug])
    expect((await complete('!')).result.completion.values).toEqual([])
  })

  test('prompts name existing tools, and report missing arguments', async () => {
    const { rawKey } = await keyOf()
    const read = async (method: string, params: object) =>
      (await send(at(), { jsonrpc: '2.0', id: 1, method, params }, bearer(rawKey))).body as unknown as {
        result: {
          prompts: { name: string; arguments: { name: string }[] }[]
          messages: { content: { text: string } }[]
        }
        error: { message: string }
      }
    const { prompts } = (await read('prompts/list', {})).result
    expect(prompts.map(({ name }) => name)).toEqual(['make_launch_bundle', 'write_policy', 'explain_insights'])
    for (const { name, arguments: takes } of prompts) {
      const words = Object.fromEntries(takes.map(({ name }) => [name, `my ${name}`]))
      const { messages } = (await read('prompts/get', { name, arguments: words })).result
      for (const { name } of takes) expect(messages[0]!.content.text).toContain(`my ${name}`)
      expect((await read('prompts/get', { name, arguments: {} })).error.message).toContain('is missing')
    }
  })

  test('stopping the server does not wait for listeners', async () => {
    const { rawKey } = await keyOf()
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const listening = await fetch(`${at().origin}/api/mcp`, {
      method: 'POST',
      headers: {
        ...bearer(rawKey),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true }, _meta: meta },
      }),
    })
    expect(listening.headers.get('content-type')).toContain('text/event-stream')
    const before = performance.now()
    expect(await at().stop()).toBe(0)
    // Running requests get ten seconds; endless streams are not waited for.
    expect(performance.now() - before).toBeLessThan(10_000)
    await listening.body?.cancel().catch(() => {})
  })
})

onEveryTarget({ SERVICE_INSPECT: 'off' }, (at) => {
  test('what the operator has switched off is no tool', async () => {
    const { rawKey } = await mint(at(), await newPerson(at()))
    const bearer = { authorization: `Bearer ${rawKey}` }
    const { body } = await send(at(), { jsonrpc: '2.0', id: 1, method: 'tools/list' }, bearer)
    const names = body.result.tools.map(({ name }) => name)
    expect([names.includes('list_bundles'), names.includes('inspect_urls')]).toEqual([true, false])
    const called = await send(at(), callOf('inspect_urls', { urls: ['https://a.example/'] }), bearer)
    expect(called.body.error.code).toBe(-32602)
  })
})
