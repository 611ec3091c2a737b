import type { LookupAddress } from 'node:dns'
import {
  type ClientRequest,
  type ClientRequestArgs,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as overHttp,
} from 'node:http'
import { Agent as HttpsAgent, request as overHttps } from 'node:https'
import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate as otherWork } from 'node:timers/promises'
import { NotSent, type Target } from './target.ts'

/** Limit on `100 Continue` and `103 Early Hints`, of which an honest server sends one or two; each is expensive to parse. */
const MAX_INTERIM_ANSWERS = 20

/** A request to a target. */
export interface Request {
  method: 'GET' | 'HEAD' | 'POST'
  headers: Record<string, string>
  /** Empty for none. */
  body: string
}

/** The head of an answer. */
export interface Head {
  status: number
  headers: IncomingHttpHeaders
}

/** How much of an answer is read, and how long. */
export interface Reading {
  /** Maximum bytes from the other side: certificates, head, framing and body. More is an error. */
  maxBytes: number
  deadline: AbortSignal
  /** Called with the received bytes. @returns why no more may come, or null. */
  receive(bytes: number): Error | null
  /** The error message at the deadline. */
  tooSlow: string
  /** Whether to read the body. */
  wants(head: Head): boolean
  /** Receives the next part of the body. @returns whether to go on reading. */
  take(part: Uint8Array): boolean
}

/**
 * Sends one request to a checked target and reads its answer: to the end, or as far as wanted.
 * @throws NotSent if there was no answer, or too much of it; the error from `receive`.
 */
export function exchange({ url, host, addresses }: Target, request: Request, reading: Reading): Promise<Head> {
  const { maxBytes, deadline, tooSlow } = reading
  return new Promise((resolve, reject) => {
    let sent: ClientRequest | undefined
    const fail = (reason: string | Error) => {
      reject(reason instanceof Error ? reason : new NotSent(reason))
      sent?.destroy()
    }
    if (deadline.aborted) return fail(tooSlow)
    deadline.addEventListener('abort', () => fail(tooSlow), { once: true })
    const received = (answer: IncomingMessage) => {
      const head = { status: answer.statusCode ?? 0, headers: answer.headers }
      const finish = () => {
        resolve(head)
        sent?.destroy()
      }
      answer.on('error', () => fail(CUT_OFF))
      if (!reading.wants(head)) return finish()
      // The connection enforces the limits.
      answer.on('data', (part: Uint8Array) => reading.take(part) || finish())
      answer.on('end', () => resolve(head))
      // Stays after the end, so that late events are ignored.
      answer.on('close', () => fail(CUT_OFF))
    }
    let refused: Error | null = null
    const bound = {
      maxBytes,
      receive: (bytes: number) => (refused = reading.receive(bytes)) === null,
      onTooMuch: () => fail(refused ?? tooMuch(maxBytes)),
    }
    const protocol = url.protocol === 'https:' ? 'https:' : 'http:'
    const { method, headers, body } = request
    try {
      sent = (protocol === 'https:' ? overHttps : overHttp)(
        {
          method,
          protocol,
          hostname: host,
          port: url.port,
          path: url.pathname + url.search,
          headers: { ...headers, ...lengthOf(request), 'accept-encoding': 'identity' },
          agent: agentFor(protocol, bound),
          lookup: (_host, options, found) => answerLookup(addresses, options, found as Found),
        },
        received,
      )
      let interim = 0
      sent.on('information', () => {
        interim += 1
        if (interim > MAX_INTERIM_ANSWERS) fail(TOO_MANY)
      })
      sent.on('error', () => fail('no connection could be made, or it was lost'))
      sent.end(body)
    } catch {
      fail('no connection could be made, or it was lost')
    }
  })
}

const lengthOf = ({ method, body }: Request): Record<string, string> =>
  method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {}
const tooMuch = (maxBytes: number) => `the answer has more than ${maxBytes / 1024} KiB`
const TOO_MANY = `the answer was preceded by more than ${MAX_INTERIM_ANSWERS} interim ones`
const CUT_OFF = 'the answer was cut off'

type Found = (error: Error | null, address: string | LookupAddress[], family?: number) => void

/** Answers a runtime’s look-up with the checked addresses. */
function answerLookup(addresses: readonly LookupAddress[], options: { all?: boolean }, found: Found): void {
  const [first] = addresses
  if (options.all === true) found(null, [...addresses])
  else found(null, first?.address ?? '', first?.family ?? 0)
}

/** Bytes read at once: at worst a millisecond or two of work for a parser, on either runtime. */
const PIECE_BYTES = 4 * 1024

/**
 * Keeps no connection, which might lead to an outdated address. Uses no proxy from the environment (`NODE_USE_ENV_PROXY`), which
 * would look the name up again.
 */
const DIRECTLY = { keepAlive: false, proxyEnv: {} }

/**
 * How long one of several addresses is tried before the next. With the default of a quarter of a second, a slower site, or any
 * site on a busy machine, would be lost if its next address refuses. A second gives systems time for a second connection attempt.
 */
const ATTEMPT_MS = 1_500

/** Limits on received data. */
interface Bound {
  maxBytes: number
  /** Called with the received bytes. @returns whether more may come. */
  receive(bytes: number): boolean
  /** Called when the limit is exceeded. Nothing more is read. */
  onTooMuch(): void
}

/** Connects for one request to a server that may send anything. */
function agentFor(protocol: 'http:' | 'https:', bound: Bound): HttpAgent {
  const agent = protocol === 'https:' ? new HttpsAgent(DIRECTLY) : new HttpAgent(DIRECTLY)
  const overTls = agent.createConnection.bind(agent)
  agent.createConnection = (options) => {
    // Only some options: `path` would be a socket in the file system.
    const { host, port, lookup } = options
    const to = { host: host ?? '', port: Number(port), ...(lookup && { lookup }) }
    const socket = new Limited(connect({ ...to, autoSelectFamilyAttemptTimeout: ATTEMPT_MS }), bound)
    return protocol === 'https:' ? overTls({ ...options, socket } as ClientRequestArgs) : socket
  }
  return agent
}

/**
 * A socket that reads little at a time, and a limited amount in all. The limit is below TLS and HTTP, because data that their
 * parsers neither count nor pass on may be endless (interim answers, the framing of chunks) and could take all time and memory.
 * Besides, TLS on Deno continues to read a connection that nobody reads.
 */
class Limited extends Duplex {
  readonly #pieces: AsyncGenerator<Uint8Array, void>

  constructor(
    readonly socket: Socket,
    bound: Bound,
  ) {
    super()
    this.#pieces = start(socket, bound)
  }

  override _read(): void {
    this.#pieces.next().then(
      ({ value }) => this.push(value ?? null),
      (error) => this.destroy(error),
    )
  }

  override _write(...[chunk, encoding, done]: Parameters<Duplex['_write']>): void {
    this.socket.write(chunk, encoding, done)
  }

  override _final(done: () => void): void {
    this.socket.end(done)
  }

  override _destroy(...[error, done]: Parameters<Duplex['_destroy']>): void {
    this.socket.destroy()
    done(error)
  }
}

/** The first bytes of a socket, in pieces, between which other work gets its turn. */
async function* start(socket: Socket, { maxBytes, receive, onTooMuch }: Bound): AsyncGenerator<Uint8Array, void> {
  let left = maxBytes
  for await (const chunk of socket as AsyncIterable<Uint8Array>) {
    for (let at = 0; at < chunk.byteLength; at += PIECE_BYTES) {
      const piece = chunk.subarray(at, at + PIECE_BYTES)
      left -= piece.byteLength
      if (!receive(piece.byteLength) || left < 0) return onTooMuch()
      yield piece
      await otherWork()
    }
  }
}
