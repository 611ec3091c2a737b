import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { type Loop, repeat } from '../core/scheduling.ts'
import type { RetentionRule } from './retention-rule.ts'
import { countDue, eraseDue } from './rules.ts'

const EVERY_MS = 600_000
/** After a run that partly failed, or left rows. */
const RETRY_MS = 60_000
/** After this time, a run leaves the rest to the next. */
const RUN_MS = 300_000
/** A run pauses after each write for as long as that took, to leave others half of the store, but no longer than this. */
const MAX_PAUSE_MS = 250
/** Stops counting a backlog here, because counting takes time too. */
const MAX_COUNTED = 10_000

interface RuleStatus {
  /** When the oldest row is due, in milliseconds since 1970; null if there is none. */
  dueAt: number | null
  /** Due rows at the start or end of the last run, at most 10 000. */
  backlog: number
}

/**
 * Erases rows past their retention (`retentionRules`), at startup and every ten minutes, in small writes that find their rows
 * by an index, with pauses for other work. Several processes may do so on one store. Each run also empties a file's write-ahead
 * log, so that erased rows, and data that users have deleted since, are not in there either.
 */
export class Sweeper {
  /** By `RetentionRule.what`. */
  readonly statuses: Map<string, RuleStatus>
  /** Failed reads and erasures. */
  failures = 0
  /** When a run last left nothing, in milliseconds since 1970; initially the start of the process. */
  finishedAt: number
  #isStopping = false
  #loop: Loop | undefined

  /**
   * @param now the clock, in milliseconds since 1970.
   * @param runMs maximum duration of a run; it starts no write later.
   */
  constructor(
    readonly store: Store,
    readonly log: Logger,
    readonly rules: readonly RetentionRule[],
    readonly now: () => number = Date.now,
    readonly runMs = RUN_MS,
  ) {
    this.statuses = new Map(rules.map(({ what }) => [what, { dueAt: null, backlog: 0 }]))
    this.finishedAt = now()
  }

  /** Starts the first run. */
  start(): void {
    const run = async () => {
      if (!(await this.run())) loop.runWithin(RETRY_MS)
    }
    const loop = repeat(EVERY_MS, run, this.log, 'expired rows could not be erased')
    loop.runWithin(0)
    this.#loop = loop
  }

  /** Resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#loop?.stop()
  }

  /**
   * Erases due rows. Never rejects: failures are logged and retried by the next run.
   * @returns whether nothing is left.
   */
  async run(): Promise<boolean> {
    const endsAt = performance.now() + this.runMs
    const failed = new Set<RetentionRule>()
    const measureAll = () => this.#select(this.rules, failed, (rule) => this.#measure(rule))
    let due = await measureAll()
    // Round-robin, so that nothing waits for millions of rows of another table.
    while (due.length > 0) {
      due = await this.#select(due, failed, (rule) => this.#eraseSome(rule))
      const isLate = performance.now() >= endsAt
      // An erasure by one rule may make rows due for another.
      if (isLate || due.length === 0) due = await measureAll()
      if (isLate) break
      due = due.filter((rule) => !failed.has(rule))
    }
    if (!this.#isStopping) await this.#emptyLog()
    const isDone = due.length === 0 && failed.size === 0 && !this.#isStopping
    if (isDone) this.finishedAt = this.now()
    return isDone
  }

  /** The rules for which `isDue` returns true; none once stopping. */
  async #select(
    rules: readonly RetentionRule[],
    failed: Set<RetentionRule>,
    isDue: (rule: RetentionRule) => Promise<boolean>,
  ): Promise<RetentionRule[]> {
    const selected: RetentionRule[] = []
    for (const rule of rules) {
      if (this.#isStopping) return []
      try {
        if (await isDue(rule)) selected.push(rule)
      } catch (error) {
        failed.add(rule)
        this.failures += 1
        this.log.warn({ err: error, what: rule.what }, 'expired rows could not be erased; retrying')
      }
    }
    return selected
  }

  /** Does nothing while another program reads an older state of the file: the next run tries again. */
  async #emptyLog(): Promise<void> {
    try {
      await this.store.checkpointWal()
    } catch (error) {
      this.failures += 1
      this.log.warn({ err: error }, 'the write-ahead log could not be emptied; retrying')
    }
  }

  /** Counts due rows. @returns whether there are any. */
  async #measure(rule: RetentionRule): Promise<boolean> {
    const isDue = await this.#isDue(rule)
    const [counted] = isDue ? await countDue(this.store.db, rule, this.#before(rule), MAX_COUNTED) : []
    const standing = this.statuses.get(rule.what)
    if (standing !== undefined) standing.backlog = counted?.rows ?? 0
    return isDue
  }

  async #eraseSome(rule: RetentionRule): Promise<boolean> {
    const queries = await eraseDue(this.store.db, rule, this.#before(rule))
    const startedAt = performance.now()
    // Need not survive a power cut: rows that come back are due again.
    await this.store.writeCounters(
      queries.map((query) => {
        const { sql, params } = query.toSQL()
        return { sql, args: params as (string | number)[] }
      }),
    )
    await sleep(Math.min(performance.now() - startedAt, MAX_PAUSE_MS))
    return this.#isDue(rule)
  }

  async #isDue(rule: RetentionRule): Promise<boolean> {
    const [oldest] = await oldestOf(this.store.db, rule)
    const at = oldest?.at ?? null
    const standing = this.statuses.get(rule.what)
    if (standing !== undefined) standing.dueAt = at === null ? null : at + rule.keptMs
    return at !== null && at <= this.#before(rule)
  }

  #before({ keptMs }: RetentionRule): number {
    return this.now() - keptMs
  }
}

/** The time of the oldest row as `at`, null if there is none. */
export function oldestOf(db: Store['db'], { table, from, only }: RetentionRule) {
  return db
    .select({ at: sql<number | null>`min(${from})` })
    .from(table)
    .where(only)
}
