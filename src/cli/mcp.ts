import { createInterface } from 'node:readline'
import about from '../../package.json' with { type: 'json' }
import { command } from './command.ts'
import { credentialFor } from './credentials.ts'
import { UsageError } from './exit.ts'
import { note } from './output.ts'

export const mcp = command({
  summary: 'Run an MCP server over standard input and output that forwards to the service',
  examples: ['openall mcp', 'claude mcp add openall -- openall mcp'],
  args: {},
  async run({ server }) {
    if ((await credentialFor(server)) === undefined)
      throw new UsageError(`agents need you to sign in first: run openall login --server ${server}`)
    const bridge = new Bridge(`${server}/api/mcp`, () => credentialFor(server))
    const pending = new Set<Promise<void>>()
    for await (const line of createInterface({ input: process.stdin })) {
      if (line.trim() === '') continue
      const forwarded = bridge.forward(line).finally(() => pending.delete(forwarded))
      pending.add(forwarded)
    }
    await Promise.all(pending)
  },
})

/** The fields of a message that the bridge reads. */
interface Message {
  id?: string | number
  method?: string
  params?: { name?: unknown; uri?: unknown; _meta?: Record<string, unknown> }
  result?: { protocolVersion?: unknown }
}

const VERSION_FIELD = 'io.modelcontextprotocol/protocolVersion'
/** JSON-RPC codes: invalid JSON, the service's rate limit, any other failure to forward. */
const [PARSE_ERROR, RATE_LIMITED, FAILED] = [-32700, -32004, -32000]

/** Forwards each message to the service and writes its answers. */
class Bridge {
  /** The protocol version that `initialize` of older revisions negotiated. */
  #negotiated: string | undefined

  constructor(
    readonly url: string,
    /** Called for each message, because agents run longer than a sign-in is valid without renewal. */
    readonly credential: () => Promise<string | undefined>,
  ) {}

  /** Forwards a message. Never rejects: failures are answered with an error. */
  async forward(line: string): Promise<void> {
    const message = parsed(line)
    if (message === null) return write({ id: null, error: { code: PARSE_ERROR, message: 'This line is not JSON.' } })
    try {
      const headers = { ...this.#headersFor(message), authorization: `Bearer ${await this.credential()}` }
      const response = await fetch(this.url, { method: 'POST', headers, body: line, redirect: 'error' })
      await this.#answer(message, response)
    } catch {
      this.#fail(message, FAILED, `${this.url} cannot be reached. Check the address and the network.`)
    }
  }

  #headersFor({ method = '', params }: Message): Record<string, string> {
    const own = params?._meta?.[VERSION_FIELD]
    const version = typeof own === 'string' ? own : this.#negotiated
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'service-client': `cli/${about.version}`,
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    }
    if (typeof own !== 'string') return headers
    // Since 2026-07-28, headers repeat the method and name of a request.
    const name = method === 'resources/read' ? params?.uri : params?.name
    return { ...headers, 'mcp-method': method, ...(typeof name === 'string' ? { 'mcp-name': encoded(name) } : {}) }
  }

  async #answer(message: Message, response: Response): Promise<void> {
    const text = await response.text()
    if (response.status === 202 || (response.ok && text === '')) return
    if (/^text\/event-stream\b/.test(response.headers.get('content-type') ?? '')) {
      for (const data of events(text)) this.#write(message, data)
    } else this.#write(message, text, response.status)
  }

  /** Writes an answer as one line; converts an error of the HTTP API to JSON-RPC. */
  #write(message: Message, text: string, status = 200): void {
    const answer = parsed(text) as (Message & { jsonrpc?: string; error?: unknown }) | null
    if (Array.isArray(answer) || answer?.jsonrpc !== undefined) {
      if (message.method === 'initialize' && typeof answer.result?.protocolVersion === 'string') {
        this.#negotiated = answer.result.protocolVersion
      }
      process.stdout.write(`${JSON.stringify(answer)}\n`)
      return
    }
    const error = typeof answer?.error === 'string' ? answer.error : `The server answered with status ${status}.`
    this.#fail(message, status === 429 ? RATE_LIMITED : FAILED, error, answer ?? undefined)
  }

  #fail({ id }: Message, code: number, message: string, data?: unknown): void {
    if (id === undefined) note(message)
    else write({ id, error: { code, message, ...(data === undefined ? {} : { data }) } })
  }
}

function write(answer: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...answer })}\n`)
}

function parsed(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

/** The data of each event in an event stream. */
function events(stream: string): string[] {
  return stream
    .split(/\r?\n\r?\n/)
    .map((event) => Array.from(event.matchAll(/^data: ?(.*)$/gm), ([, data = '']) => data).join('\n'))
    .filter((data) => data !== '')
}

/** Encodes a text as a header value. */
function encoded(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}
