import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Client, createClient, type InStatement, LibsqlError, type ResultSet } from '@libsql/client'
import { SQL } from 'drizzle-orm'
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { databaseFile } from '../src/config.ts'
import * as schema from './schema.ts'

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))
/** A busy wait inside SQLite stops the event loop, so it is short, and longer waits are ours. */
const BUSY_TIMEOUT_MS = 100
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
  close(): Promise<void>
}

/**
 * Opens a local file (made where missing) or a remote libSQL server and brings its tables up to date.
 * @throws what the driver throws when the store cannot be opened.
 */
export async function openStore({ url, authToken }: { url: string; authToken?: string | undefined }): Promise<Store> {
  const file = databaseFile(url)
  const edits = file === null ? openRemote(url, authToken) : await openFile(file, 'FULL')
  await migrate(edits)
  const counters = file === null ? edits : await openFile(file, 'NORMAL')
  return {
    db: drizzle(edits, { schema }),
    write: (queries) =>
      patient(() =>
        edits.batch(
          queries.map((q) => statement(q)),
          'write',
        ),
      ),
    writeCounters: (statements) => patient(() => counters.batch(statements, 'write')),
    async close() {
      if (counters !== edits) {
        counters.close()
        // So that the file alone is the whole store once the server has stopped; a reader elsewhere may forbid it.
        await edits.execute('PRAGMA wal_checkpoint(TRUNCATE)').catch(() => {})
      }
      edits.close()
    },
  }
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

async function openFile(path: string, synchronous: 'FULL' | 'NORMAL'): Promise<Client> {
  mkdirSync(dirname(path), { recursive: true })
  // One connection, so that the settings below hold for every statement.
  const client = createClient({ url: pathToFileURL(path).href, concurrency: 1, timeout: BUSY_TIMEOUT_MS })
  await patient(() => client.execute('PRAGMA journal_mode = WAL'), START_PATIENCE_MS)
  await client.execute(`PRAGMA synchronous = ${synchronous}`)
  await client.execute('PRAGMA foreign_keys = ON')
  return client
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
  const journal = '__drizzle_migrations'
  await patient(async () => {
    const transaction = await client.transaction('write')
    try {
      await transaction.execute(
        `CREATE TABLE IF NOT EXISTS ${journal} (hash text PRIMARY KEY, created_at integer NOT NULL)`,
      )
      const { rows } = await transaction.execute(`SELECT hash FROM ${journal}`)
      const applied = new Set(rows.map((row) => row.hash))
      for (const migration of readMigrationFiles({ migrationsFolder: MIGRATIONS })) {
        if (applied.has(migration.hash)) continue
        for (const text of migration.sql) await transaction.execute(text)
        await transaction.execute({
          sql: `INSERT INTO ${journal} VALUES (?, ?)`,
          args: [migration.hash, migration.folderMillis],
        })
      }
      await transaction.commit()
    } finally {
      transaction.close()
    }
  }, START_PATIENCE_MS)
}
