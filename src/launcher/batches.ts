import { randomUUID } from 'node:crypto'
import type { InStatement } from '@libsql/client'
import type { Logger } from 'pino'
import { brokenConstraint, type Store } from '../../db/client.ts'
import { dayNumber } from './salts.ts'

/** The viewer's properties from the headers of a view, as keys of `Breakdowns`. */
export interface Profile {
  readonly device: string
  readonly language: string
  readonly referrer: string
  /** `''` without a header for countries. */
  readonly country: string
}

interface OfBundle {
  readonly bundleId: number
}

/** Sorts by bundle, so that rows written together are neighbours: on a few pages of the file. */
export const byBundle = (one: OfBundle, other: OfBundle): number => one.bundleId - other.bundleId

/**
 * Unwritten views and clicks of one bundle and matched rule (`''`: none). A cached launcher holds its counters, so counting needs
 * no look-up. For the same reason, `Breakdowns` keeps its counts here.
 */
export class Counter {
  views = 0
  openAllClicks = 0
  /** How many of the latest views had the same profile. */
  run = 0
  /** Shared by many counters, because a launcher of more than 18 properties takes 224 bytes instead of 160. */
  profile: Profile | null = null

  constructor(
    readonly bundleId: number,
    readonly ruleId: string,
  ) {}
}

/** Rows per transaction: few enough not to hold up an edit, enough to be cheap. */
const ROWS_PER_WRITE = 500
/** Rows (a counter, a value or a hash each) held while the store is down; past this, new ones are dropped. */
export const MAX_WAITING = 200_000
/** Beyond this, counts with many rows are dropped, so that they never take the place of views. */
const MAX_WAITING_WITH_ROWS = MAX_WAITING / 2

/** A distinct viewer of one bundle on one day; see `Viewers`. */
export interface ViewerHash {
  bundleId: number
  /** 16 bytes in hexadecimal, because it is passed as JSON. */
  hash: string
  /** The number of viewers from the same network for whom this one counts; see `ViewerQuota`. */
  standsFor: number
}

interface Batch {
  id: string
  /** Creation time in milliseconds since 1970; part of its key in the store. */
  at: number
  rows: number
  statements: readonly InStatement[]
}

/**
 * Queue of counts to write, oldest first. A failed batch is retried. Each has an id, so that a batch that was committed but not
 * acknowledged is not counted twice.
 */
export class Batches {
  #waiting: Batch[] = []
  #rows = 0
  /** Rows lost because the queue was full or the store rejected them. */
  dropped = 0

  constructor(
    readonly store: Store,
    readonly log: Logger,
  ) {}

  /** Queued rows. */
  get rows(): number {
    return this.#rows
  }

  /** Queued batches. */
  get size(): number {
    return this.#waiting.length
  }

  /**
   * Queues the current values of counters, and new viewers.
   * @returns false if some were dropped because the queue is full.
   */
  add(day: string, counted: readonly Counter[], seen: readonly ViewerHash[]): boolean {
    const counts = counted.toSorted(byBundle)
    const viewers = seen.toSorted(byBundle)
    const longest = Math.max(counts.length, viewers.length)
    const batches: Batch[] = []
    for (let from = 0; from < longest; from += ROWS_PER_WRITE) {
      const to = from + ROWS_PER_WRITE
      batches.push(batchOf(day, counts.slice(from, to), viewers.slice(from, to)))
    }
    return this.#queue(batches, MAX_WAITING)
  }

  /**
   * Queues counts of which a bundle has many rows.
   * @param rows by bundle: a bundle's rows stay together, because each checks how many the day has.
   */
  addRows<Row extends readonly [bundleId: number, ...unknown[]]>(
    day: string,
    rows: readonly Row[],
    statementsOf: (day: string, rows: readonly Row[]) => InStatement[],
  ): void {
    const batches: Batch[] = []
    for (let from = 0, to = 0; from < rows.length; from = to) {
      to = Math.min(from + ROWS_PER_WRITE, rows.length)
      while (to < rows.length && rows[to]![0] === rows[to - 1]![0]) to += 1
      const some = rows.slice(from, to)
      batches.push({ id: randomUUID(), at: Date.now(), rows: some.length, statements: statementsOf(day, some) })
    }
    this.#queue(batches, MAX_WAITING_WITH_ROWS)
  }

  /** @returns false if some were dropped because the queue is full. */
  #queue(batches: readonly Batch[], max: number): boolean {
    let dropped = 0
    for (const batch of batches) {
      if (this.#rows + batch.rows > max) dropped += batch.rows
      else {
        this.#rows += batch.rows
        this.#waiting.push(batch)
      }
    }
    this.dropped += dropped
    if (dropped > 0) this.log.error({ rows: dropped }, 'counts dropped: the store has been unavailable for too long')
    return dropped === 0
  }

  /** Writes queued batches in order until one fails. @returns whether the queue is empty. */
  async write(): Promise<boolean> {
    for (let batch = this.#waiting[0]; batch !== undefined; batch = this.#waiting[0]) {
      try {
        await this.store.writeCounters([markOf(batch), ...batch.statements])
      } catch (error) {
        const broken = brokenConstraint(error)
        if (broken === null) {
          this.log.warn({ err: error, batches: this.size }, 'counts could not be written; retrying')
          return false
        }
        // A duplicate id means that an unacknowledged attempt was committed. Any other rejected batch would be rejected
        // every time and block the queue.
        if (!broken.includes('counter_batches.id')) {
          this.dropped += batch.rows
          this.log.error({ err: error }, 'counts dropped: the store rejected them')
        }
      }
      this.#waiting.shift()
      this.#rows -= batch.rows
    }
    return true
  }
}

/** Serialises the counts now, because the counters stay in use. */
function batchOf(day: string, counts: readonly Counter[], viewers: readonly ViewerHash[]): Batch {
  const ofRules = counts.filter(({ ruleId }) => ruleId !== '')
  const statements = [
    ...addByBundle(day, 'views', counts, ({ views }) => views),
    ...addByBundle(day, 'open_all_clicks', counts, ({ openAllClicks }) => openAllClicks),
    ...(ofRules.length === 0 ? [] : [{ sql: ADD_OF_RULES, args: [day, JSON.stringify(ofRules.map(fieldsOf))] }]),
    // Most batches have no new viewers.
    ...(viewers.length === 0 ? [] : newViewers(day, viewers)),
  ]
  return { id: randomUUID(), at: Date.now(), rows: counts.length + viewers.length, statements }
}

type Count = 'views' | 'open_all_clicks'

/**
 * Adds the counts without a rule, which are nearly all, given as `{"17":3,"18":1}`. Most have a row already, and updating it
 * costs a third of an upsert. See MEASURED.md.
 */
function addByBundle(
  day: string,
  column: Count,
  sorted: readonly Counter[],
  countOf: (counter: Counter) => number,
): InStatement[] {
  const totals = new Map<number, number>()
  for (const counter of sorted) {
    const count = counter.ruleId === '' ? countOf(counter) : 0
    // A launcher that is cached again has a new counter, and an update takes only one number for each row.
    if (count > 0) totals.set(counter.bundleId, (totals.get(counter.bundleId) ?? 0) + count)
  }
  if (totals.size === 0) return []
  const numbers = `{${Array.from(totals, ([bundleId, count]) => `"${bundleId}":${count}`).join()}}`
  const { update, insert } = BY_BUNDLE[column]
  return [
    { sql: update, args: [day, numbers] },
    { sql: insert, args: [day, numbers, totals.size] },
  ]
}

/** Inserts the batch's id in the same transaction; a duplicate fails it. */
function markOf({ at, id }: Batch): InStatement {
  return { sql: 'INSERT INTO counter_batches (at, id) VALUES (?, ?)', args: [at, id] }
}

/** Maximum rules of one bundle that are counted on a day; there are fewer, unless somebody invents many to fill the store. */
export const MAX_RULES = 500

/**
 * The joins, here and below, skip bundles that no longer exist. Counts of rules beyond `MAX_RULES` are added to those without a
 * rule, so that no view is lost.
 */
const ADD_OF_RULES = `WITH sent AS (
    SELECT bundles.id AS bundle_id, value ->> 1 AS rule_id, value ->> 2 AS views, value ->> 3 AS open_all_clicks,
      EXISTS (SELECT 1 FROM daily_counters AS kept
        WHERE kept.bundle_id = bundles.id AND kept.day = ?1 AND kept.rule_id = value ->> 1) AS is_kept
    FROM json_each(?2) JOIN bundles ON bundles.id = value ->> 0)
  INSERT INTO daily_counters (bundle_id, day, rule_id, views, open_all_clicks)
  SELECT bundle_id, ?1, CASE WHEN is_kept
      OR (SELECT count(*) FROM daily_counters AS kept WHERE kept.bundle_id = sent.bundle_id AND kept.day = ?1)
        + sum(NOT is_kept) OVER (PARTITION BY bundle_id ORDER BY rule_id) <= ${MAX_RULES}
    THEN rule_id ELSE '' END, views, open_all_clicks
  FROM sent WHERE true
  ON CONFLICT DO UPDATE SET views = views + excluded.views, open_all_clicks = open_all_clicks + excluded.open_all_clicks`

const BY_BUNDLE: Readonly<Record<Count, Record<'update' | 'insert', string>>> = {
  views: addingTo('views'),
  open_all_clicks: addingTo('open_all_clicks'),
}

/** The insert follows the update, and reads nothing if the update has found every row. */
function addingTo(column: Count) {
  return {
    update: `UPDATE daily_counters SET ${column} = ${column} + value FROM json_each(?2)
      WHERE bundle_id = CAST(key AS INTEGER) AND day = ?1 AND rule_id = ''`,
    insert: `INSERT INTO daily_counters (bundle_id, day, rule_id, ${column})
      SELECT bundles.id, ?1, '', value FROM json_each(?2) JOIN bundles ON bundles.id = CAST(key AS INTEGER)
      WHERE changes() < ?3 AND NOT EXISTS (SELECT 1 FROM daily_counters AS kept
        WHERE kept.bundle_id = bundles.id AND kept.day = ?1 AND kept.rule_id = '')`,
  }
}

function fieldsOf({ bundleId, ruleId, views, openAllClicks }: Counter) {
  return [bundleId, ruleId, views, openAllClicks]
}

/** Adds the hashes that are new to the day, and their number to its total, so that reports need not count hashes. */
function newViewers(day: string, viewers: readonly ViewerHash[]): InStatement[] {
  const seen = JSON.stringify(viewers.map(({ bundleId, hash, standsFor }) => [bundleId, hash, standsFor]))
  return [
    {
      sql: `INSERT INTO daily_viewers (bundle_id, day, viewers)
        SELECT bundles.id, ?1, sum(sent.stands_for)
        FROM (SELECT value ->> 0 AS bundle_id, unhex(value ->> 1) AS hash, min(value ->> 2) AS stands_for
          FROM json_each(?2) GROUP BY 1, 2) AS sent
        JOIN bundles ON bundles.id = sent.bundle_id
        WHERE NOT EXISTS (SELECT 1 FROM viewer_hashes AS kept
          WHERE kept.day = ?3 AND kept.bundle_id = sent.bundle_id AND kept.hash = sent.hash)
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
