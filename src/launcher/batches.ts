import { randomUUID } from 'node:crypto'
import type { InStatement } from '@libsql/client'
import type { Logger } from 'pino'
import { brokenConstraint, type Store } from '../../db/client.ts'

/** Rows a transaction: small enough that an edit which waits for its end waits little, large enough to be cheap. */
const ROWS_PER_WRITE = 500
/** While the store is away, this many rows (a counter or a hash each) are kept; past it new ones are dropped. */
export const MAX_WAITING = 200_000

/** The counts of one bundle and one matched rule (`''`: none) that are not written yet. */
export interface Count {
  bundleId: number
  ruleId: string
  views: number
  openAllClicks: number
}

/** A viewer of one bundle, known for one day (see `Recorder`). */
export interface Viewer {
  bundleId: number
  hash: string
}

interface Batch {
  id: string
  /** The UTC day of everything in it. */
  day: string
  /** Nearly all counts are of no rule: each in one number, which SQLite reads several times as fast as fields. */
  packed: Float64Array
  /** Those that are not, and a bundle's second. */
  counts: readonly Count[]
  viewers: readonly Viewer[]
}

/** A number holds 53 bits: a bundle's id, and below it as many bits for views as for clicks. */
const COUNT_BITS = 12
const MAX_COUNT = 2 ** COUNT_BITS - 1
const ID_UNIT = 2 ** (2 * COUNT_BITS)
const MAX_PACKED_ID = Math.floor(Number.MAX_SAFE_INTEGER / ID_UNIT) - 1

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
  add(day: string, counted: readonly Count[], seen: readonly Viewer[]): boolean {
    let dropped = 0
    const numbers: number[] = []
    const counts: Count[] = []
    for (const count of counted) {
      if (hasRoom(count)) numbers.push(packedOf(count))
      else counts.push(copyOf(count))
    }
    // By bundle, so that a batch touches neighbouring rows: a few pages of the file instead of nearly all of them.
    const packed = withoutSeconds(Float64Array.from(numbers).sort(), counts)
    counts.sort(byBundle)
    const viewers = seen.toSorted(byBundle)
    const rows = Math.max(packed.length, counts.length, viewers.length)
    for (let from = 0; from < rows; from += ROWS_PER_WRITE) {
      const batch = {
        id: randomUUID(),
        day,
        packed: packed.subarray(from, from + ROWS_PER_WRITE),
        counts: counts.slice(from, from + ROWS_PER_WRITE),
        viewers: viewers.slice(from, from + ROWS_PER_WRITE),
      }
      if (this.#rows + rowsOf(batch) > MAX_WAITING) dropped += rowsOf(batch)
      else {
        this.#rows += rowsOf(batch)
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
        await this.store.writeCounters(statements(batch))
      } catch (error) {
        const broken = brokenConstraint(error)
        if (broken === null) {
          this.log.warn({ err: error, batches: this.size }, 'counts could not be written; they are kept')
          return false
        }
        // An attempt whose answer was lost had written the batch after all. Any other batch that the store refuses
        // would be refused for ever, and hold up all that wait behind it.
        if (!broken.includes('counter_batches.id')) {
          this.dropped += rowsOf(batch)
          this.log.error({ err: error }, 'counts dropped: the store refuses them')
        }
      }
      this.#waiting.shift()
      this.#rows -= rowsOf(batch)
    }
    return true
  }
}

function byBundle(a: { bundleId: number }, b: { bundleId: number }): number {
  return a.bundleId - b.bundleId
}

function rowsOf({ packed, counts, viewers }: Batch): number {
  return packed.length + counts.length + viewers.length
}

function hasRoom({ bundleId, ruleId, views, openAllClicks }: Count): boolean {
  return ruleId === '' && bundleId <= MAX_PACKED_ID && views <= MAX_COUNT && openAllClicks <= MAX_COUNT
}

function packedOf({ bundleId, views, openAllClicks }: Count): number {
  return bundleId * ID_UNIT + views * 2 ** COUNT_BITS + openAllClicks
}

function unpacked(number: number): Count {
  const views = Math.floor(number / 2 ** COUNT_BITS) & MAX_COUNT
  return { bundleId: Math.floor(number / ID_UNIT), ruleId: '', views, openAllClicks: number % 2 ** COUNT_BITS }
}

/** Of sorted numbers the first of each bundle. The others, which come of a launcher that was dropped and kept anew, go to `seconds`. */
function withoutSeconds(sorted: Float64Array, seconds: Count[]): Float64Array {
  let last = -1
  return sorted.filter((number) => {
    const bundleId = Math.floor(number / ID_UNIT)
    const isFirst = bundleId !== last
    last = bundleId
    if (!isFirst) seconds.push(unpacked(number))
    return isFirst
  })
}

/** Its counts alone: whoever holds a counter may keep more in it. */
function copyOf({ bundleId, ruleId, views, openAllClicks }: Count): Count {
  return { bundleId, ruleId, views, openAllClicks }
}

/**
 * One transaction; the joins leave out bundles that are gone, whose counts have nowhere to go. The day's number of
 * viewers rises by those whose hash is new to it, so that nobody ever has to count hashes.
 */
function statements({ id, day, packed, counts, viewers }: Batch): InStatement[] {
  return [
    { sql: 'INSERT INTO counter_batches (id, at) VALUES (?, ?)', args: [id, Date.now()] },
    ...(packed.length === 0 ? [] : addPacked(day, packed)),
    ...(counts.length === 0 ? [] : [{ sql: ADD_COUNTS, args: [day, JSON.stringify(counts.map(fieldsOf))] }]),
    // Most batches hold nobody new.
    ...(viewers.length === 0 ? [] : newViewers(day, viewers)),
  ]
}

/** Most of the rows are there already, and an update of them costs half of what an upsert does. */
function addPacked(day: string, packed: Float64Array): InStatement[] {
  const list = `[${packed.join()}]`
  return [
    { sql: UPDATE_PACKED, args: [day, list] },
    { sql: INSERT_PACKED, args: [day, list, packed.length] },
  ]
}

const PACKED = {
  bundle: `value >> ${2 * COUNT_BITS}`,
  views: `(value >> ${COUNT_BITS}) & ${MAX_COUNT}`,
  clicks: `value & ${MAX_COUNT}`,
}
/** Takes each bundle once: of two numbers for one row only one would be added. */
const UPDATE_PACKED = `UPDATE daily_counters
  SET views = views + (${PACKED.views}), open_all_clicks = open_all_clicks + (${PACKED.clicks})
  FROM json_each(?2) WHERE bundle_id = ${PACKED.bundle} AND day = ?1 AND rule_id = ''`
/** Comes right after the update: looks at nothing where that found all of them. */
const INSERT_PACKED = `INSERT INTO daily_counters (bundle_id, day, rule_id, views, open_all_clicks)
  SELECT bundles.id, ?1, '', ${PACKED.views}, ${PACKED.clicks} FROM json_each(?2)
  JOIN bundles ON bundles.id = ${PACKED.bundle} WHERE (SELECT changes()) < ?3
  ON CONFLICT DO NOTHING`

const ADD_COUNTS = `INSERT INTO daily_counters (bundle_id, day, rule_id, views, open_all_clicks)
  SELECT bundles.id, ?1, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?2)
  JOIN bundles ON bundles.id = value ->> 0 WHERE true
  ON CONFLICT DO UPDATE SET views = views + excluded.views, open_all_clicks = open_all_clicks + excluded.open_all_clicks`

function fieldsOf({ bundleId, ruleId, views, openAllClicks }: Count) {
  return [bundleId, ruleId, views, openAllClicks]
}

function newViewers(day: string, viewers: readonly Viewer[]): InStatement[] {
  const seen = JSON.stringify(viewers.map(({ bundleId, hash }) => [bundleId, hash]))
  return [
    {
      sql: `INSERT INTO daily_viewers (bundle_id, day, viewers)
        SELECT bundles.id, ?1, count(DISTINCT value ->> 1)
        FROM json_each(?2) JOIN bundles ON bundles.id = value ->> 0
        WHERE NOT EXISTS (SELECT 1 FROM viewer_hashes
          WHERE bundle_id = value ->> 0 AND day = ?1 AND hash = value ->> 1)
        GROUP BY bundles.id
        ON CONFLICT DO UPDATE SET viewers = viewers + excluded.viewers`,
      args: [day, seen],
    },
    {
      sql: `INSERT INTO viewer_hashes (bundle_id, day, hash)
        SELECT bundles.id, ?, value ->> 1 FROM json_each(?) JOIN bundles ON bundles.id = value ->> 0 WHERE true
        ON CONFLICT DO NOTHING`,
      args: [day, seen],
    },
  ]
}
