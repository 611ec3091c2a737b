import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { AjvJsonSchemaValidator as Validators } from '@modelcontextprotocol/client/validators/ajv'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { AjvJsonSchemaValidator as LegacyValidators } from '@modelcontextprotocol/sdk/validation/ajv'
import type { Server } from '../server.ts'

/** What an answer's JSON may hold; a field that is not there reads as undefined. */
export interface Told {
  status: number
  headers: Headers
  body: {
    id: unknown
    result: {
      isError?: boolean
      structuredContent: Record<string, unknown>
      content: { type: string; text: string }[]
      tools: { name: string; description: string; inputSchema: object; outputSchema: object }[]
    }
    error: { code: number; message: string; data: { code: string; error: string; retryAfterSeconds: number } }
    code: string
  }
}

/** One POST by hand, without any client's help. */
export async function send(
  { origin }: Pick<Server, 'origin'>,
  message: unknown,
  headers: Record<string, string> = {},
): Promise<Told> {
  const answer = await fetch(`${origin}/api/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false
  return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : {} }
}

/** A call of a tool as a message of the 2025 revisions. */
export function callOf(name: string, args: Record<string, unknown> = {}, id: number = 1) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }
}

/** What a client of either line gives for a call. */
export interface Called {
  isError?: boolean
  structuredContent?: Record<string, unknown>
  content: { type: string; text?: string }[]
}

/** A client of one line of the SDK, and the revision that it is to speak. */
export interface Agent {
  revision: string
  list(): Promise<{ name: string; description?: string; inputSchema: object; outputSchema?: object }[]>
  call(name: string, args: Record<string, unknown>): Promise<Called>
  close(): Promise<void>
}

/** Compiles each schema once for all agents: those of all tools take longer than the calls that are tested. */
function remembering<Validators extends { getValidator(schema: never): unknown }>(validators: Validators): Validators {
  const known = new Map<string, unknown>()
  const compile = validators.getValidator.bind(validators)
  validators.getValidator = (schema) => {
    const text = JSON.stringify(schema)
    if (!known.has(text)) known.set(text, compile(schema))
    return known.get(text)
  }
  return validators
}
const legacyValidators = remembering(new LegacyValidators())
const modernValidators = remembering(new Validators())

const IDENTITY = { name: 'openall-tests', version: '1' }

/** The line 1.x, which speaks 2025-11-25. */
export async function legacyAgent({ origin }: Pick<Server, 'origin'>, key: string): Promise<Agent> {
  const client = new LegacyClient(IDENTITY, { jsonSchemaValidator: legacyValidators })
  const transport = new LegacyTransport(new URL(`${origin}/api/mcp`), optionsFor(key))
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return {
    revision: transport.protocolVersion ?? '',
    list: async () => (await client.listTools()).tools,
    call: async (name, args) => (await client.callTool({ name, arguments: args })) as Called,
    close: () => client.close(),
  }
}

/** The line 2.x, pinned to the stateless revision. */
export async function modernAgent({ origin }: Pick<Server, 'origin'>, key: string): Promise<Agent> {
  const client = new Client(IDENTITY, {
    versionNegotiation: { mode: { pin: '2026-07-28' } },
    jsonSchemaValidator: modernValidators,
  })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/api/mcp`), optionsFor(key)))
  return {
    revision: client.getNegotiatedProtocolVersion() ?? '',
    list: async () => (await client.listTools()).tools,
    call: async (name, args) => (await client.callTool({ name, arguments: args })) as Called,
    close: () => client.close(),
  }
}

function optionsFor(key: string) {
  return { requestInit: { headers: { authorization: `Bearer ${key}` } } }
}
