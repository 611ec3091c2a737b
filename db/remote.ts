import { type Client, createClient, LibsqlError } from '@libsql/client'
import pLimit from 'p-limit'
import type { Write } from './file.ts'
import { LATE, REMOTE_TIMEOUT_MS, within } from './in-time.ts'

/** The same as for a busy file. */
const TURN_PATIENCE_MS = 5_000

/** Address and token of a remote store. */
export interface RemoteStore {
  url: string
  authToken?: string | undefined
}

/**
 * Connects to a libSQL server over http(s) or ws(s). Every call is answered or fails in time.
 * @param timeoutMs for one answer.
 */
export function openRemote({ url, authToken }: RemoteStore, timeoutMs = REMOTE_TIMEOUT_MS): Client {
  const client = createClient({
    url,
    ...(authToken === undefined ? {} : { authToken }),
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(timeoutMs) }),
  })
  return client.protocol === 'ws' ? inTime(client, timeoutMs) : client
}

/**
 * Writes one at a time, as the server does: eight transactions waiting in sqld keep it from finishing any, and other
 * processes send theirs too. If the server does not answer one in time, those waiting behind it fail unsent.
 */
export function writerTo(client: Client): Write {
  const inTurn = pLimit({ concurrency: 1, rejectOnClear: true })
  return (statements) => {
    const askedAt = performance.now()
    return inTurn(async () => {
      if (performance.now() - askedAt > TURN_PATIENCE_MS) throw late()
      try {
        return await client.batch(statements, 'write')
      } catch (error) {
        if (!isRefusal(error)) inTurn.clearQueue()
        throw error
      }
    })
  }
}

/** Whether the database refused, because of a constraint or because it was busy. */
export function isRefusal(error: unknown): boolean {
  return error instanceof LibsqlError && error.code.startsWith('SQLITE_')
}

function late(): LibsqlError {
  return new LibsqlError('The remote database did not answer in time', 'SERVER_TIMEOUT')
}

/** A socket may stay open and silent: it is dropped, and the next call opens another. */
function inTime(client: Client, timeoutMs: number): Client {
  let reconnecting: Promise<void> | undefined
  const leave = () => {
    reconnecting ??= Promise.resolve(client.reconnect())
      .catch(() => {})
      .finally(() => (reconnecting = undefined))
  }
  const limited =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const answer = call(...args)
      const result = await within(answer, timeoutMs)
      if (result !== LATE) return result
      answer.catch(() => {})
      leave()
      throw late()
    }
  return Object.assign(client, {
    execute: limited(client.execute.bind(client) as (...args: unknown[]) => ReturnType<Client['execute']>),
    batch: limited(client.batch.bind(client)),
    executeMultiple: limited(client.executeMultiple.bind(client)),
    transaction: limited(client.transaction.bind(client) as (...args: unknown[]) => ReturnType<Client['transaction']>),
  })
}
