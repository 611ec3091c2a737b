import {
  type Client,
  createClient,
  type InStatement,
  LibsqlBatchError,
  LibsqlError,
  type ResultSet,
} from '@libsql/client'
import type { Stream } from '@libsql/hrana-client'
import pLimit from 'p-limit'
import { type Committed, isRead, type Write } from './file.ts'
import { runBatch, runStatement, toDriverError } from './hrana.ts'
import { type RemoteStore, Streams } from './streams.ts'
import { orTimeout, REMOTE_TIMEOUT_MS, TIMED_OUT } from './timeout.ts'
import { isRefusal } from './unavailable.ts'

/** As long as for a busy file. */
const QUEUE_TIMEOUT_MS = 5_000

/** Maximum writes in one transaction; low because a server has other writers too. */
const MAX_GROUP = 32
/** Maximum characters in one request (servers limit them), unless a single write is longer. */
const MAX_CHARACTERS = 1_000_000

/** Read streams per process; more are not faster, and sqld has 128 for all processes. */
const READ_STREAMS = 4

/** The part of the driver’s client that queries use. */
export type Connection = Pick<Client, 'execute' | 'batch' | 'close'>

/** Connects to a libSQL server over http(s) or ws(s). Every call is answered or fails in time. */
export function openRemote(store: RemoteStore): Connection {
  const reads = new Streams(store, READ_STREAMS, REMOTE_TIMEOUT_MS)
  // One write is sent at a time, and never behind a read.
  const writes = new Streams(store, 1, REMOTE_TIMEOUT_MS)
  const call = <Answer>(isRepeatable: boolean, run: (stream: Stream) => Promise<Answer>) =>
    (isRepeatable ? reads : writes).call(run, { isRepeatable, timeoutError: serverTimeout }).catch((error: unknown) => {
      throw toDriverError(error)
    })
  return {
    execute(query: InStatement | string, args?: unknown) {
      const statement = typeof query === 'string' ? ({ sql: query, args } as InStatement) : query
      return call(isRead(query), (stream) => runStatement(stream, statement))
    },
    batch: (statements, mode = 'deferred') =>
      call(mode !== 'write', (stream) => runBatch(stream, statements as InStatement[], mode)),
    close() {
      reads.close()
      writes.close()
    },
  }
}

/**
 * The driver's own client, with its whole interface and a new stream for each call.
 * @param timeoutMs for one answer.
 */
export function openDriver({ url, authToken }: RemoteStore, timeoutMs: number): Client {
  const client = createClient({
    url,
    ...(authToken === undefined ? {} : { authToken }),
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(timeoutMs) }),
  })
  return client.protocol === 'ws' ? withTimeouts(client, timeoutMs) : client
}

/** A queued write and the promise it settles. */
interface QueuedWrite {
  statements: InStatement[]
  /** When it was queued, by `performance.now()`. */
  queuedAt: number
  resolve(results: ResultSet[]): void
  reject(error: unknown): void
}

/**
 * Sends one transaction at a time: with eight concurrent ones sqld finishes none, and other processes send theirs too.
 * Queued writes are sent together. If the server does not answer in time, those still queued fail unsent.
 */
export function writerTo(client: Connection, committed: Committed): Write {
  const inTurn = pLimit(1)
  const queue: QueuedWrite[] = []
  // A refused write rolls back its whole group, so groups shrink after a refusal.
  let most = MAX_GROUP

  const sendQueued = async () => {
    const group = takeGroup(queue, most)
    try {
      const left = await send(client, group, committed)
      most = left === null ? Math.min(most * 2, MAX_GROUP) : Math.max(most >> 1, 1)
      // Put back in order, ahead of later writes. Every write has queued a turn, so there are enough turns left.
      queue.unshift(...(left ?? []))
    } catch (error) {
      for (const { reject } of [...group, ...queue.splice(0)]) reject(error)
    }
  }

  return (statements) =>
    new Promise((resolve, reject) => {
      queue.push({ statements, queuedAt: performance.now(), resolve, reject })
      void inTurn(sendQueued)
    })
}

/** Takes the next group from the queue, and rejects writes that were queued for too long. */
function takeGroup(queue: QueuedWrite[], most: number): QueuedWrite[] {
  const group: QueuedWrite[] = []
  for (let size = 0; group.length < most && queue.length > 0; ) {
    const [next] = queue as [QueuedWrite]
    size += sizeOf(next.statements)
    if (group.length > 0 && size > MAX_CHARACTERS) break
    queue.shift()
    if (performance.now() - next.queuedAt > QUEUE_TIMEOUT_MS) next.reject(serverTimeout())
    else group.push(next)
  }
  return group
}

function sizeOf(statements: InStatement[]): number {
  return JSON.stringify(statements, (_, value) => (typeof value === 'bigint' ? String(value) : value)).length
}

/**
 * Sends a group as one transaction and settles its writes. If the server refuses a write, the group is rolled back: the
 * writes before it are sent again, then it alone, so that its error reflects what is stored.
 * @returns the writes after the refused one, still unsettled; null if none was refused.
 * @throws if the server did not answer, or answered with anything but a refusal.
 */
async function send(client: Connection, group: QueuedWrite[], committed: Committed): Promise<QueuedWrite[] | null> {
  if (group.length === 0) return null
  try {
    const all = group.flatMap(({ statements }) => statements)
    const startedAt = performance.now()
    const results = await client.batch(all, 'write')
    committed((performance.now() - startedAt) / 1000, group.length)
    let from = 0
    for (const { statements, resolve } of group) resolve(results.slice(from, (from += statements.length)))
    return null
  } catch (error) {
    if (!isRefusal(error)) throw error
    const refused = error instanceof LibsqlBatchError ? writeOf(group, error.statementIndex) : -1
    if (group.length === 1 || refused < 0) {
      for (const { reject } of group) reject(error)
      return []
    }
    // Another process may have written in between: then one of these is refused too, and the rest stays queued.
    const before = await send(client, group.slice(0, refused), committed)
    if (before !== null) return [...before, ...group.slice(refused)]
    await send(client, group.slice(refused, refused + 1), committed)
    return group.slice(refused + 1)
  }
}

/** The index of the write that a statement belongs to. */
function writeOf(group: QueuedWrite[], statement: number): number {
  let end = 0
  return group.findIndex(({ statements }) => statement < (end += statements.length))
}

/** Adds timeouts, because a socket may stay open but silent. */
function withTimeouts(client: Client, timeoutMs: number): Client {
  const limited =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const answer = call(...args)
      const result = await orTimeout(answer, timeoutMs)
      if (result !== TIMED_OUT) return result
      answer.catch(() => {})
      throw serverTimeout()
    }
  return Object.assign(client, {
    executeMultiple: limited(client.executeMultiple.bind(client)),
    transaction: limited(client.transaction.bind(client) as (...args: unknown[]) => ReturnType<Client['transaction']>),
  })
}

/** The error of a call that the server did not answer, or that was queued for too long. */
function serverTimeout(): LibsqlError {
  return new LibsqlError('The remote database did not answer in time', 'SERVER_TIMEOUT')
}
