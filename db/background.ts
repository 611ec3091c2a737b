import { type InStatement, LibsqlError } from '@libsql/client/sqlite3'
import Database from 'libsql/promise'
import type { LimitFunction } from 'p-limit'
import { BUSY_TIMEOUT_MS, settings } from './file.ts'

/** Writes that neither wait for the disk nor hold the event loop. */
export interface Background {
  /**
   * Runs statements as one write transaction, when it is its turn. Their arguments are numbers and texts, by place.
   * Rejects with SQLITE_BUSY where another process is writing.
   */
  write(statements: InStatement[]): Promise<void>
  /** Resolves once what was to be written is. */
  close(): Promise<void>
}

/** As much of the driver's statements as is used here; it declares no types for them. */
interface Prepared {
  all(args: unknown[]): Promise<unknown[]>
}

/**
 * Opens one more connection to a file that `openFile` has opened, whose statements run on a thread of libSQL's own, so
 * that counts are written while the event loop answers. Only `exec` and `all` run there: the driver's `run` and `get`
 * hold the event loop.
 */
export async function openBackground(path: string, inTurn: LimitFunction): Promise<Background> {
  const database = new Database(path, { timeout: BUSY_TIMEOUT_MS })
  await database.exec(settings('NORMAL'))
  // Kept, for there are few texts, and the driver frees a statement no sooner than garbage is collected.
  const prepared = new Map<string, Prepared>()
  const run = async (statement: InStatement) => {
    const { sql, args } = bound(statement)
    let query = prepared.get(sql)
    if (query === undefined) prepared.set(sql, (query = (await database.prepare(sql)) as Prepared))
    await query.all(args)
  }
  const transaction = async (statements: InStatement[]) => {
    try {
      await database.exec('BEGIN IMMEDIATE')
      for (const statement of statements) await run(statement)
      await database.exec('COMMIT')
    } catch (error) {
      // There is nothing to roll back where the lock was not to be had.
      await database.exec('ROLLBACK').catch(() => {})
      throw asOfClient(error)
    }
  }
  return { write: (statements) => inTurn(() => transaction(statements)), close: () => inTurn(() => database.close()) }
}

function bound(statement: InStatement): { sql: string; args: unknown[] } {
  if (typeof statement === 'string' || !Array.isArray(statement.args))
    throw new TypeError('arguments by place expected')
  // The driver hands texts on up to a NUL, and would store what comes before it.
  if (statement.args.some((value) => typeof value === 'string' && value.includes('\0')))
    throw new TypeError('texts without NUL expected')
  return { sql: statement.sql, args: statement.args }
}

/** The error that the client would have thrown, whose codes are without their further part. */
function asOfClient(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return error
  const [code = error.code] = /^SQLITE_[A-Z]+/.exec(error.code) ?? []
  return new LibsqlError(error.message, code, error.code, undefined, error)
}
