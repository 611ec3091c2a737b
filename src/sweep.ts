import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Store } from '../db/client.ts'
import { every, type Loop } from './core/every.ts'
import type { Term } from './core/term.ts'
import { countDue, eraseDue, oldestOf } from './retention.ts'

const EVERY_MS = 600_000
/** After a run that partly failed, or left rows. */
const RETRY_MS = 60_000
/** After this time, a run leaves the rest to the next. */
const RUN_MS = 300_000
/**
 * It pauses between writes for as long as the last one took, to leave others half of the store, but no longer than
 * this.
 */
const MAX_PAUSE_MS = 250
/** Stops counting a backlog here, because counting takes time too. */
const MAX_COUNTED = 10_000

/** State of one term. */
interface TermStatus {
  /** When the oldest row is due, in milliseconds since 1970; null if there is none. */
  dueAt: number | null
  /** Due rows at the start or end of the last run, at most 10 000. */
  backlog: number
}

/**
 * Erases rows past their retention (`termsOf`), at startup and every ten minutes, in small writes that find their rows by
 * an index, with pauses for other work. Several processes may do so on one store. Each run also empties a file's
 * write-ahead log, so that what was erased, or what users have deleted since, is not in there either.
 */
export class Sweeper {
  /** By `Term.what`. */
  readonly statuses: Map<string, TermStatus>
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
    readonly terms: readonly Term[],
    readonly now: () => number = Date.now,
    readonly runMs = RUN_MS,
  ) {
    this.statuses = new Map(terms.map(({ what }) => [what, { dueAt: null, backlog: 0 }]))
    this.finishedAt = now()
  }

  /** Starts the first run. */
  start(): void {
    const run = async () => {
      if (!(await this.run())) loop.runWithin(RETRY_MS)
    }
    const loop = every(EVERY_MS, run, this.log, 'expired rows could not be erased')
    loop.runWithin(0)
    this.#loop = loop
  }

  /** Resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#loop?.stop()
  }

  /**
   * Erases what is due. Never rejects: failures are logged and retried by the next run.
   * @returns whether nothing is left.
   */
  async run(): Promise<boolean> {
    const endsAt = performance.now() + this.runMs
    const failed = new Set<Term>()
    const measureAll = () => this.#select(this.terms, failed, (term) => this.#measure(term))
    let due = await measureAll()
    // Round-robin, so that nothing waits for millions of rows of another table.
    while (due.length > 0) {
      due = await this.#select(due, failed, (term) => this.#eraseSome(term))
      const isLate = performance.now() >= endsAt
      // What one term erases may be due for another then.
      if (isLate || due.length === 0) due = await measureAll()
      if (isLate) break
      due = due.filter((term) => !failed.has(term))
    }
    if (!this.#isStopping) await this.#emptyLog()
    const isDone = due.length === 0 && failed.size === 0 && !this.#isStopping
    if (isDone) this.finishedAt = this.now()
    return isDone
  }

  /** The terms for which `isDue` returns true; none once stopping. */
  async #select(terms: readonly Term[], failed: Set<Term>, isDue: (term: Term) => Promise<boolean>): Promise<Term[]> {
    const selected: Term[] = []
    for (const term of terms) {
      if (this.#isStopping) return []
      try {
        if (await isDue(term)) selected.push(term)
      } catch (error) {
        failed.add(term)
        this.failures += 1
        this.log.warn({ err: error, what: term.what }, 'expired rows could not be erased; retrying')
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

  /** Counts what is due. */
  async #measure(term: Term): Promise<boolean> {
    const isDue = await this.#isDue(term)
    const [counted] = isDue ? await countDue(this.store.db, term, this.#before(term), MAX_COUNTED) : []
    const standing = this.statuses.get(term.what)
    if (standing !== undefined) standing.backlog = counted?.rows ?? 0
    return isDue
  }

  async #eraseSome(term: Term): Promise<boolean> {
    const queries = await eraseDue(this.store.db, term, this.#before(term))
    const startedAt = performance.now()
    // Need not survive a power cut: rows that come back are due again.
    await this.store.writeCounters(
      queries.map((query) => {
        const { sql, params } = query.toSQL()
        return { sql, args: params as (string | number)[] }
      }),
    )
    await sleep(Math.min(performance.now() - startedAt, MAX_PAUSE_MS))
    return this.#isDue(term)
  }

  async #isDue(term: Term): Promise<boolean> {
    const [oldest] = await oldestOf(this.store.db, term)
    const at = oldest?.at ?? null
    const standing = this.statuses.get(term.what)
    if (standing !== undefined) standing.dueAt = at === null ? null : at + term.keptMs
    return at !== null && at <= this.#before(term)
  }

  #before({ keptMs }: Term): number {
    return this.now() - keptMs
  }
}
