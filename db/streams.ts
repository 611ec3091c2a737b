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
import { LATE, within } from './in-time.ts'

/** Address and token of a remote store. */
export interface RemoteStore {
  url: string
  authToken?: string | undefined
}

/** Servers close a stream that nobody used for ten seconds. */
const IDLE_MS = 5_000
/** Maximum calls per request. They are batched, because a request costs the server more than most statements. */
const TOGETHER = 4
/** The same where more wait than there are streams. */
const MOST_TOGETHER = 16

/** A pending call on a stream. */
interface Ask {
  run(stream: Stream): Promise<unknown>
  /** Whether it may be retried if the outcome of the first attempt is unknown. */
  isRepeatable: boolean
  isAskedAgain: boolean
  /** By `performance.now()`. */
  askedAt: number
  /** That it was sent on. */
  kept: Kept | null
  resolve(answer: never): void
  reject(error: unknown): void
}

/** An open stream, and when it was last used, by `performance.now()`. */
interface Kept {
  stream: Stream
  client: Client
  usedAt: number
}

/**
 * A few streams to a libSQL server that are kept from one request to the next: a stream is a connection to the database
 * there, and opening one costs the server more than most statements. Asks take turns; each is answered or fails in time.
 */
export class Streams {
  readonly #store: RemoteStore
  readonly #most: number
  readonly #timeoutMs: number
  #client: Client | null = null
  #open = 0
  /** The most recently used is last, and is used next. */
  #idle: Kept[] = []
  #waiting: Ask[] = []
  #isClosed = false
  #sweep: ReturnType<typeof setTimeout> | undefined

  /**
   * @param most streams at once; sqld refuses the 129th of all processes.
   * @param timeoutMs from an ask to its answer.
   */
  constructor(store: RemoteStore, most: number, timeoutMs: number) {
    this.#store = store
    this.#most = most
    this.#timeoutMs = timeoutMs
  }

  /**
   * Asks over a stream. If a kept one turns out to be dead, the ask goes over another: what is not repeatable only if the
   * server says that it did nothing.
   * @param late makes the error where there is no answer in time.
   * @throws what `run` does, an error of the connection, or `late`.
   */
  async ask<Answer>(
    run: (stream: Stream) => Promise<Answer>,
    { isRepeatable, late }: { isRepeatable: boolean; late: () => Error },
  ): Promise<Answer> {
    let ask: Ask | undefined
    const answer = new Promise<Answer>((resolve, reject) => {
      ask = { run, isRepeatable, isAskedAgain: false, askedAt: performance.now(), kept: null, resolve, reject }
      this.#waiting.push(ask)
    })
    // What else is asked now may go with it.
    queueMicrotask(() => this.#serve())
    const result = await within(answer, this.#timeoutMs)
    if (result !== LATE) return result
    answer.catch(() => {})
    this.#giveUp(ask as Ask)
    throw late()
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
        const kept = this.#take()
        if (kept === null) return
        const share = Math.min(Math.max(Math.ceil(this.#waiting.length / this.#most), TOGETHER), MOST_TOGETHER)
        void this.#send(kept, this.#waiting.splice(0, share))
      } catch (error) {
        for (const { reject } of this.#waiting.splice(0)) reject(error)
      }
    }
  }

  /** An idle or new stream; null at the maximum. */
  #take(): Kept | null {
    for (let kept = this.#idle.pop(); kept !== undefined; kept = this.#idle.pop()) {
      if (isAlive(kept) && performance.now() - kept.usedAt < IDLE_MS) return kept
      this.#drop(kept)
    }
    if (this.#open >= this.#most) return null
    if (this.#isClosed) throw new Error('the connection to the database is closed')
    if (this.#client === null || this.#client.closed) this.#client = connect(this.#store, this.#timeoutMs)
    const kept = { stream: this.#client.openStream(), client: this.#client, usedAt: performance.now() }
    this.#open += 1
    return kept
  }

  async #send(kept: Kept, asks: Ask[]): Promise<void> {
    await Promise.all(
      asks.map(async (ask) => {
        ask.kept = kept
        try {
          ask.resolve((await ask.run(kept.stream)) as never)
        } catch (error) {
          if (isAlive(kept) || !this.#mayAskAgain(ask, error)) return ask.reject(error)
          ask.isAskedAgain = true
          ask.kept = null
          this.#waiting.push(ask)
        }
      }),
    )
    kept.usedAt = performance.now()
    if (isAlive(kept) && !this.#isClosed) this.#idle.push(kept)
    else this.#drop(kept)
    this.#sweep ??= setTimeout(() => this.#endIdle(), IDLE_MS)
    this.#serve()
  }

  /** Not where much of its time is over: it would fail soon, and take with it what shares its stream by then. */
  #mayAskAgain({ isAskedAgain, askedAt, isRepeatable }: Ask, error: unknown): boolean {
    if (isAskedAgain || performance.now() - askedAt > this.#timeoutMs / 2) return false
    return isRepeatable || wasNotTaken(error)
  }

  /** A stream that has not answered is not asked again; a socket without answers is left as a whole. */
  #giveUp(ask: Ask): void {
    this.#waiting = this.#waiting.filter((other) => other !== ask)
    if (ask.kept?.client instanceof WsClient) ask.kept.client.close()
    else ask.kept?.stream.close()
  }

  #drop({ stream, client }: Kept): void {
    this.#open -= 1
    if (!client.closed && !stream.closed) stream.closeGracefully()
    if (this.#open === 0 && this.#client instanceof WsClient) this.#client.close()
  }

  #endIdle(): void {
    const now = performance.now()
    const old = this.#idle.filter((kept) => now - kept.usedAt >= IDLE_MS)
    this.#idle = this.#idle.filter((kept) => now - kept.usedAt < IDLE_MS)
    for (const kept of old) this.#drop(kept)
    this.#sweep = this.#open === 0 || this.#isClosed ? undefined : setTimeout(() => this.#endIdle(), IDLE_MS)
  }
}

function isAlive({ stream, client }: Kept): boolean {
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
