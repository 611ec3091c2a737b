import {
  ConnectionPool,
  type InStatement,
  type ResultSet,
  type Row,
  Sqlite3Client,
  type TransactionMode,
} from '@libsql/client/sqlite3'
import type Database from 'libsql'
import { BUSY_TIMEOUT_MS, type CachedStatement, statementCache, throwAsClient } from './file.ts'

/**
 * The connection through which drizzle reads a file. The client prepares every statement anew and stores every value of a
 * row twice, by position and by name. Here statements are cached, and a row is the driver's array: drizzle reads values
 * by position wherever it knows the columns.
 */
export class FileReads extends Sqlite3Client {
  readonly #database: Database.Database
  readonly #statement: (sql: string) => CachedStatement

  /** @param path of the file; created if missing. */
  constructor(path: string) {
    // A single connection, so that the settings apply to every statement.
    const pool = new ConnectionPool(path, { timeout: BUSY_TIMEOUT_MS } as Database.Options, 1)
    super(pool, 'number')
    this.#database = pool.acquireSync()
    pool.release(this.#database)
    this.#statement = statementCache(this.#database, false)
  }

  override async execute(statement: InStatement | string, args?: unknown): Promise<ResultSet> {
    return this.#run(typeof statement === 'string' ? ({ sql: statement, args } as InStatement) : statement)
  }

  /** Runs reads in one transaction, so that they see the same state. */
  override async batch(
    statements: (InStatement | [string, unknown?])[],
    _mode?: TransactionMode,
  ): Promise<ResultSet[]> {
    this.#run('BEGIN')
    try {
      return statements.map((one) =>
        this.#run(Array.isArray(one) ? ({ sql: one[0], args: one[1] } as InStatement) : one),
      )
    } finally {
      this.#run('COMMIT')
    }
  }

  #run(given: InStatement): ResultSet {
    const { sql, args = [] } = typeof given === 'string' ? { sql: given } : given
    try {
      const { columns, all, run } = this.#statement(sql)
      const values = Array.isArray(args) ? args.map(toSql) : args
      if (columns.length > 0) return result(all(values) as unknown as Row[], 0)
      const { changes, lastInsertRowid } = run(values)
      return result([], changes, BigInt(lastInsertRowid))
    } catch (error) {
      return throwAsClient(error)
    }
  }
}

function toSql(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  // The driver would store null for each of these.
  if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) {
    throw new TypeError(`${value} cannot be passed to the database`)
  }
  return value
}

function result(rows: Row[], rowsAffected: number, lastInsertRowid?: bigint): ResultSet {
  return { columns: [], columnTypes: [], rows, rowsAffected, lastInsertRowid, toJSON: () => rows }
}
