import { createInterface } from 'node:readline'
import about from '../../package.json' with { type: 'json' }
import { command } from './command.ts'
import { UsageError } from './exit.ts'
import { note } from './output.ts'
import { keyFor } from './settings.ts'

export const mcp = command({
  name: 'mcp',
  summary: 'Serve agents over standard input and output, by way of the service’s /api/mcp',
  examples: ['openall mcp', 'claude mcp add openall -- openall mcp'],
  args: {},
  async run({ server }) {
    const key = keyFor(server)
    if (key === undefined) throw new UsageError(`agents need an API key: run openall login --server ${server}`)
    const bridge = new Bridge(`${server}/api/mcp`, key)
    const underWay = new Set<Promise<void>>()
    for await (const line of createInterface({ input: process.stdin })) {
      if (line.trim() === '') continue
      const passed = bridge.pass(line).finally(() => underWay.delete(passed))
      underWay.add(passed)
    }
    await Promise.all(underWay)
  },
})

/** What is read of a message; the rest is not the bridge's business. */
interface Message {
  id?: string | number
  method?: string
  params?: { name?: unknown; uri?: unknown; _meta?: Record<string, unknown> }
  result?: { protocolVersion?: unknown }
}

const VERSION_FIELD = 'io.modelcontextprotocol/protocolVersion'
/** JSON-RPC's codes for a message that is no JSON, for the service's limit (spec 7), and for all else on the way. */
const [PARSE_ERROR, RATE_LIMITED, FAILED] = [-32700, -32004, -32000]

/** Passes messages on and their answers back, each by itself. What they say is between the agent and the service. */
class Bridge {
  /** What the handshake of the older revisions agreed on. */
  #agreed: string | undefined

  constructor(
    readonly url: string,
    readonly key: string,
  ) {}

  /** Never rejects: what goes wrong on the way is the answer to the message. */
  async pass(line: string): Promise<void> {
    const message = parsed(line)
    if (message === null) return write({ id: null, error: { code: PARSE_ERROR, message: 'This line is not JSON.' } })
    try {
      const headers = { ...this.#headersFor(message), authorization: `Bearer ${this.key}` }
      const response = await fetch(this.url, { method: 'POST', headers, body: line, redirect: 'error' })
      await this.#answer(message, response)
    } catch {
      this.#fail(message, FAILED, `${this.url} cannot be reached. Check the address and the network.`)
    }
  }

  #headersFor({ method = '', params }: Message): Record<string, string> {
    const own = params?._meta?.[VERSION_FIELD]
    const version = typeof own === 'string' ? own : this.#agreed
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'service-client': `cli/${about.version}`,
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    }
    if (typeof own !== 'string') return headers
    // Since 2026-07-28 a request's own fields stand in its headers too.
    const name = method === 'resources/read' ? params?.uri : params?.name
    return { ...headers, 'mcp-method': method, ...(typeof name === 'string' ? { 'mcp-name': encoded(name) } : {}) }
  }

  async #answer(message: Message, response: Response): Promise<void> {
    const text = await response.text()
    if (response.status === 202 || (response.ok && text === '')) return
    if (/^text\/event-stream\b/.test(response.headers.get('content-type') ?? '')) {
      for (const data of events(text)) this.#tell(message, data)
    } else this.#tell(message, text, response.status)
  }

  /** Writes an answer as one line; one that is no message of the protocol is an error of the service. */
  #tell(message: Message, text: string, status = 200): void {
    const answer = parsed(text) as (Message & { jsonrpc?: string; error?: unknown }) | null
    if (Array.isArray(answer) || answer?.jsonrpc !== undefined) {
      if (message.method === 'initialize' && typeof answer.result?.protocolVersion === 'string') {
        this.#agreed = answer.result.protocolVersion
      }
      process.stdout.write(`${JSON.stringify(answer)}\n`)
      return
    }
    const said = typeof answer?.error === 'string' ? answer.error : `The server answered with status ${status}.`
    this.#fail(message, status === 429 ? RATE_LIMITED : FAILED, said, answer ?? undefined)
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

/** The data of each event of a stream that has ended. */
function events(stream: string): string[] {
  return stream
    .split(/\r?\n\r?\n/)
    .map((event) => Array.from(event.matchAll(/^data: ?(.*)$/gm), ([, data = '']) => data).join('\n'))
    .filter((data) => data !== '')
}

/** A text as a header can carry it. */
function encoded(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}
