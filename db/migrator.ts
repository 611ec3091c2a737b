import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, InStatement, Transaction } from '@libsql/client'
import { isBusy, JOURNAL, retryWhileBusy, TAKE_WRITE_LOCK } from './file.ts'
import type { Migration } from './known-migrations.ts'
import { OtherVersion, otherVersion } from './migrate.ts'
import { isRefusal } from './unavailable.ts'

/** How long a start waits while other processes write. */
export const START_PATIENCE_MS = 30_000
/** Timeout for one answer of a server: building an index reads every row. */
export const MIGRATION_TIMEOUT_MS = 60_000
/** How long a step is retried while other processes write. */
const STEP_PATIENCE_MS = 120_000

/** The process that holds the lease migrates. A repeated step is short; any other may run until its timeout. */
const LEASE = 'migration_lease'
const REPEATED_LEASE_MS = 10_000
const LEASE_MS = MIGRATION_TIMEOUT_MS + REPEATED_LEASE_MS
/** By the database's clock, which all processes share. */
const NOW = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`

const POLL_EVERY_MS = 100
const TELL_EVERY_MS = 10_000

const TABLES = `
  CREATE TABLE IF NOT EXISTS ${JOURNAL} (hash text PRIMARY KEY, created_at integer NOT NULL);
  CREATE TABLE IF NOT EXISTS ${LEASE} (id integer PRIMARY KEY CHECK (id = 1), holder text NOT NULL, until integer NOT NULL)`

/** Receives the progress of the migration, a line at a time; for a new store, only that it is being created. */
export type Tell = (progress: string) => void

/** A migration could not be finished; the message says which, why, and what to do. */
export class MigrationFailed extends Error {}

/** Another process took the lease, because this one did not renew it in time. */
class LeaseLost extends Error {}

/** The part of a migration that one transaction commits. */
interface Step {
  statements: string[]
  /** Whether its only statement is repeated, each time in its own transaction, until it changes no row. */
  isRepeated: boolean
  /** The step and its migration, for people. */
  label: string
  /** The journal's rows before and after. */
  before: string
  after: string
  createdAt: number
}

/** At the start of a statement: marks the beginning of a step, or a repeated step. */
const MARK = /^\s*-- (step|repeat)\b/

/**
 * Migrates a store, forward only. Of several processes one migrates, while the others wait without holding a lock; if it dies,
 * another resumes at the unfinished step. Refuses a store that a newer version has migrated, because this version would write
 * rows in an outdated form.
 * @throws MigrationFailed; OtherVersion; the driver's error if the store cannot be read.
 */
export async function migrate(client: Client, migrations: readonly Migration[], tell: Tell): Promise<void> {
  const holder = randomUUID()
  const pending = async () => {
    const { rows } = await client.execute(`SELECT hash FROM ${JOURNAL}`)
    const applied = new Set(rows.map((row) => String(row[0])))
    const other = otherVersion(applied, migrations)
    if (other !== null) throw new OtherVersion(other)
    return { isNew: applied.size === 0, steps: pendingSteps(migrations, applied) }
  }
  await retryWhileBusy(() => client.executeMultiple(TABLES), START_PATIENCE_MS)
  for (let isWaiting = false; ; ) {
    const [first] = (await retryWhileBusy(pending, START_PATIENCE_MS)).steps
    if (first === undefined) return
    if (await takeLease(client, holder)) {
      // Another process may have made progress in between.
      const { isNew, steps } = await retryWhileBusy(pending, START_PATIENCE_MS)
      if (await runSteps(client, holder, steps, isNew ? () => {} : tell))
        return tell(isNew ? 'the database is made' : 'the database is migrated')
    }
    if (!isWaiting) tell(`waiting for another process, which is migrating the database: ${first.label}`)
    isWaiting = true
    await sleep(POLL_EVERY_MS)
  }
}

function pendingSteps(migrations: readonly Migration[], applied: ReadonlySet<string>): Step[] {
  return migrations.flatMap(({ name, sql, hash, folderMillis }, at) => {
    if (applied.has(hash)) return []
    const parts = split(sql)
    const steps = parts.map((part, index): Step => {
      const which = parts.length === 1 ? '' : `, step ${index + 1} of ${parts.length}`
      return {
        ...part,
        label: `migration ${at + 1} of ${migrations.length} (${name})${which}`,
        before: `${hash} ${index}`,
        after: index + 1 === parts.length ? hash : `${hash} ${index + 1}`,
        createdAt: folderMillis,
      }
    })
    const next = steps.findIndex(({ before }) => applied.has(before))
    return steps.slice(Math.max(next, 0))
  })
}

/** A migration without marks is a single step. */
function split(sql: readonly string[]): Pick<Step, 'statements' | 'isRepeated'>[] {
  const steps: Pick<Step, 'statements' | 'isRepeated'>[] = []
  for (const text of sql) {
    const mark = MARK.exec(text)?.[1]
    const last = steps.at(-1)
    if (mark === undefined && last !== undefined && !last.isRepeated) last.statements.push(text)
    else steps.push({ statements: [text], isRepeated: mark === 'repeat' })
  }
  return steps
}

/** Takes the lease, unless another process has it. */
async function takeLease(client: Client, holder: string): Promise<boolean> {
  try {
    // Only reads while another process has it: sqld would end the migrating transaction in favour of a waiting writer.
    const held = await client.execute(`SELECT 1 FROM ${LEASE} WHERE until > ${NOW}`)
    if (held.rows.length > 0) return false
    return await inTransaction(client, async (transaction) => {
      const { rowsAffected } = await transaction.execute({
        sql: `INSERT INTO ${LEASE} VALUES (1, ?, ${NOW} + ?)
          ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE until <= ${NOW}`,
        args: [holder, LEASE_MS],
      })
      return rowsAffected === 1
    })
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}

/**
 * Runs the steps and releases the lease.
 * @returns false if another process took the lease.
 */
async function runSteps(client: Client, holder: string, steps: readonly Step[], tell: Tell): Promise<boolean> {
  for (const [at, step] of steps.entries()) {
    tell(`migrating the database: ${step.label}`)
    try {
      await runStep(client, holder, step, steps[at + 1], tell)
    } catch (error) {
      if (error instanceof LeaseLost) return false
      // Without an answer the step may still be running: then the lease expires by itself.
      if (isRefusal(error)) await inTransaction(client, (run) => run.execute(renewal(holder))).catch(() => {})
      throw failure(step, error)
    }
  }
  // Another process finished them before this one got the lease.
  if (steps.length === 0) await inTransaction(client, (run) => run.execute(renewal(holder)))
  return true
}

async function runStep(client: Client, holder: string, step: Step, next: Step | undefined, tell: Tell): Promise<void> {
  let rows = 0
  let toldAt = performance.now()
  for (let isDone = false; !isDone; ) {
    const changed = await retryWhileBusy(() => commitStep(client, holder, step, next), STEP_PATIENCE_MS)
    rows += changed
    isDone = !step.isRepeated || changed === 0
    if (isDone || performance.now() - toldAt < TELL_EVERY_MS) continue
    toldAt = performance.now()
    tell(`migrating the database: ${step.label}, ${rows} rows so far`)
  }
}

/** Commits a step once, with its progress in the journal. @returns the number of rows that a repeated step changed. */
function commitStep(client: Client, holder: string, step: Step, next: Step | undefined): Promise<number> {
  return inTransaction(client, async (transaction) => {
    const mine = { sql: `SELECT 1 FROM ${LEASE} WHERE holder = ?`, args: [holder] }
    if ((await transaction.execute(mine)).rows.length === 0) throw new LeaseLost()
    const [first] = await transaction.batch(step.statements)
    const changed = step.isRepeated ? (first?.rowsAffected ?? 0) : 0
    await transaction.batch(
      changed > 0
        ? [renewal(holder, step)]
        : [
            { sql: `DELETE FROM ${JOURNAL} WHERE hash = ?`, args: [step.before] },
            { sql: `INSERT INTO ${JOURNAL} VALUES (?, ?)`, args: [step.after, step.createdAt] },
            renewal(holder, next),
          ],
    )
    return changed
  })
}

/** Renews the lease for a step; without a step, releases it. */
function renewal(holder: string, step?: Step): InStatement {
  return {
    sql: `UPDATE ${LEASE} SET until = ${NOW} + ? WHERE holder = ?`,
    args: [step === undefined ? 0 : step.isRepeated ? REPEATED_LEASE_MS : LEASE_MS, holder],
  }
}

async function inTransaction<Result>(client: Client, run: (in_: Transaction) => Promise<Result>): Promise<Result> {
  const transaction = await client.transaction('deferred')
  try {
    await transaction.executeMultiple(TAKE_WRITE_LOCK)
    const result = await run(transaction)
    await transaction.commit()
    return result
  } finally {
    transaction.close()
  }
}

function failure({ label }: Step, error: unknown): MigrationFailed {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  // The driver puts its code twice before the reason of a failed batch.
  const reason = line.replace(/^(\w+: )\1/, '$1')
  const failed = (why: string) =>
    new MigrationFailed(`the database could not be migrated: ${label} ${why}`, { cause: error })
  if (isBusy(error))
    return failed(
      'did not finish, because other processes write: stop the processes of the older version and start this one again, which goes on from there',
    )
  if (!isRefusal(error))
    return failed(`got no answer (${reason}): once the database answers, start again, which goes on from there`)
  return failed(
    `was refused (${reason}), and nothing of it was kept: mend what that names and start again, which goes on from there, or restore the backup from before the upgrade`,
  )
}
