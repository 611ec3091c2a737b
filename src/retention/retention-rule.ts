import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Store } from '../../db/client.ts'

/** A query that has not been run. */
export interface UnrunQuery {
  toSQL(): { sql: string; params: unknown[] }
}

/** A kind of rows, and how long they are kept. */
export interface RetentionRule {
  /** Its name in metrics and the log. */
  what: string
  table: SQLiteTable
  /** The column, or expression, from which the time counts. It has an index, restricted to the rows of `only`. */
  from: SQLiteColumn | SQL
  keptMs: number
  /** Rows per write, so that an edit waits only a few milliseconds for it; 500 if omitted. */
  rowsPerWrite?: number
  /** Which rows; all if omitted. */
  only?: SQL
  /** The key of rows; `rowid` if omitted. */
  key?: readonly SQLiteColumn[]
  /** How to erase rows, in one transaction; they are deleted if omitted. Rows that remain due are erased again. */
  erase?(db: Store['db'], rows: SQL, before: number): UnrunQuery[] | Promise<UnrunQuery[]>
}

/** The columns that identify rows, as a list in SQL. */
export function rowKey(key: readonly SQLiteColumn[] | undefined): SQL {
  return key === undefined ? sql`rowid` : sql.join([...key], sql`, `)
}
