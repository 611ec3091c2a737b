import { type InStatement, type ResultSet, Sqlite3Transaction } from '@libsql/client/sqlite3'
import Database from 'libsql'
import Threaded from 'libsql/promise'
import { LRUCache } from 'lru-cache'
import { MAX_STATEMENTS, statementCache, throwAsClient } from './statement-cache.ts'

/** A connection to a file that can run statements on libSQL’s thread or on the event loop. */
export interface FileConnection {
  /** Runs statements without arguments on libSQL’s thread. */
  exec(sql: string): Promise<void>
  /** Runs statements without arguments on the event loop: they must be short and never wait for the disk or a lock. */
  execNow(sql: string): void
  /** Runs one statement with positional arguments (numbers and strings) on libSQL’s thread. Returns its rows. */
  execWith(statement: InStatement): Promise<unknown[]>
  /** Runs statements on the event loop: they must be short and never wait for a disk write. */
  batch(statements: InStatement[]): Promise<ResultSet[]>
  readonly isInTransaction: boolean
  close(): void
}

/** The part of a prepared statement used here; the driver ships no types for its threaded API. */
interface Prepared {
  all(args: unknown[]): Promise<unknown[]>
}

/**
 * Opens a connection to an existing file. Of the driver’s asynchronous methods only `exec` and a statement's `all`
 * leave the event loop; the others block it while they wait for the disk.
 */
export function openFileConnection(path: string): FileConnection {
  // No busy wait of SQLite’s own: it would block the event loop in `execNow`.
  const database = new Database(path, { timeout: 0 } as Database.Options)
  // Both driver APIs keep their connection in `db`, so they can share one.
  const threaded: Threaded = Object.create(Threaded.prototype, { db: { value: (database as unknown as Threaded).db } })
  // The driver frees statements only on garbage collection, and preparing one costs as much as running it.
  const cache = new LRUCache<string, Prepared>({ max: MAX_STATEMENTS })
  const batches = new Sqlite3Transaction(withCachedStatements(database), 'number', () => {})
  return {
    exec: (sql) => threaded.exec(sql).then(() => {}, throwAsClient),
    execNow(sql) {
      try {
        database.exec(sql)
      } catch (error) {
        throwAsClient(error)
      }
    },
    async execWith(statement) {
      const { sql, args } = positional(statement)
      try {
        let query = cache.get(sql)
        if (query === undefined) cache.set(sql, (query = (await threaded.prepare(sql)) as Prepared))
        return await query.all(args)
      } catch (error) {
        return throwAsClient(error)
      }
    },
    batch: (statements) => batches.batch(statements),
    get isInTransaction() {
      return database.inTransaction
    },
    close: () => database.close(),
  }
}

/** Wraps the connection for the client’s transactions, which would prepare a statement for every run. */
function withCachedStatements(database: Database.Database): Database.Database {
  const cached = statementCache(database, true)
  const prepare = (sql: string) => {
    const { columns, all, run } = cached(sql)
    const raw = () => {
      // The client learns from an exception that a statement has no rows.
      if (columns.length === 0) throw NO_ROWS
    }
    return { safeIntegers() {}, raw, columns: () => columns, all, run }
  }
  return Object.create(database, {
    prepare: { value: prepare },
    open: { value: true },
    inTransaction: { get: () => database.inTransaction },
  })
}

const NO_ROWS = new Error('the statement has no rows')

function positional(statement: InStatement): { sql: string; args: unknown[] } {
  if (typeof statement === 'string' || !Array.isArray(statement.args))
    throw new TypeError('positional arguments expected')
  // The driver truncates strings at a NUL.
  if (statement.args.some((value) => typeof value === 'string' && value.includes('\0')))
    throw new TypeError('strings must not contain NUL')
  return { sql: statement.sql, args: statement.args }
}
