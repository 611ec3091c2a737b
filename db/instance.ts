import { existsSync } from 'node:fs'
import Database from 'libsql'
import { keyedHash } from '../src/core/secrets.ts'
import type { Store } from './client.ts'
import { instance } from './schema.ts'

/** The database's identity and secret, as a start finds them. Times are milliseconds since 1970. */
export interface Instance {
  id: string
  createdAt: number
  /** When a start last used another secret than the one before it; null if never. */
  secretChangedAt: number | null
}

/** The stored hash of a database's secret: enough to recognise it. */
export function secretHashOf(id: string, secret: string): string {
  return keyedHash(secret, 'instance', id)
}

/** Reads the database's identity, and whether the secret is that of the previous start. Changes nothing. */
export async function readInstance({ db }: Pick<Store, 'db'>, secret: string) {
  const [row] = await db.select().from(instance)
  if (row === undefined) throw new Error('the database has lost the row that says which it is')
  return { ...row, isOtherSecret: row.secretHash !== null && row.secretHash !== secretHashOf(row.id, secret) }
}

/**
 * Records the secret that the database is used with from now on.
 * @returns the database's identity, and whether the previous start used another secret.
 */
export async function noteStart(store: Pick<Store, 'db' | 'write'>, secret: string, now: number): Promise<Instance> {
  const { id, createdAt, secretHash, isOtherSecret, ...row } = await readInstance(store, secret)
  const secretChangedAt = isOtherSecret ? now : row.secretChangedAt
  if (secretHash === null || isOtherSecret)
    await store.write([store.db.update(instance).set({ secretHash: secretHashOf(id, secret), secretChangedAt })])
  return { id, createdAt, secretChangedAt }
}

/** The contents of a file, read without changing it. */
export interface Contents {
  /** Null for a database from a version without ids. */
  id: string | null
  createdAt: number | null
  secretHash: string | null
  bundles: number
  accounts: number
}

/**
 * Reads the contents of a database or of a copy.
 * @throws the driver's error if the file is no database, or not one of this service.
 */
export function contentsOf(file: string): Contents {
  return reading(file, (one) => {
    const [isNamed] = one(`SELECT 1 FROM sqlite_master WHERE name = 'instance'`)
    const [row] =
      isNamed === undefined ? [] : one('SELECT id, created_at AS createdAt, secret_hash AS secretHash FROM instance')
    const [held] = one('SELECT (SELECT count(*) FROM bundles) AS bundles, (SELECT count(*) FROM user) AS accounts')
    const { id = null, createdAt = null, secretHash = null } = (row ?? {}) as Partial<Contents>
    return { id, createdAt, secretHash, ...(held as Pick<Contents, 'bundles' | 'accounts'>) }
  })
}

/** When a bundle was last changed or an account made, in milliseconds since 1970; null if never. Reads every row. */
export function lastChangeIn(file: string): number | null {
  return reading(file, (one) => {
    const newest = 'SELECT max(updated_at) AS at FROM bundles UNION ALL SELECT max(created_at) FROM user'
    const [row] = one(`SELECT max(at) AS at FROM (${newest})`)
    return (row as { at: number | null }).at
  })
}

function reading<T>(file: string, read: (rows: (sql: string) => unknown[]) => T): T {
  // Opening a missing file would create it.
  if (!existsSync(file)) throw new Error(`there is no database at ${file}`)
  const database = new Database(file)
  try {
    return read((sql) => database.prepare(sql).all())
  } finally {
    database.close()
  }
}
