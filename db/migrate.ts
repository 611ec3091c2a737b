import type { Client } from '@libsql/client'
import { JOURNAL } from './file.ts'
import { knownMigrations, type Migration } from './known-migrations.ts'

/** The store's tables belong to another version of the service; the message says what to do. */
export class OtherVersion extends Error {}

const NEWER =
  'a newer version of this service has changed it: run that version, or restore the backup from before the upgrade'
const UNRELEASED =
  'it was made before the first release, and no version migrates it: export its data with the code that made it'
const OLDER =
  'it is from an older version of this service: start this version on it, which brings it up to date, or give the command to the older one'
const FOREIGN = 'no version of this service has been started on it: set DATABASE_URL as it is set for the service'

/**
 * Why this version may not use a store with unknown migrations; null if it has none.
 * @param applied rows of the journal: hashes, and for a half-done migration its hash, a space, and its finished steps.
 */
export function otherVersion(
  applied: Iterable<unknown>,
  migrations: readonly Migration[] = knownMigrations(),
): string | null {
  const known = new Set(migrations.map(({ hash }) => hash))
  const hashes = Array.from(applied, (row) => String(row).replace(/ \d+$/, ''))
  if (hashes.every((hash) => known.has(hash))) return null
  return hashes.includes(migrations[0]?.hash ?? '') ? NEWER : UNRELEASED
}

/** The rows of a store's journal; null if it has none, because no version was ever started on it. */
async function journalOf(client: Pick<Client, 'execute'>): Promise<string[] | null> {
  const journal = await client.execute({ sql: 'SELECT 1 FROM sqlite_master WHERE name = ?', args: [JOURNAL] })
  if (journal.rows.length === 0) return null
  return (await client.execute(`SELECT hash FROM ${JOURNAL}`)).rows.map(({ hash }) => String(hash))
}

/**
 * Refuses a store from a newer version, or from before the first release; changes nothing.
 * @throws OtherVersion; the driver's error if it is not a database.
 */
export async function refuseOtherVersion(client: Pick<Client, 'execute'>): Promise<void> {
  const other = otherVersion((await journalOf(client)) ?? [])
  if (other !== null) throw new OtherVersion(other)
}

/** The number of migrations applied to a store; a half-done one does not count. */
export async function appliedMigrations(client: Pick<Client, 'execute'>): Promise<number> {
  const applied = (await journalOf(client)) ?? []
  return applied.filter((row) => !row.includes(' ')).length
}

/**
 * Checks that a store has exactly this version's migrations; changes nothing.
 * @throws OtherVersion if not; the driver's error if it is not a database.
 */
export async function requireMigrated(client: Pick<Client, 'execute'>): Promise<void> {
  const applied = await journalOf(client)
  if (applied === null) throw new OtherVersion(FOREIGN)
  const other = otherVersion(applied)
  if (other !== null) throw new OtherVersion(other)
  if (knownMigrations().some(({ hash }) => !applied.includes(hash))) throw new OtherVersion(OLDER)
}
