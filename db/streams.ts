import {
  type Client,
  HttpServerError,
  openHttp,
  openWs,
  parseLibsqlUrl,
  ResponseError,
  type Stream,
  WsClient,
} from '@libsql/hrana-client'
import { orTimeout, TIMED_OUT } from './timeout.ts'

/** Address and token of a remote store. */
export interface RemoteStore {
  url: string
  authToken?: string | undefined
}

/** Servers close streams that were idle for ten seconds. */
const IDLE_MS = 5_000
/** Usual batch size. Calls are batched because a request costs the server more than most statements. */
const CALLS_PER_REQUEST = 4
/** Maximum batch size when more calls are waiting than the streams would otherwise take. */
const MAX_CALLS_PER_REQUEST = 16

interface PendingCall {
  run(stream: Stream): Promise<unknown>
  /** Whether it may be retried if the outcome of the first attempt is unknown. */
  isRepeatable: boolean
  isRetry: boolean
  /** By `performance.now()`. */
  queuedAt: number
  /** The stream it was sent on. */
  pooled: PooledStream | null
  resolve(answer: never): void
  reject(error: unknown): void
}

/** A stream kept open for reuse. */
interface PooledStream {
  stream: Stream
  client: Client
  /** When it was last used, by `performance.now()`. */
  usedAt: number
}

/**
 * A pool of streams to a libSQL server. A stream is a connection to the database there, and opening one costs the server
 * more than most statements. Calls are queued; each is answered or fails in time.
 */
export class Streams {
  readonly #store: RemoteStore
  readonly #maxStreams: number
  readonly #timeoutMs: number
  #client: Client | null = null
  #openCount = 0
  /** The most recently used stream is last, and is reused first. */
  #idle: PooledStream[] = []
  #waiting: PendingCall[] = []
  #isClosed = false
  #sweep: ReturnType<typeof setTimeout> | undefined

  /**
   * @param maxStreams open at once; sqld allows 128 for all processes.
   * @param timeoutMs from a call to its answer.
   */
  constructor(store: RemoteStore, maxStreams: number, timeoutMs: number) {
    this.#store = store
    this.#maxStreams = maxStreams
    this.#timeoutMs = timeoutMs
  }

  /**
   * Makes a call over a stream. If the stream turns out to be dead, the call is retried over another. A call that is not
   * repeatable is retried only if the server says that it did nothing.
   * @param timeoutError creates the error for a call without an answer in time.
   * @throws errors of `run`, a connection error, or `timeoutError()`.
   */
  async call<Answer>(
    run: (stream: Stream) => Promise<Answer>,
    { isRepeatable, timeoutError }: { isRepeatable: boolean; timeoutError: () => Error },
  ): Promise<Answer> {
    let call: PendingCall | undefined
    const answer = new Promise<Answer>((resolve, reject) => {
      call = { run, isRepeatable, isRetry: false, queuedAt: performance.now(), pooled: null, resolve, reject }
      this.#waiting.push(call)
    })
    // Calls made in the same tick share a request.
    queueMicrotask(() => this.#serve())
    const result = await orTimeout(answer, this.#timeoutMs)
    if (result !== TIMED_OUT) return result
    answer.catch(() => {})
    this.#giveUp(call as PendingCall)
    throw timeoutError()
  }

  /** Ends all streams; pending calls fail. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#sweep)
    this.#client?.close()
    this.#client = null
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('the connection to the database is closed'))
  }

  #serve(): void {
    while (this.#waiting.length > 0) {
      try {
        const pooled = this.#take()
        if (pooled === null) return
        const share = Math.min(
          Math.max(Math.ceil(this.#waiting.length / this.#maxStreams), CALLS_PER_REQUEST),
          MAX_CALLS_PER_REQUEST,
        )
        void this.#send(pooled, this.#waiting.splice(0, share))
      } catch (error) {
        for (const { reject } of this.#waiting.splice(0)) reject(error)
      }
    }
  }

  /** An idle or new stream; null at the maximum. */
  #take(): PooledStream | null {
    for (let pooled = this.#idle.pop(); pooled !== undefined; pooled = this.#idle.pop()) {
      if (isAlive(pooled) && performance.now() - pooled.usedAt < IDLE_MS) return pooled
      this.#drop(pooled)
    }
    if (this.#openCount >= this.#maxStreams) return null
    if (this.#isClosed) throw new Error('the connection to the database is closed')
    if (this.#client === null || this.#client.closed) this.#client = connect(this.#store, this.#timeoutMs)
    const pooled = { stream: this.#client.openStream(), client: this.#client, usedAt: performance.now() }
    this.#openCount += 1
    return pooled
  }

  async #send(pooled: PooledStream, calls: PendingCall[]): Promise<void> {
    await Promise.all(
      calls.map(async (call) => {
        call.pooled = pooled
        try {
          call.resolve((await call.run(pooled.stream)) as never)
        } catch (error) {
          if (isAlive(pooled) || !this.#mayRetry(call, error)) return call.reject(error)
          call.isRetry = true
          call.pooled = null
          this.#waiting.push(call)
        }
      }),
    )
    pooled.usedAt = performance.now()
    if (isAlive(pooled) && !this.#isClosed) this.#idle.push(pooled)
    else this.#drop(pooled)
    this.#sweep ??= setTimeout(() => this.#endIdle(), IDLE_MS)
    this.#serve()
  }

  /** Does not retry late in a call's time: the retry would fail soon, and take the calls that share its stream with it. */
  #mayRetry({ isRetry, queuedAt, isRepeatable }: PendingCall, error: unknown): boolean {
    if (isRetry || performance.now() - queuedAt > this.#timeoutMs / 2) return false
    return isRepeatable || wasNotTaken(error)
  }

  /** Closes the stream that did not answer; over a WebSocket, the whole socket. */
  #giveUp(call: PendingCall): void {
    this.#waiting = this.#waiting.filter((other) => other !== call)
    if (call.pooled?.client instanceof WsClient) call.pooled.client.close()
    else call.pooled?.stream.close()
  }

  #drop({ stream, client }: PooledStream): void {
    this.#openCount -= 1
    if (!client.closed && !stream.closed) stream.closeGracefully()
    if (this.#openCount === 0 && this.#client instanceof WsClient) this.#client.close()
  }

  #endIdle(): void {
    const now = performance.now()
    const old = this.#idle.filter((pooled) => now - pooled.usedAt >= IDLE_MS)
    this.#idle = this.#idle.filter((pooled) => now - pooled.usedAt < IDLE_MS)
    for (const pooled of old) this.#drop(pooled)
    this.#sweep = this.#openCount === 0 || this.#isClosed ? undefined : setTimeout(() => this.#endIdle(), IDLE_MS)
  }
}

function isAlive({ stream, client }: PooledStream): boolean {
  return !stream.closed && !client.closed
}

/** Whether the server rejected a call unprocessed because it no longer knows the stream. */
function wasNotTaken(error: unknown): boolean {
  if (error instanceof ResponseError) return error.code === 'STREAM_EXPIRED'
  return error instanceof HttpServerError && error.status === 400
}

function connect({ url, authToken }: RemoteStore, timeoutMs: number): Client {
  const { hranaHttpUrl, hranaWsUrl, authToken: token = authToken } = parseLibsqlUrl(url)
  if (hranaHttpUrl === undefined) return openWs(hranaWsUrl ?? url, token)
  return openHttp(hranaHttpUrl, token, (request: Request) => fetch(request, { signal: AbortSignal.timeout(timeoutMs) }))
}
