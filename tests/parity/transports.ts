import type { Operation } from '../../src/operations/operation.ts'
import { methodName } from '../../src/sdk/client.ts'
import { createClient, OpenallError } from '../../src/sdk/openall.ts'
import { RUNTIMES, Shell } from '../cli/shell.ts'
import { type Agent, type Called, legacyAgent, modernAgent } from '../mcp/support.ts'
import type { Server } from '../server.ts'
import type { Case } from './cases.ts'
import type { World } from './world.ts'

/** What a caller gets, through any transport. */
type Outcome = { body: unknown } | { refused: { error: string; code: string } }

/** A way to call an operation. */
export interface Transport {
  name: string
  /** @param input of the case, for this world. */
  call(operation: Operation, input: Record<string, unknown>, testCase: Case, world: World): Promise<Outcome>
}

/** The HTTP request of an operation. */
export function requestOf(operation: Pick<Operation, 'route' | 'query'>, input: Record<string, unknown>) {
  const [method = '', route = ''] = operation.route.split(' ')
  const rest = { ...input }
  const path = route.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(String(value))
  })
  if (method !== 'GET' && method !== 'DELETE') return { method, path: `/api${path}`, body: rest }
  const fields = operation.query === undefined ? rest : (rest[operation.query] ?? {})
  const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]))
  return { method, path: `/api${path}${query.size === 0 ? '' : `?${query}`}`, body: undefined }
}

const json: Transport = {
  name: 'JSON',
  async call(operation, input, { key, idempotencyKey, expectedVersion }, world) {
    const { method, path, body } = requestOf(operation, input)
    const response = await fetch(world.server.origin + path, {
      method,
      headers: {
        authorization: `Bearer ${world[key ?? 'key']}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...(expectedVersion === undefined ? {} : { 'if-match': `"v${expectedVersion}"` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = await response.json()
    return response.ok ? { body: answer } : { refused: answer }
  },
}

/**
 * An MCP client of one revision. It lists the tools first, so that it validates answers against their schemas, with a key
 * that sees all of them: one client for all cases, since to connect and list takes longer than a call.
 */
function tool(name: string, connect: typeof legacyAgent): Transport {
  const agents = new WeakMap<Server, Promise<Agent>>()
  let sent = ''
  const connected = async (server: Server) => {
    const agent = await connect(server, () => sent)
    await agent.list()
    return agent
  }
  return {
    name,
    async call(operation, input, { key, idempotencyKey, expectedVersion }, world) {
      sent = world.key
      if (!agents.has(world.server)) agents.set(world.server, connected(world.server))
      const agent = await agents.get(world.server)!
      sent = world[key ?? 'key']
      const conditions = {
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        ...(expectedVersion === undefined ? {} : { expectedVersion }),
      }
      return outcomeOf(await agent.call(operation.name, { ...input, ...conditions }))
    },
  }
}

function outcomeOf({ isError = false, structuredContent, content }: Called): Outcome {
  const result = JSON.parse(content[0]?.text ?? 'null')
  if (JSON.stringify(result) !== JSON.stringify(structuredContent))
    throw new Error('text and structured content differ')
  return isError ? { refused: result } : { body: result }
}

/** The client's method for the operation. */
export const sdk: Transport = {
  name: 'SDK',
  async call({ name }, input, { key, idempotencyKey, expectedVersion }, { server, ...world }) {
    const client = createClient({ server: server.origin, key: world[key ?? 'key'] })
    const method = client[methodName(name) as keyof typeof client] as (...args: unknown[]) => Promise<unknown>
    try {
      return { body: await method(input, { idempotencyKey, expectedVersion }) }
    } catch (error) {
      if (!(error instanceof OpenallError)) throw error
      return { refused: JSON.parse(JSON.stringify(error)) }
    }
  },
}

/** The command, in its own process. */
export const cli: Transport = {
  name: 'command line',
  async call({ name }, input, { key, idempotencyKey, expectedVersion }, { server, ...world }) {
    const [, start] = RUNTIMES[0]!
    const shell = new Shell(start(), { OPENALL_URL: server.origin, OPENALL_KEY: world[key ?? 'key'] })
    const conditions = [
      ...(idempotencyKey === undefined ? [] : ['--idempotency-key', idempotencyKey]),
      ...(expectedVersion === undefined ? [] : ['--if-version', String(expectedVersion)]),
    ]
    const { code, stdout, stderr } = await shell.openall(['call', name, JSON.stringify(input), '--json', ...conditions])
    shell.remove()
    return code === 0 ? { body: JSON.parse(stdout) } : { refused: JSON.parse(stderr) }
  },
}

/** What the server itself speaks; the others must match the first. */
export const SERVED: readonly [Transport, ...Transport[]] = [
  json,
  tool('MCP 2025-11-25', legacyAgent),
  tool('MCP 2026-07-28', modernAgent),
]
