import type { InStatement } from '@libsql/client'
import { OTHER_VALUES } from '../../db/schema.ts'
import type { Batches } from './batches.ts'
import { Breakdowns, MAX_VALUES, type ValueRow } from './breakdowns.ts'
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

/** Adds views by value to a day. */
export function addValues(day: string, values: readonly ValueRow[]): InStatement[] {
  return [{ sql: ADD_VALUES, args: [day, JSON.stringify(values)] }]
}

/**
 * Keeps at most `MAX_VALUES` values per bundle, day and dimension, and `OTHER_VALUES`, so that made-up referrers cannot fill the
 * store: a value that is new to a full day counts as one of the others.
 */
const ADD_VALUES = `WITH sent AS (
    SELECT bundles.id AS bundle_id, new.value ->> 1 AS dimension, new.value ->> 2 AS value, new.value ->> 3 AS views,
      new.value ->> 4 AS place, EXISTS (SELECT 1 FROM daily_breakdowns AS kept WHERE kept.bundle_id = bundles.id
        AND kept.day = ?1 AND kept.dimension = new.value ->> 1 AND kept.value = new.value ->> 2) AS is_kept
    FROM json_each(?2) AS new JOIN bundles ON bundles.id = new.value ->> 0)
  INSERT INTO daily_breakdowns (bundle_id, day, dimension, value, views)
  SELECT bundle_id, ?1, dimension, CASE WHEN is_kept
      OR (SELECT count(*) FROM daily_breakdowns AS kept
        WHERE kept.bundle_id = sent.bundle_id AND kept.day = ?1 AND kept.dimension = sent.dimension)
        + sum(NOT is_kept) OVER (PARTITION BY bundle_id, dimension ORDER BY place) <= ${MAX_VALUES}
    THEN value ELSE '${OTHER_VALUES}' END, views
  FROM sent WHERE true
  ON CONFLICT DO UPDATE SET views = views + excluded.views`
