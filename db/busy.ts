import { setTimeout as sleep } from 'node:timers/promises'
import { LibsqlError } from '@libsql/client/sqlite3'

/** How long a query keeps retrying while another process holds the database. */
export const BUSY_PATIENCE_MS = 5_000

/** Whether another process is writing. */
export function isBusy(error: unknown): boolean {
  return error instanceof LibsqlError && error.code === 'SQLITE_BUSY'
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
