import { randomUUID } from 'node:crypto'
import type { InStatement } from '@libsql/client'
import type { Logger } from 'pino'
import { brokenConstraint, type Store } from '../../db/client.ts'
import { dayNumber } from '../insights/salts.ts'
import type { Counter } from './counter.ts'

/** Rows a transaction: small enough that an edit which waits for its end waits little, large enough to be cheap. */
const ROWS_PER_WRITE = 500
/** While the store is away, this many rows (a counter or a hash each) are kept; past it new ones are dropped. */
export const MAX_WAITING = 200_000

/** A viewer of one bundle, told from others for one day (see `Viewers`). */
export interface ViewerHash {
  bundleId: number
  /** 16 bytes, as 32 hexadecimal digits: JSON has no bytes. */
  hash: string
}

interface Batch {
  id: string
  /** When it was made, in milliseconds since 1970: with its id, what the store knows it by. */
  at: number
  rows: number
  statements: readonly InStatement[]
}

/**
 * Batches of counts on their way to the store, oldest first. One that fails is kept and tried again; each carries
 * an id, so that one whose answer was lost is not counted twice.
 */
export class Batches {
  #waiting: Batch[] = []
  #rows = 0
  /** Rows that found no room, or that the store refused. */
  dropped = 0

  constructor(
    readonly store: Store,
    readonly log: Logger,
  ) {}

  /** How many rows wait. */
  get rows(): number {
    return this.#rows
  }

  /** How many wait. */
  get size(): number {
    return this.#waiting.length
  }

  /**
   * Takes what has been counted as it is at this moment.
   * @returns false where there was no room for all of it, and the rest was dropped.
   */
  add(day: string, counted: readonly Counter[], seen: readonly ViewerHash[]): boolean {
    let dropped = 0
    // By bundle, so that a batch touches neighbouring rows: a few pages of the file instead of nearly all of them.
    const counts = counted.toSorted(byBundle)
    const viewers = seen.toSorted(byBundle)
    const longest = Math.max(counts.length, viewers.length)
    for (let from = 0; from < longest; from += ROWS_PER_WRITE) {
      const batch = batchOf(day, counts.slice(from, from + ROWS_PER_WRITE), viewers.slice(from, from + ROWS_PER_WRITE))
      if (this.#rows + batch.rows > MAX_WAITING) dropped += batch.rows
      else {
        this.#rows += batch.rows
        this.#waiting.push(batch)
      }
    }
    this.dropped += dropped
    if (dropped > 0) this.log.error({ rows: dropped }, 'counts dropped: the store has been away for too long')
    return dropped === 0
  }

  /** @returns whether all of it is written; what is not is kept for the next time. */
  async write(): Promise<boolean> {
    for (let batch = this.#waiting[0]; batch !== undefined; batch = this.#waiting[0]) {
      try {
        await this.store.writeCounters([markOf(batch), ...batch.statements])
      } catch (error) {
        const broken = brokenConstraint(error)
        if (broken === null) {
          this.log.warn({ err: error, batches: this.size }, 'counts could not be written; they are kept')
          return false
        }
        // An attempt whose answer was lost had written the batch after all. Any other batch that the store refuses
        // would be refused for ever, and hold up all that wait behind it.
        if (!broken.includes('counter_batches.id')) {
          this.dropped += batch.rows
          this.log.error({ err: error }, 'counts dropped: the store refuses them')
        }
      }
      this.#waiting.shift()
      this.#rows -= batch.rows
    }
    return true
  }
}

function byBundle(a: { bundleId: number }, b: { bundleId: number }): number {
  return a.bundleId - b.bundleId
}

/** Whoever holds a counter goes on with it, so what it has counted is written out at once. */
function batchOf(day: string, counts: readonly Counter[], viewers: readonly ViewerHash[]): Batch {
  const statements = [
    ...(counts.length === 0 ? [] : [{ sql: ADD_COUNTS, args: [day, JSON.stringify(counts.map(fieldsOf))] }]),
    // Most batches hold nobody new.
    ...(viewers.length === 0 ? [] : newViewers(day, viewers)),
  ]
  return { id: randomUUID(), at: Date.now(), rows: counts.length + viewers.length, statements }
}

/** Written with a batch, in one transaction: of the same id the store takes no second. */
function markOf({ at, id }: Batch): InStatement {
  return { sql: 'INSERT INTO counter_batches (at, id) VALUES (?, ?)', args: [at, id] }
}

/** The joins, here and below, leave out bundles that are gone, whose counts have nowhere to go. */
const ADD_COUNTS = `INSERT INTO daily_counters (bundle_id, day, rule_id, views, open_all_clicks)
  SELECT bundles.id, ?1, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?2)
  JOIN bundles ON bundles.id = value ->> 0 WHERE true
  ON CONFLICT DO UPDATE SET views = views + excluded.views, open_all_clicks = open_all_clicks + excluded.open_all_clicks`

function fieldsOf({ bundleId, ruleId, views, openAllClicks }: Counter) {
  return [bundleId, ruleId, views, openAllClicks]
}

/** The day's number of viewers rises by those whose hash is new to it, so that nobody ever has to count hashes. */
function newViewers(day: string, viewers: readonly ViewerHash[]): InStatement[] {
  const seen = JSON.stringify(viewers.map(({ bundleId, hash }) => [bundleId, hash]))
  return [
    {
      sql: `INSERT INTO daily_viewers (bundle_id, day, viewers)
        SELECT bundles.id, ?1, count(DISTINCT value ->> 1)
        FROM json_each(?2) JOIN bundles ON bundles.id = value ->> 0
        WHERE NOT EXISTS (SELECT 1 FROM viewer_hashes
          WHERE day = ?3 AND bundle_id = value ->> 0 AND hash = unhex(value ->> 1))
        GROUP BY bundles.id
        ON CONFLICT DO UPDATE SET viewers = viewers + excluded.viewers`,
      args: [day, seen, dayNumber(day)],
    },
    {
      sql: `INSERT INTO viewer_hashes (day, bundle_id, hash)
        SELECT ?1, bundles.id, unhex(value ->> 1)
        FROM json_each(?2) JOIN bundles ON bundles.id = value ->> 0 WHERE true
        ON CONFLICT DO NOTHING`,
      args: [dayNumber(day), seen],
    },
  ]
}
