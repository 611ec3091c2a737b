import { LibsqlError } from '@libsql/client/sqlite3'
import type Database from 'libsql'
import { LRUCache } from 'lru-cache'

/** Size of the cache. The service has fewer statements, apart from those whose text grows with a list. */
export const MAX_STATEMENTS = 100

/** The driver's statement; it declares no types for half of this. */
interface Statement {
  raw(isRaw: boolean): void
  safeIntegers(isSafe: boolean): void
  columns(): { name: string }[]
  all(args: unknown): unknown[][]
  run(args: unknown): { changes: number; lastInsertRowid: number }
}

/** A prepared statement, which can run any number of times. */
export interface CachedStatement {
  /** Empty if the statement returns no rows. */
  columns: { name: string }[]
  /** Its rows, as arrays. Only for a statement that has columns. */
  all(args: unknown): unknown[][]
  run(args: unknown): { changes: number; lastInsertRowid: number }
}

/**
 * Prepares each statement of a connection once: preparing costs more than running, and the driver frees statements only
 * on garbage collection. Rows are read to the end, so no statement stays open, and collecting the rows of one run does
 * not affect another (tests/unit/statement-cache.test.ts).
 * @param safeIntegers whether integers are returned as bigint.
 */
export function statementCache(database: Database.Database, safeIntegers: boolean): (sql: string) => CachedStatement {
  const cache = new LRUCache<string, CachedStatement>({ max: MAX_STATEMENTS })
  const prepare = (sql: string): CachedStatement => {
    const statement = database.prepare(sql) as unknown as Statement
    const columns = statement.columns()
    if (columns.length > 0) statement.raw(true)
    statement.safeIntegers(safeIntegers)
    return { columns, all: (args) => statement.all(args), run: (args) => statement.run(args) }
  }
  return (sql) => {
    let statement = cache.get(sql)
    if (statement === undefined) cache.set(sql, (statement = prepare(sql)))
    return statement
  }
}

/** Throws a driver's error as the client would: `code` is the primary code, without the extended part. */
export function throwAsClient(error: unknown): never {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) throw error
  const [code = error.code] = /^SQLITE_[A-Z]+/.exec(error.code) ?? []
  throw new LibsqlError(error.message, code, error.code, undefined, error)
}
