import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type Client, createClient, type InStatement, LibsqlError, type ResultSet } from '@libsql/client/sqlite3'
import { SQL, sql } from 'drizzle-orm'
import type { LibSQLDatabase } from 'drizzle-orm/libsql'
import { drizzle } from 'drizzle-orm/libsql/sqlite3'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { databaseFile } from '../src/config/config.ts'
import type { ActorType, FieldChange } from './event-schema.ts'
import {
  type Committed,
  JOURNAL,
  openFile,
  openFileConnection,
  retryWhileBusy,
  SETTINGS,
  type Write,
  writingThrough,
} from './file.ts'
import { knownMigrations } from './known-migrations.ts'
import { refuseOtherVersion } from './migrate.ts'
import { MIGRATION_TIMEOUT_MS, migrate, START_PATIENCE_MS, type Tell } from './migrator.ts'
import { FileReads } from './reads.ts'
import type { Connection } from './remote.ts'
import type { RemoteStore } from './streams.ts'
import { REMOTE_TIMEOUT_MS, withTimeout } from './timeout.ts'
import { isUnanswered, StoreUnavailable } from './unavailable.ts'
import { openWriter } from './writer.ts'

/** Who causes a write; see `events` in `event-schema.ts`. */
export interface Actor {
  type: Exclude<ActorType, 'service'>
  /** The person, or the creator of the key; null for a provider. */
  userId: string | null
  keyId: number | null
}

const current = new AsyncLocalStorage<Actor>()

/** Runs an action for somebody: its writes are logged as theirs. */
export function actingAs<T>(actor: Actor, run: () => T): T {
  return current.run(actor, run)
}

/** Wraps a write so that its transaction tells the triggers who causes it; without an actor, it is the service. */
function asActor(write: Write): Write {
  return async (statements) => {
    const actor = current.getStore()
    if (actor === undefined) return write(statements)
    const results = await write([arrive(actor), ...statements, LEAVE])
    return results.slice(1, -1)
  }
}

function arrive({ type, userId, keyId }: Actor): InStatement {
  return { sql: 'INSERT INTO acting (id, type, user_id, key_id) VALUES (1, ?, ?, ?)', args: [type, userId, keyId] }
}

const LEAVE: InStatement = { sql: 'DELETE FROM acting', args: [] }

/** The statement that records an edit's changes for the log; it precedes the edit in its transaction. */
export function withChanges(changes: readonly FieldChange[]): SQL {
  return sql`UPDATE acting SET changes = ${JSON.stringify(changes)}`
}

declare module '../src/core/service.ts' {
  interface Service {
    store: Store
  }
}

/** A drizzle query that has not been run, or our own SQL. */
export type Query = { toSQL(): { sql: string; params: unknown[] } } | SQL

/** The open store. Reads go through `db`; every write that must be atomic goes through `write`. */
export interface Store {
  db: LibSQLDatabase
  /**
   * Runs a read that may take long, without blocking the event loop. It must return one row with one column.
   * @returns its value.
   */
  readLong(query: Query): Promise<unknown>
  /**
   * Runs the queries atomically and durably, retrying for up to five seconds while the database is busy, without
   * blocking the event loop. Several writes may share a transaction.
   */
  write(queries: readonly Query[]): Promise<ResultSet[]>
  /**
   * Like `write`, for counters and the search index, but without waiting for the disk, so that only edits pay for durability: a
   * power cut may lose the last second of them. Takes positional arguments, numbers and strings only.
   */
  writeCounters(statements: InStatement[]): Promise<unknown>
  /**
   * Moves the write-ahead log into the file and truncates it, so that deleted data is in neither. Does nothing for a
   * remote store, which manages its own logs.
   * @returns false if a reader of an older state still uses the log: try again later.
   */
  checkpointWal(): Promise<boolean>
  /**
   * Resolves once the store has answered a read from disk. If the last write got no answer or found no space, also tries a write
   * of its own, so that `writesFailSince` recovers by itself.
   * @throws after two seconds without an answer.
   */
  reach(): Promise<void>
  /** When writes began to get no answer or find no space, in milliseconds since 1970; null if the last one succeeded. */
  readonly writesFailSince: number | null
  /** Failed queries, not counting violated constraints. */
  readonly failures: number
  close(): Promise<void>
}

/**
 * Opens a local file (created if missing) or a remote libSQL server, and migrates its tables.
 * @param committed observes every transaction of `write`.
 * @param tell receives the progress of the migration.
 * @throws MigrationFailed; the driver's error if the store cannot be opened.
 */
export async function openStore(
  database: RemoteStore,
  committed: Committed = () => {},
  tell: Tell = () => {},
): Promise<Store> {
  const file = databaseFile(database.url)
  const connections = await (file === null
    ? openServer(database, committed, tell)
    : openConnections(file, committed, tell))
  let failures = 0
  let writesFailSince: number | null = null
  const watch =
    <Given extends unknown[], Result>(run: (...given: Given) => Promise<Result>) =>
    (...given: Given) =>
      run(...given).catch((error: unknown) => {
        if (brokenConstraint(error) === null) failures += 1
        throw isUnanswered(error, file) ? new StoreUnavailable(error) : error
      })
  const watchWrite = <Given extends unknown[], Result>(run: (...given: Given) => Promise<Result>) => {
    const watched = watch(run)
    return async (...given: Given) => {
      try {
        const result = await watched(...given)
        writesFailSince = null
        return result
      } catch (error) {
        writesFailSince = error instanceof StoreUnavailable ? (writesFailSince ?? Date.now()) : null
        throw error
      }
    }
  }
  const { reads } = connections
  const readLong = watch(connections.readLong)
  const [write, writeCounters] = [watchWrite(connections.write), watchWrite(connections.writeCounters)]
  const ask = reads.execute.bind(reads) as (statement: InStatement) => Promise<ResultSet>
  Object.assign(reads, { execute: watch(ask), batch: watch(reads.batch.bind(reads)) })
  let reaching: Promise<void> | undefined
  return {
    db: drizzle(reads as Client),
    readLong: (query) => readLong(inStatement(query)),
    write: (queries) => write(queries.map(inStatement)),
    writeCounters,
    reach() {
      // Concurrent checks share one query and one write.
      const tryToWrite = async () => {
        if (writesFailSince !== null) await withTimeout(write([aWrite()]), REMOTE_TIMEOUT_MS).catch(() => {})
      }
      reaching ??= Promise.all([reached(reads), tryToWrite()])
        .then(() => {})
        .finally(() => {
          reaching = undefined
        })
      return reaching
    },
    get writesFailSince() {
      return writesFailSince
    },
    get failures() {
      return failures
    },
    checkpointWal: connections.checkpointWal,
    async close() {
      // After shutdown the file alone should be the whole store; a reader in another process may prevent that.
      await connections.checkpointWal().catch(() => {})
      for (const client of connections.others) await client.close()
      reads.close()
    },
  }
}

interface Connections {
  reads: Connection
  readLong: LongReads['read']
  write: Write
  writeCounters: Store['writeCounters']
  checkpointWal: Store['checkpointWal']
  /** Closed before `reads`. */
  others: { close(): void | Promise<void> }[]
}

/** A file has one connection for short reads, one for long ones, and one for writing. */
async function openConnections(file: string, committed: Committed, tell: Tell): Promise<Connections> {
  const retry = (attempt: () => Promise<void>) => retryWhileBusy(attempt, START_PATIENCE_MS)
  // Before the first setting, because settings write to the file.
  if (existsSync(file)) await retry(() => withPlainClient(file, refuseOtherVersion))
  const reads = await openFile(file, retry, (path) => new FileReads(path))
  await migrate(reads, knownMigrations(), tell)
  const writer = await openWriter(file, committed)
  const longReads = await openLongReads(file)
  const write = asActor(writer.write)
  return {
    reads: writingThrough(reads, write),
    readLong: longReads.read,
    write,
    writeCounters: writer.writeCounters,
    checkpointWal: writer.checkpoint,
    others: [writer, longReads],
  }
}

async function withPlainClient(file: string, run: (client: Client) => Promise<void>): Promise<void> {
  const client = createClient({ url: pathToFileURL(file).href })
  await run(client).finally(() => client.close())
}

async function openServer(remote: RemoteStore, committed: Committed, tell: Tell): Promise<Connections> {
  // A server manages its own log.
  const checkpointWal = async () => true
  // Loaded on demand: a file store needs no network code.
  const { openDriver, openRemote, writerTo } = await import('./remote.ts')
  // With a longer timeout, because filling a new column reads every row.
  const migrating = openDriver(remote, MIGRATION_TIMEOUT_MS)
  await migrate(migrating, knownMigrations(), tell).finally(() => migrating.close())
  const client = openRemote(remote)
  const send = writerTo(client, committed)
  const writeCounters: Write = (statements) => retryWhileBusy(() => send(statements))
  const write = asActor(writeCounters)
  const reads = writingThrough(client, write)
  return { reads, readLong: readerOn(client), write, writeCounters, checkpointWal, others: [] }
}

/** A write that needs disk space and is erased within the hour: the mark of an empty batch of counts. */
function aWrite(): InStatement {
  return { sql: 'INSERT INTO counter_batches (at, id) VALUES (?, ?)', args: [Date.now(), randomUUID()] }
}

/** Reads a table, because `SELECT 1` succeeds even without the disk. */
async function reached(client: Connection): Promise<void> {
  await withTimeout(client.execute(`SELECT max(created_at) FROM ${JOURNAL}`), REMOTE_TIMEOUT_MS)
}

/** The violated constraint, such as `UNIQUE constraint failed: bundles.slug`; null if the error is another. */
export function brokenConstraint(error: unknown): string | null {
  if (!(error instanceof LibsqlError) || !error.code.startsWith('SQLITE_CONSTRAINT')) return null
  return /[A-Z ]+ constraint failed.*/.exec(error.message)?.[0] ?? error.message
}

function inStatement(query: Query): InStatement {
  const { sql, params } = statement(query)
  return { sql, args: params as never[] }
}

const dialect = new SQLiteAsyncDialect()

/** The text and parameters of a query. */
export function statement(query: Query): { sql: string; params: unknown[] } {
  return query instanceof SQL ? dialect.sqlToQuery(query) : query.toSQL()
}

/** A search reads pages all over its index: with the other connections' cache size, it takes a fifth longer in a large one. */
const CACHE_KIB = 2_048

/** A connection for reads that take long. */
interface LongReads {
  /** Runs a statement with positional arguments that returns one row with one column. Returns its value. */
  read(statement: InStatement): Promise<unknown>
  close(): void
}

/**
 * Opens a connection to a file opened by `openFile`, on which reads run on one of libSQL's threads. They return one row, because
 * the thread only computes the first: the driver computes further rows on the event loop.
 */
async function openLongReads(path: string): Promise<LongReads> {
  const database = openFileConnection(path)
  await database.exec(`${SETTINGS}; PRAGMA cache_size = -${CACHE_KIB}`)
  return {
    async read(statement) {
      const [row] = await retryWhileBusy(() => database.execWith(statement))
      return valueIn(row)
    },
    close: () => database.close(),
  }
}

/** Long reads on a server, whose answers the event loop only waits for. */
function readerOn(client: Pick<Connection, 'execute'>): LongReads['read'] {
  return async (statement) => valueIn((await client.execute(statement)).rows[0])
}

function valueIn(row: unknown): unknown {
  return Object.values(row ?? {})[0] ?? null
}
