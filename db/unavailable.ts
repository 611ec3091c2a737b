import { LibsqlError } from '@libsql/client/sqlite3'
import { isBusy } from './file.ts'

/**
 * The store does not answer: it is unreachable or stuck, or another writer has held it for too long. Or it answers, but
 * cannot write.
 */
export class StoreUnavailable extends Error {
  /** Identifies the error to code that must not import the store (`toProblem`). */
  readonly code = 'STORE_UNAVAILABLE'
  readonly isUnwritable: boolean

  constructor(cause: unknown) {
    super('the store does not answer', { cause })
    this.isUnwritable = isUnwritable(cause)
  }
}

/** Whether nothing could be written: the disk is full or broken, or the file is read-only. */
function isUnwritable(error: unknown): boolean {
  return error instanceof LibsqlError && /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN)/.test(error.code)
}

/**
 * Whether the database refused the query, such as for a violated constraint or because it was busy. Any other error means
 * that it did not answer.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof LibsqlError && error.code.startsWith('SQLITE_')
}

/** Whether an error means that the store did not answer, or cannot write. A file always answers unless it is busy. */
export function isUnanswered(error: unknown, file: string | null): boolean {
  if (error instanceof StoreUnavailable) return false
  return isBusy(error) || isUnwritable(error) || (file === null && !isRefusal(error))
}
