import { Client, InsufficientScopeError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { AjvJsonSchemaValidator as Validators } from '@modelcontextprotocol/client/validators/ajv'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import {
  StreamableHTTPClientTransport as LegacyTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { AjvJsonSchemaValidator as LegacyValidators } from '@modelcontextprotocol/sdk/validation/ajv'
import type { Server } from '../server.ts'

/** Fields that an answer's JSON may have; a missing one reads as undefined. */
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

/** Sends one POST, without a client. */
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

/** A tool call as a message of the 2025 revisions. */
export function callOf(name: string, args: Record<string, unknown> = {}, id: number = 1) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }
}

/** The result of a call with either client. */
export interface Called {
  isError?: boolean
  structuredContent?: Record<string, unknown>
  content: { type: string; text?: string }[]
}

/** A client of one major version of the SDK, and the revision it speaks. */
export interface Agent {
  revision: string
  list(): Promise<{ name: string; description?: string; inputSchema: object; outputSchema?: object }[]>
  call(name: string, args: Record<string, unknown>): Promise<Called>
  close(): Promise<void>
}

/** Compiles each schema once for all agents, because compiling takes longer than the tested calls. */
function memoized<Validators extends { getValidator(schema: never): unknown }>(validators: Validators): Validators {
  const compiled = new Map<string, unknown>()
  const compile = validators.getValidator.bind(validators)
  validators.getValidator = (schema) => {
    const text = JSON.stringify(schema)
    if (!compiled.has(text)) compiled.set(text, compile(schema))
    return compiled.get(text)
  }
  return validators
}
const legacyValidators = memoized(new LegacyValidators())
const modernValidators = memoized(new Validators())

const IDENTITY = { name: 'openall-tests', version: '1' }

/** The key that an agent sends, or whose key it sends at each request. */
type Credential = string | (() => string)

/** SDK 1.x, which speaks 2025-11-25. */
export async function legacyAgent({ origin }: Pick<Server, 'origin'>, key: Credential): Promise<Agent> {
  const client = new LegacyClient(IDENTITY, { jsonSchemaValidator: legacyValidators })
  const transport = new LegacyTransport(new URL(`${origin}/api/mcp`), optionsFor(key))
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return {
    revision: transport.protocolVersion ?? '',
    list: async () => (await client.listTools()).tools,
    call: (name, args) => told(client.callTool({ name, arguments: args })),
    close: () => client.close(),
  }
}

/** SDK 2.x, pinned to the stateless revision. */
export async function modernAgent({ origin }: Pick<Server, 'origin'>, key: Credential): Promise<Agent> {
  const client = new Client(IDENTITY, {
    versionNegotiation: { mode: { pin: '2026-07-28' } },
    jsonSchemaValidator: modernValidators,
  })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/api/mcp`), optionsFor(key)))
  return {
    revision: client.getNegotiatedProtocolVersion() ?? '',
    list: async () => (await client.listTools()).tools,
    call: (name, args) => told(client.callTool({ name, arguments: args })),
    close: () => client.close(),
  }
}

/** What a call tells, also of a scope that is missing: that is an error of HTTP, so that clients can ask for it. */
async function told(call: Promise<object>): Promise<Called> {
  try {
    return (await call) as Called
  } catch (error) {
    if (error instanceof InsufficientScopeError) {
      // The client keeps the challenge alone.
      const dropped = { requestId: '', docUrl: '' }
      const structuredContent = { error: error.errorDescription, code: 'FORBIDDEN', ...dropped }
      return { isError: true, structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] }
    }
    if (!(error instanceof StreamableHTTPError && error.code === 403)) throw error
    return JSON.parse(error.message.slice(error.message.indexOf('{'))).result
  }
}

function optionsFor(key: Credential) {
  return {
    fetch: (url: string | URL, init: RequestInit = {}) => {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${typeof key === 'string' ? key : key()}`)
      return fetch(url, { ...init, headers })
    },
  }
}
