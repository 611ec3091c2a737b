import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type Client, createClient } from '@libsql/client/sqlite3'
import { databaseFile } from '../src/config/config.ts'
import { openStore, type Store } from './client.ts'
import { knownMigrations } from './known-migrations.ts'
import { appliedMigrations, requireMigrated } from './migrate.ts'
import type { RemoteStore } from './streams.ts'
import { REMOTE_TIMEOUT_MS } from './timeout.ts'

// How the operator's commands open a store.

/**
 * Opens an existing store of this version for the operator's commands. Unlike a start of the service, it migrates nothing.
 * @throws an Error that says what to do if the store is of another version; the driver's error if it cannot be opened.
 */
export async function openMigratedStore(database: RemoteStore): Promise<Store> {
  const client = await clientOf(database)
  await requireMigrated(client).finally(() => client.close())
  return openStore(database)
}

/**
 * Creates a store if there is none and migrates it, as a start of the service does.
 * @returns the number of migrations applied.
 * @throws the driver's error if it cannot be opened.
 */
export async function bringUpToDate(database: RemoteStore): Promise<number> {
  const file = databaseFile(database.url)
  const isNew = file !== null && !existsSync(file)
  const client = isNew ? null : await clientOf(database)
  const before = client === null ? 0 : await appliedMigrations(client).finally(() => client.close())
  await (await openStore(database)).close()
  return knownMigrations().length - before
}

/** A plain driver client. */
async function clientOf(database: RemoteStore): Promise<Client> {
  const file = databaseFile(database.url)
  return file === null
    ? (await import('./remote.ts')).openDriver(database, REMOTE_TIMEOUT_MS)
    : createClient({ url: pathToFileURL(file).href })
}
