import { LibsqlError } from '@libsql/client/sqlite3'
import type Database from 'libsql'
import { LRUCache } from 'lru-cache'

/** Texts whose statements are kept: the service has fewer, but for those whose length is that of a list. */
export const KEPT_STATEMENTS = 100

/** A statement of the driver, which declares no types for half of this. */
interface Statement {
  raw(isRaw: boolean): void
  safeIntegers(isSafe: boolean): void
  columns(): { name: string }[]
  all(args: unknown): unknown[][]
  run(args: unknown): { changes: number; lastInsertRowid: number }
}

/** A statement that is ready to run, any number of times. */
export interface Kept {
  /** None where it has no rows. */
  columns: { name: string }[]
  /** Its rows, each an array. To be asked of a statement that has columns. */
  all(args: unknown): unknown[][]
  run(args: unknown): { changes: number; lastInsertRowid: number }
}

/**
 * Gives the statements of a connection, each prepared once: preparing costs more than running, and the driver frees a
 * statement no sooner than garbage is collected. Rows are read to the end, so that no statement stays open; collecting
 * them later does nothing to a run that is under way (tests/unit/kept-statements.test.ts).
 * @param safeIntegers whether integers come as bigint.
 */
export function keepStatements(database: Database.Database, safeIntegers: boolean): (sql: string) => Kept {
  const kept = new LRUCache<string, Kept>({ max: KEPT_STATEMENTS })
  const prepare = (sql: string): Kept => {
    const statement = database.prepare(sql) as unknown as Statement
    const columns = statement.columns()
    if (columns.length > 0) statement.raw(true)
    statement.safeIntegers(safeIntegers)
    return { columns, all: (args) => statement.all(args), run: (args) => statement.run(args) }
  }
  return (sql) => {
    let statement = kept.get(sql)
    if (statement === undefined) kept.set(sql, (statement = prepare(sql)))
    return statement
  }
}

/** @throws the error that the client would have thrown, whose codes are without their further part. */
export function rethrown(error: unknown): never {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) throw error
  const [code = error.code] = /^SQLITE_[A-Z]+/.exec(error.code) ?? []
  throw new LibsqlError(error.message, code, error.code, undefined, error)
}
