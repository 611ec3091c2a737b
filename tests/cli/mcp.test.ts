import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { startInProcess } from '../in-process.ts'
import { newPerson, type Person } from '../people.ts'
import { freePort } from '../ports.ts'
import { mintKey } from '../sdk/support.ts'
import type { Server } from '../server.ts'
import { packCommand, RUNTIMES, Shell } from './shell.ts'

// Starts many processes, on a machine that may be busy.
setDefaultTimeout(180_000)

const IDENTITY = { name: 'openall-tests', version: '1' }

let server: Server
let person: Person
beforeAll(async () => {
  await packCommand()
  server = await startInProcess()
  person = await newPerson(server)
})
afterAll(() => server.stop())

describe.each(RUNTIMES)('on %s', (_, start) => {
  let shell: Shell
  beforeAll(async () => {
    shell = new Shell(start(), { OPENALL_URL: server.origin, OPENALL_KEY: await mintKey(person) })
  })
  afterAll(() => shell.remove())

  const process = () => {
    const [command = '', ...args] = [...shell.start, 'mcp']
    return { command, args, env: shell.environment, cwd: shell.home, stderr: 'inherit' as const }
  }

  test('a client of 2025-11-25 lists the tools and calls them', async () => {
    const client = new LegacyClient(IDENTITY)
    await client.connect(new LegacyTransport(process()) as Parameters<typeof client.connect>[0])
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('create_bundle')
    const made = await client.callTool({
      name: 'create_bundle',
      arguments: { urls: ['https://a.example/'], title: 'Ä' },
    })
    const { slug } = made.structuredContent as { slug: string }
    const read = await client.callTool({ name: 'get_bundle', arguments: { slug } })
    expect(read.structuredContent).toMatchObject({ slug, title: 'Ä', source: 'mcp' })
    expect(read.structuredContent).toHaveProperty('metadata.client', expect.stringMatching(/^cli\//))
    const refused = await client.callTool({ name: 'get_bundle', arguments: { slug: 'there-is-none' } })
    expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'NOT_FOUND' } })
    const { contents } = await client.readResource({ uri: `bundle://${slug}` })
    expect(contents[0]).toMatchObject({ uri: `bundle://${slug}` })
    await client.close()
  })

  test('a client of 2026-07-28 does the same, with several calls at once', async () => {
    const client = new Client(IDENTITY, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    await client.connect(new StdioClientTransport(process()))
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('create_bundle')
    const calls = Array.from({ length: 10 }, (_, index) =>
      client.callTool({ name: 'create_bundle', arguments: { urls: [`https://a.example/${index}`] } }),
    )
    const slugs = (await Promise.all(calls)).map(
      ({ structuredContent }) => (structuredContent as { slug: string }).slug,
    )
    expect(new Set(slugs).size).toBe(10)
    const { contents } = await client.readResource({ uri: `bundle://${slugs[0]}` })
    expect(contents[0]).toMatchObject({ uri: `bundle://${slugs[0]}` })
    await client.close()
  })

  /** Sends lines and returns the answers by id. */
  async function exchange(lines: string[], env: Record<string, string> = {}) {
    const { code, stdout, stderr } = await shell.openall(['mcp'], { stdin: `${lines.join('\n')}\n`, env })
    const answers = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { id: unknown; error?: { code: number; message: string; data?: unknown } })
    return { code, stderr, answers }
  }
  const call = (id: number, name: string, args: object = {}) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })

  test('every request gets an answer, whatever is wrong with it or with the connection', async () => {
    const lines = ['{"half', call(1, 'who_am_i'), '', '{"jsonrpc":"2.0","method":"notifications/initialized"}', '7']
    const { code, answers } = await exchange(lines)
    expect(code).toBe(0)
    expect(answers.map(({ id, error }) => [id, error?.code ?? null]).sort()).toEqual([
      [null, -32700],
      [null, -32700],
      [1, null],
    ])

    const wrong = await exchange([call(2, 'who_am_i')], { OPENALL_KEY: 'oa_wrong.key' })
    expect(wrong.answers).toMatchObject([{ id: 2, error: { code: -32000, data: { code: 'UNAUTHORIZED' } } }])
    const nobody = await exchange([call(3, 'who_am_i')], { OPENALL_URL: `http://localhost:${freePort()}` })
    expect(nobody.answers).toMatchObject([{ id: 3, error: { code: -32000 } }])
    expect(nobody.answers[0]?.error?.message).toContain('cannot be reached')
    const none = await exchange([], { OPENALL_KEY: '' })
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('openall login')])
  })

  test('each call counts once against the key, and the limit is reported as the service reports it', async () => {
    const key = await mintKey(person, { rateLimitPerHour: 2 })
    const { answers } = await exchange([call(1, 'who_am_i')], { OPENALL_KEY: key })
    expect(answers).toMatchObject([{ id: 1, result: {} }])
    const { answers: more } = await exchange([call(2, 'who_am_i'), call(3, 'who_am_i')], { OPENALL_KEY: key })
    expect(more.filter(({ error }) => error === undefined)).toHaveLength(1)
    expect(more.find(({ error }) => error !== undefined)?.error).toMatchObject({
      code: -32004,
      data: { code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) },
    })
  })
})
