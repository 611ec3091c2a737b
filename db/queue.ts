import { randomUUID } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Query, Store } from './client.ts'

/** A table whose rows are work: `dueAt` is when a row is to be done, `lease` the mark of the process that does it. */
type WorkTable = SQLiteTable & Record<'id' | 'dueAt' | 'lease', SQLiteColumn>

/**
 * Work in a table that any number of processes on one store share. A process takes a row before it does it, and others leave
 * it alone until the lease ends: then that process is taken to be dead, and the row is due again.
 */
export class LeasedQueue {
  readonly #lease = randomUUID()

  /** @param leaseMs longer than doing a row may take. */
  constructor(
    readonly store: Pick<Store, 'write'>,
    readonly table: WorkTable,
    readonly leaseMs: number,
  ) {}

  /** Takes rows that are due, as far as no other process has. @returns the ids of those that are now this process’s. */
  async take(ids: readonly number[]): Promise<number[]> {
    if (ids.length === 0) return []
    const now = Date.now()
    const [taken] = await this.store.write([
      sql`UPDATE ${this.table} SET due_at = ${now + this.leaseMs}, lease = ${this.#lease}
        WHERE ${isAmong(ids)} AND due_at <= ${now} RETURNING id`,
    ])
    return (taken?.rows ?? []).map(({ id }) => Number(id))
  }

  /** Whether a row is still this process’s: if not, another has taken it over, or it was changed, and their word counts. */
  isMine(id: number): SQL {
    return sql`(${this.table.id} = ${id} AND ${this.table.lease} = ${this.#lease})`
  }

  /** The write that has a row done later. @param dueAt milliseconds since 1970. */
  postpone(id: number, dueAt: number): Query {
    return sql`UPDATE ${this.table} SET due_at = ${dueAt}, lease = NULL WHERE ${this.isMine(id)}`
  }

  /** The write that deletes a row, once it is done or given up. */
  settle(id: number): Query {
    return sql`DELETE FROM ${this.table} WHERE ${this.isMine(id)}`
  }

  /** Leaves taken rows to other processes, or to this one’s next start. */
  async giveBack(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return
    await this.store.write([
      sql`UPDATE ${this.table} SET due_at = ${Date.now()}, lease = NULL WHERE ${isAmong(ids)} AND lease = ${this.#lease}`,
    ])
  }
}

function isAmong(ids: readonly number[]): SQL {
  return sql`id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
}
