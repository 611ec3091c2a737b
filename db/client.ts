import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Client, type InStatement, LibsqlError, type ResultSet } from '@libsql/client/sqlite3'
import { SQL } from 'drizzle-orm'
import type { LibSQLDatabase } from 'drizzle-orm/libsql'
import { drizzle } from 'drizzle-orm/libsql/sqlite3'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import pLimit from 'p-limit'
import { databaseFile } from '../src/config.ts'
import { openBackground } from './background.ts'
import { JOURNAL, openFile, TAKE_WRITE_LOCK, type Write, writerOn, writingThrough } from './file.ts'
import { inTime, REMOTE_TIMEOUT_MS } from './in-time.ts'
import type { RemoteStore } from './remote.ts'

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))
const BUSY_PATIENCE_MS = 5_000
/** Processes that start at once wait for each other’s migrations. */
const START_PATIENCE_MS = 30_000

/** A drizzle query that is built and not run, or our own SQL. */
export type Query = { toSQL(): { sql: string; params: unknown[] } } | SQL

/** The open store. Reads go through `db`; every write that must be atomic goes through `write`. */
export interface Store {
  db: LibSQLDatabase
  /**
   * Runs the queries as one write transaction: all or nothing, durable once it resolves. Retries for up to five seconds
   * while the database is busy, without blocking the event loop.
   */
  write(queries: readonly Query[]): Promise<ResultSet[]>
  /**
   * The same for counters: on a file it does not wait for the disk, so a power cut may take the last
   * second of counts, and the edits' durability costs nothing here. Their arguments are numbers and texts, by place.
   */
  writeCounters(statements: InStatement[]): Promise<unknown>
  /**
   * Moves the write-ahead log into the file and empties it. What is deleted is overwritten in the file, so that
   * afterwards it can be read from neither. A remote store keeps logs of its own: there this does nothing.
   * @returns false where somebody reads an older state and the log must stay for now: try again later.
   */
  checkpointWal(): Promise<boolean>
  /**
   * Resolves when the store has answered a read from disk.
   * @throws if it does not within two seconds.
   */
  reach(): Promise<void>
  /** Failed queries, except those that broke a constraint on purpose. */
  readonly failures: number
  close(): Promise<void>
}

/**
 * Opens a local file (created if missing), a remote libSQL server, or with `replicaPath` a local copy of one, and
 * migrates its tables.
 * @throws what the driver throws if the store cannot be opened.
 */
export async function openStore(database: RemoteStore & { replicaPath?: string | undefined }): Promise<Store> {
  const file = databaseFile(database.url)
  const connections = await (file === null ? openServer(database) : openConnections(file))
  let failures = 0
  const watch =
    <Given extends unknown[], Result>(run: (...given: Given) => Promise<Result>) =>
    (...given: Given) =>
      run(...given).catch((error: unknown) => {
        if (brokenConstraint(error) === null) failures += 1
        throw error
      })
  const { reads } = connections
  const [write, writeCounters] = [watch(connections.write), watch(connections.writeCounters)]
  const ask = reads.execute.bind(reads) as (statement: InStatement) => Promise<ResultSet>
  Object.assign(reads, { execute: watch(ask), batch: watch(reads.batch.bind(reads)) })
  let reaching: Promise<void> | undefined
  return {
    db: drizzle(reads),
    write: (queries) => write(queries.map((query) => statement(query))),
    writeCounters,
    reach() {
      // Concurrent checks share one query.
      reaching ??= reached(reads).finally(() => {
        reaching = undefined
      })
      return reaching
    },
    get failures() {
      return failures
    },
    checkpointWal: async () => file === null || (await checkpointWal(reads)),
    async close() {
      for (const client of connections.others) await client.close()
      // So that the file alone is the whole store after shutdown; a reader elsewhere may prevent it.
      if (file !== null) await checkpointWal(reads).catch(() => {})
      reads.close()
    },
  }
}

interface Connections {
  reads: Client
  write: Write
  writeCounters: Store['writeCounters']
  /** Those that are closed before `reads`. */
  others: { close(): void | Promise<void> }[]
}

/** A file has a connection for reading, one for what must survive a power cut, and one for counters. */
async function openConnections(file: string): Promise<Connections> {
  const atStart = (attempt: () => Promise<void>) => retryWhileBusy(attempt, START_PATIENCE_MS)
  const reads = await openFile(file, atStart)
  await migrate(reads)
  const edits = await openFile(file, atStart)
  // A file has one writer at a time; a second one would wait inside SQLite and block the event loop.
  const inTurn = pLimit(1)
  const counters = await openBackground(file, inTurn)
  const edit = writerOn(edits, inTurn)
  const write: Write = (statements) => retryWhileBusy(() => edit(statements))
  return {
    reads: writingThrough(reads, write),
    write,
    writeCounters: (statements) => retryWhileBusy(() => counters.write(statements)),
    others: [counters, edits],
  }
}

/** Time-out for one statement of a migration on a server. */
const MIGRATION_TIMEOUT_MS = 60_000

async function openServer({ replicaPath, ...remote }: Parameters<typeof openStore>[0]): Promise<Connections> {
  // Loaded on demand: a file needs none of the code that talks to a server.
  const { openRemote, writerTo } = await import('./remote.ts')
  // A statement that fills a new column reads every row.
  const migrating = openRemote(remote, MIGRATION_TIMEOUT_MS)
  await migrate(migrating).finally(() => migrating.close())
  const client = openRemote(remote)
  if (replicaPath === undefined) {
    const send = writerTo(client)
    const write: Write = (statements) => retryWhileBusy(() => send(statements))
    return { reads: writingThrough(client, write), write, writeCounters: write, others: [] }
  }
  client.close()
  const { openReplica } = await import('./replica.ts')
  const replica = await openReplica(replicaPath, remote)
  const write: Write = (statements) => retryWhileBusy(() => replica.write(statements))
  return { reads: writingThrough(replica.reads, write), write, writeCounters: write, others: [replica] }
}

/** From a table: `SELECT 1` would succeed even without the disk. */
async function reached(client: Client): Promise<void> {
  await inTime(client.execute(`SELECT max(created_at) FROM ${JOURNAL}`), REMOTE_TIMEOUT_MS)
}

async function checkpointWal(client: Client): Promise<boolean> {
  const { rows } = await client.execute('PRAGMA wal_checkpoint(TRUNCATE)')
  return rows[0]?.busy === 0
}

/** The constraint that a write violated, such as `UNIQUE constraint failed: bundles.slug`, or null. */
export function brokenConstraint(error: unknown): string | null {
  if (!(error instanceof LibsqlError) || !error.code.startsWith('SQLITE_CONSTRAINT')) return null
  return /[A-Z ]+ constraint failed.*/.exec(error.message)?.[0] ?? error.message
}

const dialect = new SQLiteAsyncDialect()

function statement(query: Query): InStatement {
  const { sql, params } = query instanceof SQL ? dialect.sqlToQuery(query) : query.toSQL()
  return { sql, args: params as never[] }
}

async function retryWhileBusy<T>(attempt: () => Promise<T>, patienceMs = BUSY_PATIENCE_MS): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (let wait = 2; ; wait = Math.min(wait * 2, 100)) {
    try {
      return await attempt()
    } catch (error) {
      const busy = error instanceof LibsqlError && error.code === 'SQLITE_BUSY'
      if (!busy || performance.now() > deadline) throw error
      await sleep(wait * (0.5 + Math.random()))
    }
  }
}

/** The migrations, oldest first. */
export function knownMigrations() {
  return readMigrationFiles({ migrationsFolder: MIGRATIONS })
}

/**
 * Forward only. The write lock is taken before checking, so of several processes starting at once one migrates and the
 * others find it done (drizzle’s own migrator checks first).
 */
async function migrate(client: Client): Promise<void> {
  const journal = `CREATE TABLE IF NOT EXISTS ${JOURNAL} (hash text PRIMARY KEY, created_at integer NOT NULL)`
  await retryWhileBusy(async () => {
    await client.executeMultiple(journal)
    const transaction = await client.transaction('deferred')
    try {
      await transaction.executeMultiple(TAKE_WRITE_LOCK)
      const { rows } = await transaction.execute(`SELECT hash FROM ${JOURNAL}`)
      const applied = new Set(rows.map((row) => row.hash))
      for (const migration of knownMigrations()) {
        if (applied.has(migration.hash)) continue
        for (const text of migration.sql) await transaction.execute(text)
        await transaction.execute({
          sql: `INSERT INTO ${JOURNAL} VALUES (?, ?)`,
          args: [migration.hash, migration.folderMillis],
        })
      }
      await transaction.commit()
    } finally {
      transaction.close()
    }
  }, START_PATIENCE_MS)
}
