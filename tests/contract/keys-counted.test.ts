import { expect, setDefaultTimeout, test } from 'bun:test'
import { onEveryTarget } from '../targets.ts'
import { mint, newBundle, newPerson } from './people.ts'
import { URL_OK } from './support.ts'

setDefaultTimeout(180_000)

/** `docs/api-keys.md`, Limits: what counts against a key’s limit, and how often. */
const JSON_TYPE = { 'content-type': 'application/json' }
type Row = [line: string, counts: number, body?: unknown, headers?: Record<string, string>]
const ROUTES: Row[] = [
  ['GET /api/me', 1],
  ['HEAD /api/me', 1],
  ['GET /api/me?utm_source=x', 1],
  ['GET /api/links/:slug', 1],
  ['GET /api/links/:slug/insights.csv', 1],
  ['GET /api/me/export', 1],
  ['POST /api/links/:slug/events', 1, { kind: 'open_all' }],
  ['POST /api/links/dry-run', 1, { urls: [URL_OK] }],
  // Refused ones too.
  ['GET /api/links/none', 1],
  ['GET /api/me/links?limit=x', 1],
  ['POST /api/links', 1, { urls: 7 }],
  ['POST /api/links', 1, '{'],
  ['POST /api/links', 1, 'x'.repeat(300_000)],
  ['POST /api/links', 1, '{}', { 'content-type': 'text/html' }],
  ['POST /api/links', 1, {}, { 'idempotency-key': 'é'.repeat(3) }],
  ['POST /api/me/keys', 1, { name: 'needs another scope' }],
  // What is no route, and what needs no key.
  ['GET /api/nothing-here', 0],
  ['POST /api/links/:slug/nothing-here', 0, {}],
  ['PUT /api/links', 0, {}],
  ['DELETE /api/links', 0],
  ['GET /api/mcp', 0],
  ['OPTIONS /api/links/:slug/events', 0],
  ['GET /api/openapi.json', 0],
  ['GET /api/auth/get-session', 0],
  ['GET /l/:slug', 0],
  ['GET /l/:slug.json', 0],
]
const REF = { type: 'ref/resource', uri: 'bundle://{slug}' }
const CLIENT = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
const MESSAGES: [method: string, params: Record<string, unknown> | undefined, counts: number][] = [
  ['tools/call', { name: 'who_am_i' }, 1],
  ['tools/call', { name: 'get_bundle', arguments: { slug: 'none' } }, 1],
  ['tools/call', { name: 'create_key', arguments: { name: 'needs another scope' } }, 1],
  ['tools/call', { name: 'no_such_tool' }, 1],
  ['tools/call', {}, 1],
  ['resources/list', {}, 1],
  ['resources/read', { uri: 'bundle://none' }, 1],
  ['resources/read', { uri: 'openall://l/none' }, 1],
  ['resources/read', { uri: 'file:///etc/passwd' }, 1],
  ['resources/read', { uri: 5 }, 1],
  ['completion/complete', { ref: REF, argument: { name: 'slug', value: '' } }, 1],
  ['completion/complete', { ref: REF, argument: { name: 'other', value: '' } }, 1],
  ['completion/complete', {}, 1],
  ['initialize', CLIENT, 0],
  ['notifications/initialized', undefined, 0],
  ['ping', undefined, 0],
  ['tools/list', {}, 0],
  ['tools/list', { cursor: 5 }, 0],
  ['resources/templates/list', {}, 0],
  ['prompts/list', {}, 0],
  ['prompts/get', { name: 'write_policy', arguments: { slug: 'x', audience: 'y' } }, 0],
  ['prompts/get', {}, 0],
  ['logging/setLevel', { level: 'debug' }, 0],
  ['no/such/method', {}, 0],
]

onEveryTarget({}, (at) => {
  test('exactly the requests that docs/api-keys.md names count against a key’s limit', async () => {
    const person = await newPerson(at())
    const { rawKey } = await mint(at(), person, { rateLimitPerHour: 1000, scopes: ['links:write'] })
    const slug = await newBundle(at(), person)
    const key = { authorization: `Bearer ${rawKey}` }
    const send = (line: string, body?: unknown, headers: Record<string, string> = JSON_TYPE) => {
      const [method, path = ''] = line.replace(':slug', slug).split(' ')
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return fetch(at().origin + path, {
        method: method!,
        headers: { ...JSON_TYPE, ...headers, ...key },
        body: text ?? null,
      })
    }
    const left = async () => {
      const { headers } = await fetch(`${at().origin}/api/me`, { headers: key })
      return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
    }
    const countOf = async (run: () => Promise<Response>) => {
      const before = await left()
      const answer = await run()
      await answer.text()
      // The second question counts as well.
      return { counted: before - (await left()) - 1, status: answer.status }
    }
    for (const [line, counts, body, headers] of ROUTES) {
      const { counted, status } = await countOf(() => send(line, body, headers))
      expect([line, counted, status < 500]).toEqual([line, counts, true])
    }
    const accept = { accept: 'application/json, text/event-stream' }
    const message = (method: string, params: unknown, id = 1) => ({
      jsonrpc: '2.0',
      ...(method.startsWith('notifications') ? {} : { id }),
      method,
      ...(params === undefined ? {} : { params }),
    })
    for (const [method, params, counts] of MESSAGES) {
      const { counted, status } = await countOf(() => send('POST /api/mcp', message(method, params), accept))
      expect([method, params, counted, status < 500]).toEqual([method, params, counts, true])
    }
    const batch = MESSAGES.filter(([method]) => method !== 'initialize').map(([method, params], id) =>
      message(method, params, id),
    )
    const all = MESSAGES.reduce((sum, [, , counts]) => sum + counts, 0)
    expect((await countOf(() => send('POST /api/mcp', batch, accept))).counted).toBe(all)
    for (const body of ['{', '[]', '5', '"x"', { jsonrpc: '2.0', id: 1 }, Array(101).fill(message('tools/call', {}))])
      expect((await countOf(() => send('POST /api/mcp', body, accept))).counted).toBe(0)
  })
})
