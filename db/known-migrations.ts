import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))

/** One migration of the tables. */
export interface Migration {
  /** Its file's name, without `.sql`. */
  name: string
  /** Its statements, in order. */
  sql: string[]
  /** Recorded in the journal when it is done. */
  hash: string
  /** When it was written, in milliseconds since 1970. */
  folderMillis: number
}

/** The migrations, oldest first. */
export function knownMigrations(): Migration[] {
  return readMigrations(MIGRATIONS)
}

function readMigrations(folder: string): Migration[] {
  const { entries } = JSON.parse(readFileSync(`${folder}/meta/_journal.json`, 'utf8')) as { entries: { tag: string }[] }
  return readMigrationFiles({ migrationsFolder: folder }).map(({ sql, hash, folderMillis }, at) => ({
    name: entries[at]?.tag ?? '',
    sql,
    hash,
    folderMillis,
  }))
}
