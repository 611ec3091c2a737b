import { setTimeout as sleep } from 'node:timers/promises'
import { LibsqlError } from '@libsql/client/sqlite3'

/** How long a query keeps retrying while another process holds the database. */
export const BUSY_PATIENCE_MS = 5_000

/**
 * A file's word for another writer, and sqld's: it ends a transaction that is older than five seconds when another writer
 * waits, and a stream that was silent for ten. Whatever the code, nothing was committed.
 */
const BUSY: readonly string[] = ['SQLITE_BUSY', 'TRANSACTION_TIMEOUT', 'TRANSACTION_BUSY', 'STREAM_EXPIRED']

/** Whether another process is writing, or ended this one's transaction in order to write. */
export function isBusy(error: unknown): boolean {
  return error instanceof LibsqlError && BUSY.includes(error.code)
}

/**
 * Retries while the database is busy, without blocking the event loop.
 * @throws the last error once `patienceMs` has passed, and any other error at once.
 */
export async function retryWhileBusy<T>(attempt: () => Promise<T>, patienceMs = BUSY_PATIENCE_MS): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (let wait = 2; ; wait = Math.min(wait * 2, 100)) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      await sleep(wait * (0.5 + Math.random()))
    }
  }
}
