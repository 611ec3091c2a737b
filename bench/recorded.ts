import { type InStatement, Sqlite3Transaction } from '@libsql/client/sqlite3'
import { FileReads } from '../db/reads.ts'

/** One way to the store that a request took: a read, reads of one moment, or all the writes of a transaction. */
export interface Step {
  isWrite: boolean
  statements: { sql: string; args: unknown[] }[]
}

/** What the service asked its file for one call, and what stands in there for what differs from call to call. */
export interface Recorded {
  steps: Step[]
  slug: string
  id: number
  version: number
}

/** The service's own, which no request asks for. */
const OF_ITSELF = /bundle_changes|counter_batches|data_version/

let steps: Step[] | null = null

/** Has the client tell what runs through it; call before the service opens its store. */
export function listen(): void {
  const keep = (isWrite: boolean, statements: (InStatement | [string, unknown?])[]) => {
    const kept = statements.flatMap((statement) =>
      typeof statement === 'string' || Array.isArray(statement) || OF_ITSELF.test(statement.sql)
        ? []
        : [{ sql: statement.sql, args: (statement.args ?? []) as unknown[] }],
    )
    if (kept.length > 0) steps?.push({ isWrite, statements: kept })
  }
  const { execute, batch: readAll } = FileReads.prototype
  FileReads.prototype.execute = function (this: FileReads, statement: InStatement, ...args: never[]) {
    keep(false, [statement])
    return execute.call(this, statement, ...args)
  }
  FileReads.prototype.batch = function (this: FileReads, statements: InStatement[]) {
    keep(false, statements)
    return readAll.call(this, statements)
  }
  const { batch } = Sqlite3Transaction.prototype
  Sqlite3Transaction.prototype.batch = function (statements) {
    keep(true, statements)
    return batch.call(this, statements)
  }
}

/** What the store is asked while something is done. */
export async function stepsOf(run: () => Promise<unknown>): Promise<Step[]> {
  const kept: Step[] = (steps = [])
  await run()
  steps = null
  return kept
}
