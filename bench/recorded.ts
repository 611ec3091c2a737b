import { type InStatement, Sqlite3Transaction } from '@libsql/client/sqlite3'
import { FileReads } from '../db/reads.ts'

/** One access to the database: a read, reads of one snapshot, or the writes of one transaction. */
export interface Step {
  isWrite: boolean
  statements: { sql: string; args: unknown[] }[]
}

/** The statements of one call, and the values in them that a replay has to substitute. */
export interface Recorded {
  steps: Step[]
  slug: string
  id: number
  version: number
}

/** Statements of the service's background work, which belong to no request. */
const BACKGROUND = /bundle_changes|counter_batches|data_version/

let steps: Step[] | null = null

/** Patches the client to record statements; call it before the service opens its database. */
export function patchClient(): void {
  const record = (isWrite: boolean, statements: (InStatement | [string, unknown?])[]) => {
    const kept = statements.flatMap((statement) =>
      typeof statement === 'string' || Array.isArray(statement) || BACKGROUND.test(statement.sql)
        ? []
        : [{ sql: statement.sql, args: (statement.args ?? []) as unknown[] }],
    )
    if (kept.length > 0) steps?.push({ isWrite, statements: kept })
  }
  const { execute, batch: readAll } = FileReads.prototype
  FileReads.prototype.execute = function (this: FileReads, statement: InStatement, ...args: never[]) {
    record(false, [statement])
    return execute.call(this, statement, ...args)
  }
  FileReads.prototype.batch = function (this: FileReads, statements: InStatement[]) {
    record(false, statements)
    return readAll.call(this, statements)
  }
  const { batch } = Sqlite3Transaction.prototype
  Sqlite3Transaction.prototype.batch = function (statements) {
    record(true, statements)
    return batch.call(this, statements)
  }
}

/** The accesses to the database during a run. */
export async function recordSteps(run: () => Promise<unknown>): Promise<Step[]> {
  const recorded: Step[] = (steps = [])
  await run()
  steps = null
  return recorded
}
