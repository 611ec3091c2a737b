import type { LibSQLDatabase } from 'drizzle-orm/libsql'

/** Brings a replica up to date; false if the server does not answer. */
type CatchUp = () => Promise<boolean>

const copies = new WeakMap<LibSQLDatabase, CatchUp>()

/** Registers a database as a replica, which may lag behind other processes’ writes. */
export function markReplica(db: LibSQLDatabase, catchUp: CatchUp): void {
  copies.set(db, catchUp)
}

/**
 * Reads a row that another process may have written a moment ago, by a slug, a token or a key. If a replica finds
 * nothing, it catches up and reads again.
 */
export async function readWithCatchUp<Row>(db: LibSQLDatabase, read: () => Promise<Row[]>): Promise<Row[]> {
  const rows = await read()
  const catchUp = copies.get(db)
  return rows.length > 0 || catchUp === undefined || !(await catchUp()) ? rows : read()
}
