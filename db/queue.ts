import { randomUUID } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Query, Store } from './client.ts'

/** A table of work: `dueAt` is when a row is to be done, `lease` the mark of the process that does it. */
type WorkTable = SQLiteTable & Record<'dueAt' | 'lease', SQLiteColumn>

interface Work {
  table: WorkTable
  /** The column that identifies a row. */
  key: SQLiteColumn
  /** Must exceed the time that a row takes. */
  leaseMs: number
  /** Tells when rows are due, in milliseconds since 1970. */
  clock?: { now(): number }
}

/**
 * Work in a table, shared by any number of processes on one store. A process takes a row before doing it, and others leave the
 * row alone until the lease ends: then that process is presumed dead, and the row is due again.
 */
export class LeasedQueue<Key extends number | string = number> {
  readonly #lease = randomUUID()
  readonly #now: () => number

  constructor(
    readonly store: Pick<Store, 'db' | 'write'>,
    readonly work: Work,
  ) {
    const { clock = Date } = work
    this.#now = () => clock.now()
  }

  /** Takes due rows, the longest due first. @returns the keys of the rows that this process now holds. */
  async takeDue(most: number): Promise<Key[]> {
    const { table, key } = this.work
    const isDue = sql`${table.dueAt} <= ${this.#now()}`
    // Usually nothing is due or written. Rows are chosen in the write, so that concurrent processes get different ones.
    const [some] = await this.store.db.select({ key }).from(table).where(isDue).limit(1)
    if (some === undefined) return []
    return this.#take(sql`SELECT ${key} FROM ${table} WHERE ${isDue} ORDER BY ${table.dueAt} LIMIT ${most}`)
  }

  /** Takes due rows, unless another process has them. @returns the keys of the rows that this process now holds. */
  async take(keys: readonly Key[]): Promise<Key[]> {
    return keys.length === 0 ? [] : this.#take(each(keys))
  }

  async #take(keys: SQL): Promise<Key[]> {
    const now = this.#now()
    const { table, key, leaseMs } = this.work
    const [taken] = await this.store.write([
      sql`UPDATE ${table} SET due_at = ${now + leaseMs}, lease = ${this.#lease}
        WHERE ${key} IN (${keys}) AND due_at <= ${now} RETURNING ${key} AS taken`,
    ])
    return (taken?.rows ?? []).map((row) => row.taken as Key)
  }

  /**
   * Whether a row is still this process’s. If not, another took it over or it was changed, and its result must not be written.
   */
  isMine(key: Key): SQL {
    return sql`(${this.work.key} = ${key} AND ${this.work.table.lease} = ${this.#lease})`
  }

  /** The write that postpones a row. @param dueAt milliseconds since 1970. */
  postpone(key: Key, dueAt: number): Query {
    return sql`UPDATE ${this.work.table} SET due_at = ${dueAt}, lease = NULL WHERE ${this.isMine(key)}`
  }

  /** The write that deletes a row, done or given up. */
  settle(key: Key): Query {
    return sql`DELETE FROM ${this.work.table} WHERE ${this.isMine(key)}`
  }

  /** Releases rows to other processes, or to this one’s next start. */
  async giveBack(keys: readonly Key[]): Promise<void> {
    if (keys.length === 0) return
    await this.store.write([
      sql`UPDATE ${this.work.table} SET due_at = ${this.#now()}, lease = NULL WHERE ${this.work.key} IN (${each(keys)}) AND lease = ${this.#lease}`,
    ])
  }
}

function each(keys: readonly (number | string)[]): SQL {
  return sql`SELECT value FROM json_each(${JSON.stringify(keys)})`
}
