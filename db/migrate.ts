import { fileURLToPath } from 'node:url'
import type { Client } from '@libsql/client'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { retryWhileBusy } from './busy.ts'
import { JOURNAL, TAKE_WRITE_LOCK } from './file.ts'

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))
/** Processes that start at once wait for each other’s migrations. */
export const START_PATIENCE_MS = 30_000

/** The migrations, oldest first. */
export function knownMigrations() {
  return readMigrationFiles({ migrationsFolder: MIGRATIONS })
}

/** A store that is not as this version of the service makes it; the message says what to do. */
class OtherVersion extends Error {}

const NEWER =
  'a newer version of this service has changed it: run that version, or restore the backup from before the upgrade'
const OLDER =
  'it is from an older version of this service: start this version on it, which brings it up to date, or give the command to the older one'
const FOREIGN = 'no version of this service has been started on it: set DATABASE_URL as it is set for the service'

/** Whether one of the migrations that were applied to a store is unknown here. */
export function isNewer(applied: Iterable<unknown>): boolean {
  const known = new Set<unknown>(knownMigrations().map(({ hash }) => hash))
  return [...applied].some((hash) => !known.has(hash))
}

/**
 * Reads whether a store is as this version makes it, and changes nothing.
 * @throws OtherVersion where it is not; what the driver throws where it is no database.
 */
export async function requireMigrated(client: Pick<Client, 'execute'>): Promise<void> {
  const journal = await client.execute({ sql: 'SELECT 1 FROM sqlite_master WHERE name = ?', args: [JOURNAL] })
  if (journal.rows.length === 0) throw new OtherVersion(FOREIGN)
  const applied = new Set((await client.execute(`SELECT hash FROM ${JOURNAL}`)).rows.map(({ hash }) => hash))
  if (isNewer(applied)) throw new OtherVersion(NEWER)
  if (applied.size < knownMigrations().length) throw new OtherVersion(OLDER)
}

/**
 * Forward only, and nothing where a newer version was here: this one would write rows as they no longer are. The write
 * lock is taken before checking, so of several processes starting at once one migrates and the others find it done
 * (drizzle’s own migrator checks first).
 */
export async function migrate(client: Client): Promise<void> {
  const journal = `CREATE TABLE IF NOT EXISTS ${JOURNAL} (hash text PRIMARY KEY, created_at integer NOT NULL)`
  await retryWhileBusy(async () => {
    await client.executeMultiple(journal)
    const transaction = await client.transaction('deferred')
    try {
      await transaction.executeMultiple(TAKE_WRITE_LOCK)
      const { rows } = await transaction.execute(`SELECT hash FROM ${JOURNAL}`)
      const applied = new Set(rows.map((row) => row.hash))
      if (isNewer(applied)) throw new OtherVersion(NEWER)
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
