import type { Batches } from './batches.ts'
import { addValues, Breakdowns } from './breakdowns.ts'
import { addOpens, Opens } from './opens.ts'

/**
 * A view adds a row to each breakdown, and a press of Open all one for each link, so these are written when so much time per
 * row has passed, or `MAX_WAIT_MS`: of few within a second, of many once a minute, when most have become the same rows.
 */
const ROW_MS = 10
/** How much of them `kill -9` may lose. */
const MAX_WAIT_MS = 60_000

/** What is counted besides views and clicks, and takes many rows: views by what requests say, and opened links. */
export class Details {
  readonly breakdowns: Breakdowns
  readonly opens = new Opens()
  #queuedAt = 0

  /** @param site which referrers are the service itself, and what countries are read from. */
  constructor(site: ConstructorParameters<typeof Breakdowns>[0]) {
    this.breakdowns = new Breakdowns(site)
  }

  /** How many rows the unwritten counts take, about. */
  get rows(): number {
    return this.breakdowns.rows + this.opens.rows
  }

  /** Whether they should be written now. @param most rows that may wait. */
  areDue(most: number): boolean {
    const { rows } = this
    const wait = Math.min(rows * ROW_MS, MAX_WAIT_MS)
    return rows > 0 && (rows >= most || performance.now() - this.#queuedAt >= wait)
  }

  /** Queues the unwritten counts as those of a day. */
  queue(batches: Batches, day: string): void {
    this.#queuedAt = performance.now()
    batches.addRows(day, this.breakdowns.take(), addValues)
    batches.addRows(day, this.opens.take(), addOpens)
  }
}
