import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate as otherWork } from 'node:timers/promises'

/** Read in one go: at worst a millisecond or two of work for a parser, on either runtime. */
const PIECE_BYTES = 4 * 1024

/**
 * Keep no connection: it might lead to an address of another time. Use no proxy of the environment (`NODE_USE_ENV_PROXY`):
 * it would look the name up again.
 */
const DIRECTLY = { keepAlive: false, proxyEnv: {} }

/**
 * How long one of several addresses is tried before the next one. By default a quarter of a second, after which a site that is
 * further away than that, or on a busy machine, is lost if its next address refuses. A second lets systems knock twice.
 */
const ATTEMPT_MS = 1_500

/** How much may be received. */
interface Bound {
  maxBytes: number
  /** Told of what was received. @returns whether more may be. */
  receive(bytes: number): boolean
  /** Called once there is more. Nothing more is read. */
  onTooMuch(): void
}

/** Connects for one request, to somebody who may send anything. */
export function agentFor(protocol: 'http:' | 'https:', bound: Bound): HttpAgent {
  const agent = protocol === 'https:' ? new HttpsAgent(DIRECTLY) : new HttpAgent(DIRECTLY)
  const overTls = agent.createConnection.bind(agent)
  agent.createConnection = (options) => {
    // Not all options: `path` would be a socket in the file system.
    const { host, port, lookup } = options
    const to = { host: host ?? '', port: Number(port), ...(lookup && { lookup }) }
    const socket = new Limited(connect({ ...to, autoSelectFamilyAttemptTimeout: ATTEMPT_MS }), bound)
    return protocol === 'https:' ? overTls({ ...options, socket } as ClientRequestArgs) : socket
  }
  return agent
}

/**
 * A socket that reads little, and not all at once. The limit is below TLS and HTTP, because what their parsers neither count
 * nor pass on may be endless (interim answers, the framing of chunks), and takes all time and memory there is; and because
 * TLS on Deno goes on reading a connection that nobody reads.
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

/** What a socket receives first, in pieces between which others get their turn. */
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
