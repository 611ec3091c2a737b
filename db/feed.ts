import { type SQL, sql } from 'drizzle-orm'
import type { Query, Store } from './client.ts'
import { bundleChanges } from './schema.ts'

/** The shared readers of the feed of changed bundles. */
type Reader = 'forSearch' | 'forSites' | 'forLinks'

/** Selects the rows that a reader has not read. The condition is a literal, so that SQLite uses the index on these rows. */
export function isUnread(reader: Reader): SQL {
  return sql`${bundleChanges[reader]} = 1`
}

/** The changes that a reader has not read, oldest first. */
export function unread({ db }: Pick<Store, 'db'>, reader: Exclude<Reader, 'forSearch'>, most: number) {
  const { seq, bundleId } = bundleChanges
  return db.select({ seq, bundleId }).from(bundleChanges).where(isUnread(reader)).orderBy(seq).limit(most)
}

/**
 * The write that marks changes as read, in the transaction with the reader's own writes. A change made meanwhile has a row of its
 * own, and after a crash the rows are read again.
 * @param seqs a list, or a query with one column.
 */
export function read(reader: Reader, seqs: SQL): Query & SQL {
  return sql`UPDATE ${bundleChanges} SET ${sql.identifier(bundleChanges[reader].name)} = 0 WHERE seq IN (${seqs})`
}
