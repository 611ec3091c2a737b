import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import {
  type Client,
  createClient,
  type InStatement,
  LibsqlError,
  type ResultSet,
  Sqlite3Transaction,
} from '@libsql/client/sqlite3'
import Database from 'libsql'
import Threaded from 'libsql/promise'
import { LRUCache } from 'lru-cache'
import { makeFolderOf } from '../src/config/files.ts'

/** Size of the cache. The service has fewer statements, apart from those whose text grows with a list. */
const MAX_STATEMENTS = 100

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

/** How long a query is retried while another process holds the database. */
export const BUSY_PATIENCE_MS = 5_000

/**
 * The codes for another writer, from a file or from sqld, which ends a transaction older than five seconds when another writer
 * waits, and a stream that was silent for ten. Whatever the code, nothing was committed.
 */
const BUSY: readonly string[] = ['SQLITE_BUSY', 'TRANSACTION_TIMEOUT', 'TRANSACTION_BUSY', 'STREAM_EXPIRED']

/** Whether another process is writing, or ended this process's transaction in order to write. */
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

/** SQLite’s own busy wait may block the event loop, so it is short; `retryWhileBusy` waits longer. */
export const BUSY_TIMEOUT_MS = 100

/** drizzle's table of applied migrations; the only table that exists before any migration. */
export const JOURNAL = '__drizzle_migrations'

/**
 * Takes the write lock as the first statement of a transaction, without changing anything. Run it with
 * `executeMultiple`, which always finalises its statement. A statement that the driver prepares, `BEGIN IMMEDIATE`
 * included, stays open until garbage collection if the database is busy: until then every COMMIT on the connection
 * fails, and writes outside a transaction are acknowledged and then lost.
 */
export const TAKE_WRITE_LOCK = `DELETE FROM ${JOURNAL} WHERE false`

/** Runs statements atomically. Rejects with SQLITE_BUSY if another process is writing. */
export type Write = (statements: InStatement[]) => Promise<ResultSet[]>

/** Commit observer: called with the duration of a transaction and the number of writes in it. */
export type Committed = (seconds: number, writes: number) => void

/** Cache per connection (SQLite’s default is 2000 KiB); small, because the operating system caches the file anyway. */
const CACHE_KIB = 256

/**
 * Opens a connection to a local file, creating the file if missing.
 * @param retry retries while the file is busy.
 * @param connect creates the client; it must have a single connection, to which the settings apply.
 */
export async function openFile(
  path: string,
  retry: (attempt: () => Promise<void>) => Promise<void>,
  connect = (to: string): Client =>
    createClient({ url: pathToFileURL(to).href, concurrency: 1, timeout: BUSY_TIMEOUT_MS }),
): Promise<Client> {
  makeFolderOf(path)
  const client = connect(path)
  await retry(() => client.executeMultiple('PRAGMA journal_mode = WAL'))
  await client.executeMultiple(SETTINGS)
  return client
}

/** Settings for every connection. */
export const SETTINGS = `
  PRAGMA synchronous = FULL;
  PRAGMA cache_size = -${CACHE_KIB};
  PRAGMA foreign_keys = ON;
  -- A deleted salt must not survive in a free page.
  PRAGMA secure_delete = ON`

/**
 * Routes a client’s single writes through `write`, because libraries that build their own queries (better-auth) write
 * through the client too.
 */
export function writingThrough<Given extends Pick<Client, 'execute'>>(client: Given, write: Write): Given {
  const execute = client.execute.bind(client) as (query: InStatement | string, args?: unknown) => Promise<ResultSet>
  return Object.assign(client, {
    async execute(query: InStatement | string, args?: unknown) {
      if (isRead(query)) return execute(query, args)
      const [result] = await write([typeof query === 'string' ? ({ sql: query, args } as InStatement) : query])
      return result as ResultSet
    },
  })
}

/** Whether a statement only reads, by its first word; any unknown word counts as a write. */
export function isRead(query: InStatement | string): boolean {
  return /^\s*(?:select|pragma|explain|values)\b/i.test(typeof query === 'string' ? query : query.sql)
}

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
  // Without SQLite’s own busy wait, which would block the event loop in `execNow`.
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
