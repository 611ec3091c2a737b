import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Client, createClient, type InStatement, LibsqlError, type ResultSet } from '@libsql/client'
import { SQL } from 'drizzle-orm'
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { databaseFile } from '../src/config.ts'
import { JOURNAL, openFile, TAKE_WRITE_LOCK, type Write, writerOn, writingThrough } from './file.ts'
import * as schema from './schema.ts'

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))
const BUSY_PATIENCE_MS = 5_000
/** Of several processes starting at once each must wait for the others' migrations. */
const START_PATIENCE_MS = 30_000
const REMOTE_TIMEOUT_MS = 2_000

/** A drizzle query that has been built and not run, or SQL of our own. */
export type Query = { toSQL(): { sql: string; params: unknown[] } } | SQL

/** The open store. Reads go through `db`; every write that must be whole goes through `write`. */
export interface Store {
  db: LibSQLDatabase<typeof schema>
  /**
   * Runs the queries as one write transaction: all or nothing, durable once it resolves.
   * A busy database is waited for up to five seconds without holding the event loop.
   */
  write(queries: readonly Query[]): Promise<ResultSet[]>
  /**
   * The same for counters: on a file it does not wait for the disk, so a power cut may take the last
   * second of counts, and the edits' durability costs nothing here.
   */
  writeCounters(statements: InStatement[]): Promise<ResultSet[]>
  /**
   * Moves the write-ahead log into the file and empties it. What is deleted is overwritten in the file, so that
   * afterwards it can be read from neither. A remote store keeps logs of its own: there this does nothing.
   * @returns false where somebody reads an older state and the log must stay for now: try again later.
   */
  emptyLog(): Promise<boolean>
  close(): Promise<void>
}

/**
 * Opens a local file (made where missing) or a remote libSQL server and brings its tables up to date.
 * @throws what the driver throws when the store cannot be opened.
 */
export async function openStore({ url, authToken }: { url: string; authToken?: string | undefined }): Promise<Store> {
  const file = databaseFile(url)
  const connections = await (file === null ? openServer(url, authToken) : openConnections(file))
  const { reads, write, writeCounters } = connections
  return {
    db: drizzle(reads, { schema }),
    write: (queries) => write(queries.map((query) => statement(query))),
    writeCounters,
    emptyLog: async () => file === null || (await emptyLog(reads)),
    async close() {
      for (const client of connections.others) client.close()
      // So that the file alone is the whole store once the server has stopped; a reader elsewhere may forbid it.
      if (file !== null) await emptyLog(reads).catch(() => {})
      reads.close()
    },
  }
}

interface Connections {
  reads: Client
  write: Write
  writeCounters: Write
  /** Those that are closed before `reads`. */
  others: Client[]
}

/** A file has a connection for reading, one for what must survive a power cut, and one for counters. */
async function openConnections(file: string): Promise<Connections> {
  const atStart = (attempt: () => Promise<void>) => patient(attempt, START_PATIENCE_MS)
  const reads = await openFile(file, 'FULL', atStart)
  await migrate(reads)
  const edits = await openFile(file, 'FULL', atStart)
  const counters = await openFile(file, 'NORMAL', atStart)
  const [edit, count] = [writerOn(edits), writerOn(counters)]
  const write: Write = (statements) => patient(() => edit(statements))
  return {
    reads: writingThrough(reads, write),
    write,
    writeCounters: (statements) => patient(() => count(statements)),
    others: [edits, counters],
  }
}

async function openServer(url: string, authToken: string | undefined): Promise<Connections> {
  const client = openRemote(url, authToken)
  await migrate(client)
  const write: Write = (statements) => patient(() => client.batch(statements, 'write'))
  return { reads: client, write, writeCounters: write, others: [] }
}

async function emptyLog(client: Client): Promise<boolean> {
  const { rows } = await client.execute('PRAGMA wal_checkpoint(TRUNCATE)')
  return rows[0]?.busy === 0
}

/** The constraint that a write broke, such as `UNIQUE constraint failed: bundles.slug`, or null. */
export function brokenConstraint(error: unknown): string | null {
  if (!(error instanceof LibsqlError) || !error.code.startsWith('SQLITE_CONSTRAINT')) return null
  return /[A-Z ]+ constraint failed.*/.exec(error.message)?.[0] ?? error.message
}

const dialect = new SQLiteAsyncDialect()

function statement(query: Query): InStatement {
  const { sql, params } = query instanceof SQL ? dialect.sqlToQuery(query) : query.toSQL()
  return { sql, args: params as never[] }
}

function openRemote(url: string, authToken: string | undefined): Client {
  return createClient({
    url,
    ...(authToken === undefined ? {} : { authToken }),
    // The driver has no time-out of its own.
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(REMOTE_TIMEOUT_MS) }),
  })
}

async function patient<T>(attempt: () => Promise<T>, patienceMs = BUSY_PATIENCE_MS): Promise<T> {
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

/**
 * Forward only. The write transaction is taken before looking, so of several processes starting at
 * once one migrates and the others find it done (drizzle's own migrator looks first).
 */
async function migrate(client: Client): Promise<void> {
  const journal = `CREATE TABLE IF NOT EXISTS ${JOURNAL} (hash text PRIMARY KEY, created_at integer NOT NULL)`
  await patient(async () => {
    await client.executeMultiple(journal)
    const transaction = await client.transaction('deferred')
    try {
      await transaction.executeMultiple(TAKE_WRITE_LOCK)
      const { rows } = await transaction.execute(`SELECT hash FROM ${JOURNAL}`)
      const applied = new Set(rows.map((row) => row.hash))
      for (const migration of readMigrationFiles({ migrationsFolder: MIGRATIONS })) {
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
