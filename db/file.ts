import { pathToFileURL } from 'node:url'
import { type Client, createClient, type InStatement, type ResultSet } from '@libsql/client/sqlite3'
import type { LimitFunction } from 'p-limit'
import { makeFolderOf } from './private-files.ts'

/** A busy wait inside SQLite blocks the event loop, so it is short; longer waits are done here. */
export const BUSY_TIMEOUT_MS = 100

/** drizzle's table of applied migrations; the only table that exists before any migration. */
export const JOURNAL = '__drizzle_migrations'

/**
 * Takes the write lock as the first statement of a transaction, and changes nothing. Run it by `executeMultiple`, which
 * always finishes its statement. A statement that the driver prepares, `BEGIN IMMEDIATE` too, stays open if the
 * database is busy, until garbage collection: until then every COMMIT on the connection fails, and writes outside a
 * transaction are answered and then lost.
 */
export const TAKE_WRITE_LOCK = `DELETE FROM ${JOURNAL} WHERE false`

/** Runs statements as one write transaction. Rejects with SQLITE_BUSY if another process is writing. */
export type Write = (statements: InStatement[]) => Promise<ResultSet[]>

/** Cache size per connection, 2000 KiB by default: the system caches the file anyway. */
const CACHE_KIB = 256

/** Opens a connection to a local file, made where it is missing. `retry` tries again while it is busy. */
export async function openFile(path: string, retry: (attempt: () => Promise<void>) => Promise<void>): Promise<Client> {
  makeFolderOf(path)
  // A single connection, so that the settings apply to every statement.
  const client = createClient({ url: pathToFileURL(path).href, concurrency: 1, timeout: BUSY_TIMEOUT_MS })
  await retry(() => client.executeMultiple('PRAGMA journal_mode = WAL'))
  await client.executeMultiple(settings('FULL'))
  return client
}

/** What each connection is told. @param synchronous whether a write waits for the disk. */
export function settings(synchronous: 'FULL' | 'NORMAL'): string {
  return `
    PRAGMA synchronous = ${synchronous};
    PRAGMA cache_size = -${CACHE_KIB};
    PRAGMA foreign_keys = ON;
    -- A salt that was deleted must not lie on in a free page (decisions 7).
    PRAGMA secure_delete = ON`
}

/** Writes in turn on a connection that nothing else uses. */
export function writerOn(client: Client, inTurn: LimitFunction): Write {
  return (statements) =>
    inTurn(async () => {
      const transaction = await client.transaction('deferred')
      try {
        await transaction.executeMultiple(TAKE_WRITE_LOCK)
        const results = await transaction.batch(statements)
        await transaction.commit()
        return results
      } finally {
        transaction.close()
      }
    })
}

/**
 * The connection that queries are built on. Its single writes go the same way as all others: libraries that build their
 * own queries (better-auth) write through it too.
 */
export function writingThrough(client: Client, write: Write): Client {
  const execute = client.execute.bind(client) as (query: InStatement | string, args?: unknown) => Promise<ResultSet>
  const isRead = /^\s*(?:select|pragma|explain|values)\b/i
  return Object.assign(client, {
    async execute(query: InStatement | string, args?: unknown) {
      if (isRead.test(typeof query === 'string' ? query : query.sql)) return execute(query, args)
      const [result] = await write([typeof query === 'string' ? ({ sql: query, args } as InStatement) : query])
      return result as ResultSet
    },
  })
}
