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

/**
 * Opens one more connection to a file that `openFile` has opened, whose statements run on a thread of libSQL's own, so
 * that counts are written while the event loop answers. Of all that the driver does, only whole scripts run there.
 */
export async function openBackground(path: string, inTurn: LimitFunction): Promise<Background> {
  const database = new Database(path, { timeout: BUSY_TIMEOUT_MS })
  await database.exec(settings('NORMAL'))
  const run = async (statements: InStatement[]) => {
    try {
      await database.exec(transactionOf(statements))
    } catch (error) {
      // There is nothing to roll back where the lock was not to be had.
      await database.exec('ROLLBACK').catch(() => {})
      throw asOfClient(error)
    }
  }
  return { write: (statements) => inTurn(() => run(statements)), close: () => inTurn(() => database.close()) }
}

/** Put together by `+` alone: a script is long, and this way it is copied once, when it is sent. */
function transactionOf(statements: InStatement[]): string {
  let script = 'BEGIN IMMEDIATE'
  for (const statement of statements) script += `;${writtenOut(statement)}`
  return `${script};COMMIT`
}

/** A statement with its arguments in the place of each `?` or `?N`. */
function writtenOut(statement: InStatement): string {
  if (typeof statement === 'string' || !Array.isArray(statement.args))
    throw new TypeError('arguments by place expected')
  const { sql, args } = statement
  let written = ''
  let next = 0
  for (const [at, part] of sql.split(/\?(\d*)/).entries()) {
    written += at % 2 === 0 ? part : literal(args[part === '' ? next++ : Number(part) - 1])
  }
  return written
}

function literal(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  // SQLite would read no further than to a NUL.
  if (typeof value === 'string' && !value.includes('\0')) return `'${value.replaceAll("'", "''")}'`
  throw new TypeError('a number or a text without NUL expected')
}

/** The error that the client would have thrown, whose codes are without their further part. */
function asOfClient(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return error
  const [code = error.code] = /^SQLITE_[A-Z]+/.exec(error.code) ?? []
  return new LibsqlError(error.message, code, error.code, undefined, error)
}
