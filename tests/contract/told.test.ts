import { expect, setDefaultTimeout, test } from 'bun:test'
import { eventually } from '../eventually.ts'
import { callOf } from '../mcp/support.ts'
import { freePort } from '../ports.ts'
import { RUNTIMES, startServer } from '../server.ts'
import { onEveryTarget } from '../targets.ts'
import { mint, newPerson } from './people.ts'
import { newSlug, requestText, sendRaw, URL_OK } from './support.ts'

// Every error says by which id the operator finds it, and where its code is explained.

setDefaultTimeout(180_000)

interface Body {
  code: string
  requestId: string
  docUrl: string
}

const JSON_TYPE = { 'content-type': 'application/json' }

onEveryTarget({}, (at) => {
  /** The body of an error, once its id and the page that it names have been looked at. */
  async function looked(answer: Response, inside: (body: Record<string, unknown>) => unknown = (body) => body) {
    const body = inside((await answer.json()) as Record<string, unknown>) as Body
    expect(body).toMatchObject({
      requestId: answer.headers.get('x-request-id') ?? 'the header is missing',
      docUrl: `${at().origin}/docs/errors#${body.code?.toLowerCase()}`,
    })
    const page = await fetch(body.docUrl)
    expect([page.status, (await page.text()).includes(`<h3 id="${body.code.toLowerCase()}">`)]).toEqual([200, true])
    return body.code
  }
  const ask = (path: string, init: RequestInit = {}) => fetch(at().origin + path, { ...init, redirect: 'manual' })
  const posted = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask(path, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) })

  test('an error of the API has the id of its answer, and the address of its code in the documentation', async () => {
    const slug = await newSlug(at(), { urls: [URL_OK], closesAt: '2026-01-01T00:00:00Z' })
    expect([
      await looked(await ask('/api/nothing')),
      await looked(await ask('/api/me')),
      await looked(await ask('/api/links', { method: 'PUT' })),
      await looked(await posted('/api/links', { urls: ['x'] })),
      await looked(await posted('/api/links', { urls: ['x', 'y'] })),
      await looked(await ask('/api/links', { method: 'POST', headers: JSON_TYPE, body: '{' })),
      await looked(await ask('/api/links', { method: 'POST', body: 'x' })),
      await looked(await ask('/l/unknown123.json')),
      await looked(await ask(`/l/${slug}.json`)),
    ]).toEqual([
      'NOT_FOUND',
      'UNAUTHORIZED',
      'METHOD_NOT_ALLOWED',
      'INVALID_URLS',
      'INVALID_URLS',
      'INVALID_JSON',
      'UNSUPPORTED_MEDIA_TYPE',
      'NOT_FOUND',
      'CLOSED',
    ])
    const raw = await sendRaw(at(), requestText('GET', '/api/me', { host: 'evil.example' }))
    const [head = '', body = ''] = raw.split('\r\n\r\n')
    const id = /x-request-id: (\S+)/i.exec(head)?.[1]
    expect(JSON.parse(/\{.*\}/.exec(body)?.[0] ?? '{}')).toMatchObject({ code: 'MISDIRECTED_REQUEST', requestId: id })
  })

  test('so has one of signing in, and one that an app gets', async () => {
    const { cookie } = await newPerson(at())
    expect([
      await looked(await posted('/api/auth/sign-in/email', { email: 'nobody@example.com', password: 'not this one' })),
      await looked(await posted('/api/auth/sign-up/email', { email: 'x' })),
      await looked(await ask('/api/auth/organization/list')),
      await looked(await posted('/api/auth/organization/create', { name: 'https://x.example', slug: 'x' }, { cookie })),
      await looked(await ask('/api/auth/nothing')),
      await looked(await posted('/oauth/register', {})),
      await looked(await posted('/oauth/register', { redirect_uris: ['http://x.example/'] })),
      await looked(await ask('/oauth/token', { method: 'POST', body: new URLSearchParams({ grant_type: 'x' }) })),
      await looked(await posted('/oauth/token', {})),
      await looked(await ask('/oauth/token')),
    ]).toEqual([
      'INVALID_EMAIL_OR_PASSWORD',
      'BAD_REQUEST',
      'UNAUTHORIZED',
      'BAD_REQUEST',
      'NOT_FOUND',
      'BAD_REQUEST',
      'BAD_REQUEST',
      'BAD_REQUEST',
      'UNSUPPORTED_MEDIA_TYPE',
      'METHOD_NOT_ALLOWED',
    ])
  })

  test('so has one of MCP: of a tool, a resource, a prompt and a message', async () => {
    const { rawKey } = await mint(at(), await newPerson(at()), { scopes: ['links:read'] })
    const key = { authorization: `Bearer ${rawKey}`, accept: 'application/json, text/event-stream' }
    const of = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params })
    const told = (message: unknown, more = {}) => posted('/api/mcp', message, { ...key, ...more })
    const tool = ({ result }: Record<string, unknown>) => (result as { structuredContent: unknown }).structuredContent
    const data = ({ error }: Record<string, unknown>) => (error as { data: unknown }).data
    const modern = { 'mcp-protocol-version': '2026-07-28' }
    expect([
      await looked(await posted('/api/mcp', callOf('who_am_i'))),
      await looked(await told(callOf('get_bundle', { slug: 'unknown123' })), tool),
      await looked(await told(callOf('create_key', { name: 'x' })), tool),
      await looked(await told(callOf('no_such_tool')), data),
      await looked(await told(of('tools/call', { name: 5 })), data),
      await looked(await told(of('resources/read', { uri: 'bundle://unknown123' })), data),
      await looked(await told(of('resources/read', { uri: 'https://elsewhere.example/' })), data),
      await looked(await told(of('prompts/get', { name: 'none' })), data),
      await looked(await told(of('no/method', {})), data),
      await looked(await told({ jsonrpc: '2.0' }), data),
      await looked(await told(of('tools/list', {}), { ...modern, 'mcp-method': 'tools/call' }), data),
    ]).toEqual([
      'UNAUTHORIZED',
      'NOT_FOUND',
      'FORBIDDEN',
      'BAD_REQUEST',
      'BAD_REQUEST',
      'NOT_FOUND',
      'BAD_REQUEST',
      'BAD_REQUEST',
      'BAD_REQUEST',
      'BAD_REQUEST',
      'BAD_REQUEST',
    ])
  })
})

test('a failure of the service has the id of its line in the log, which the page shows, and no other page does', async () => {
  const server = await startServer()
  const missing = await fetch(`${server.origin}/nothing`)
  expect(await missing.text()).not.toContain(missing.headers.get('x-request-id') ?? '')
  await server.sql('ALTER TABLE bundles RENAME TO gone')
  const failed = await fetch(`${server.origin}/l/unknown123`)
  const id = failed.headers.get('x-request-id') ?? 'the header is missing'
  expect([failed.status, (await failed.text()).includes(`<code>${id}</code>`)]).toEqual([500, true])
  // The log is written after the answer.
  await eventually(() => server.output().includes(id), 'the log has the id')
  await server.stop()
})

for (const runtime of RUNTIMES) {
  test(`the listener for metrics tells them too, on ${runtime}`, async () => {
    const port = freePort()
    const server = await startServer({ runtime, env: { SERVICE_METRICS_PORT: String(port) } })
    const answer = await fetch(`http://localhost:${port}/nothing`)
    const { requestId, docUrl } = (await answer.json()) as Body
    expect([requestId, docUrl]).toEqual([
      answer.headers.get('x-request-id') ?? 'the header is missing',
      `${server.origin}/docs/errors#not_found`,
    ])
    await server.stop()
  })
}
