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

/** The store's tables belong to another version of the service; the message says what to do. */
class OtherVersion extends Error {}

const NEWER =
  'a newer version of this service has changed it: run that version, or restore the backup from before the upgrade'
const OLDER =
  'it is from an older version of this service: start this version on it, which brings it up to date, or give the command to the older one'
const FOREIGN = 'no version of this service has been started on it: set DATABASE_URL as it is set for the service'

/** Whether a newer version has migrated a store: one of its applied migrations is unknown here. */
export function isNewer(applied: Iterable<unknown>): boolean {
  const known = new Set<unknown>(knownMigrations().map(({ hash }) => hash))
  return [...applied].some((hash) => !known.has(hash))
}

/** How many migrations a store has had. */
export async function appliedMigrations(client: Pick<Client, 'execute'>): Promise<number> {
  const journal = await client.execute({ sql: 'SELECT 1 FROM sqlite_master WHERE name = ?', args: [JOURNAL] })
  return journal.rows.length === 0 ? 0 : (await client.execute(`SELECT hash FROM ${JOURNAL}`)).rows.length
}

/**
 * Checks that a store has exactly this version's migrations; changes nothing.
 * @throws OtherVersion if not; what the driver throws if it is not a database.
 */
export async function requireMigrated(client: Pick<Client, 'execute'>): Promise<void> {
  const journal = await client.execute({ sql: 'SELECT 1 FROM sqlite_master WHERE name = ?', args: [JOURNAL] })
  if (journal.rows.length === 0) throw new OtherVersion(FOREIGN)
  const applied = new Set((await client.execute(`SELECT hash FROM ${JOURNAL}`)).rows.map(({ hash }) => hash))
  if (isNewer(applied)) throw new OtherVersion(NEWER)
  if (applied.size < knownMigrations().length) throw new OtherVersion(OLDER)
}

/**
 * Migrates a store, forward only. Refuses one that a newer version has migrated, because this version would write rows in
 * an outdated form. Takes the write lock before checking, unlike drizzle's migrator, so that of several processes starting
 * at once one migrates and the others find it done.
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
