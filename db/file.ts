import { pathToFileURL } from 'node:url'
import { type Client, createClient, type InStatement, type ResultSet } from '@libsql/client/sqlite3'
import { makeFolderOf } from '../src/config/private-files.ts'

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

/** Cache per connection (SQLite’s default is 2000 KiB): the operating system caches the file anyway. */
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

/** Settings of every connection. */
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
