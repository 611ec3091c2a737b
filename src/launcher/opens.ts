import { createHash } from 'node:crypto'
import type { InStatement } from '@libsql/client'
import { OTHER_VALUES } from '../../db/schema.ts'
import type { Batches } from './batches.ts'
import { Breakdowns, MAX_VALUES, type ValueRow } from './breakdowns.ts'

/**
 * Maximum links of a bundle that are counted on a day; more than a bundle of 25 links and 50 rules with 20 each has at a time.
 * Without it, links that were once in a bundle would add rows as long as somebody reports them.
 */
export const MAX_LINKS_A_DAY = 2_000
/** Maximum links counted between two writes; more are dropped. */
const MAX_UNWRITTEN = 50_000
/** Beyond this, only links in their bundles are counted, because anybody can invent others. */
const MAX_WITH_OTHERS = 10_000

/** The hash of a link in a bundle, wherever in it: 16 bytes in hexadecimal. */
export function linkHash(bundleId: number, url: string): string {
  return createHash('sha256').update(`${bundleId} ${url}`).digest('hex').slice(0, 32)
}

/** How often a link was opened. Its URL is null if it is not in the bundle: then it counts only if it was opened before. */
type OpenRow = readonly [bundleId: number, link: string, url: string | null, opens: number]

interface Opened {
  bundleId: number
  url: string | null
  opens: number
}

/** Counts how often links are opened, without storing anything about the people. */
class Opens {
  #unwritten = new Map<string, Opened>()

  /** The number of rows for the unwritten counts. */
  get rows(): number {
    return this.#unwritten.size
  }

  /** @param links the bundle’s own, by URL. */
  count(bundleId: number, links: ReadonlyMap<string, string>, urls: readonly string[]): void {
    // A click opens a link once.
    for (const url of new Set(urls)) {
      const own = links.get(url)
      const link = own ?? linkHash(bundleId, url)
      const opened = this.#unwritten.get(link)
      if (opened !== undefined) {
        opened.opens += 1
        // The link may have been added to the bundle since.
        if (own !== undefined) opened.url = url
      } else if (this.#unwritten.size < (own === undefined ? MAX_WITH_OTHERS : MAX_UNWRITTEN)) {
        this.#unwritten.set(link, { bundleId, url: own === undefined ? null : url, opens: 1 })
      }
    }
  }

  /** Returns the unwritten counts, by bundle, and clears them. */
  take(): OpenRow[] {
    const unwritten = this.#unwritten
    this.#unwritten = new Map()
    return Array.from(unwritten, ([link, { bundleId, url, opens }]): OpenRow => [bundleId, link, url, opens]).sort(
      ([one], [other]) => one - other,
    )
  }
}

function addOpens(day: string, rows: readonly OpenRow[]): InStatement[] {
  const sent = JSON.stringify(rows)
  return [
    { sql: ADD_LINKS, args: [day, sent] },
    { sql: ADD_OPENS, args: [day, sent] },
  ]
}

/**
 * Stores the URLs of links, but none for a day that is full: endless edits would add URLs without counts. The join skips bundles
 * that no longer exist.
 */
const ADD_LINKS = `INSERT INTO opened_links (bundle_id, link, url)
  SELECT bundles.id, unhex(value ->> 1), value ->> 2 FROM json_each(?2) JOIN bundles ON bundles.id = value ->> 0
  WHERE value ->> 2 IS NOT NULL
    AND bundles.id NOT IN (SELECT bundle_id FROM daily_opens
      WHERE bundle_id IN (SELECT sent.value ->> 0 FROM json_each(?2) AS sent) AND day = ?1
      GROUP BY bundle_id HAVING count(*) >= ${MAX_LINKS_A_DAY})
  ON CONFLICT DO NOTHING`

/**
 * Counts present and earlier links of bundles: invented URLs add no row. A link that is new to a day counts while there is room,
 * with present links first.
 */
const ADD_OPENS = `WITH sent AS (
    SELECT known.bundle_id, known.link, new.value ->> 2 IS NULL AS is_gone, new.value ->> 3 AS opens,
      EXISTS (SELECT 1 FROM daily_opens AS kept
        WHERE kept.bundle_id = known.bundle_id AND kept.day = ?1 AND kept.link = known.link) AS is_kept
    FROM json_each(?2) AS new
    JOIN opened_links AS known ON known.bundle_id = new.value ->> 0 AND known.link = unhex(new.value ->> 1)),
  days AS MATERIALIZED (
    SELECT bundle_id, (SELECT count(*) FROM daily_opens AS kept WHERE kept.bundle_id = one.bundle_id AND kept.day = ?1) AS links
    FROM (SELECT DISTINCT bundle_id FROM sent) AS one),
  placed AS (
    SELECT *, sum(NOT is_kept) OVER (PARTITION BY bundle_id ORDER BY is_gone, link) AS place FROM sent)
  INSERT INTO daily_opens (bundle_id, day, link, opens)
  SELECT placed.bundle_id, ?1, link, opens FROM placed JOIN days ON days.bundle_id = placed.bundle_id
  WHERE is_kept OR links + place <= ${MAX_LINKS_A_DAY}
  ON CONFLICT DO UPDATE SET opens = opens + excluded.opens`

/**
 * A view adds a row to each breakdown, and a click on Open all one per link. So counts are written when this much time has passed
 * per row, or `MAX_WAIT_MS`: a few rows within a second, many once a minute, when most have merged into the same rows.
 */
const ROW_MS = 10
/** How much of these counts `kill -9` may lose. */
const MAX_WAIT_MS = 60_000

/** Counts that take many rows, besides views and clicks: views by header, and opened links. */
export class Details {
  readonly breakdowns: Breakdowns
  readonly opens = new Opens()
  #queuedAt = 0

  /** @param site the service's own referrers, and the header with countries. */
  constructor(site: ConstructorParameters<typeof Breakdowns>[0]) {
    this.breakdowns = new Breakdowns(site)
  }

  /** The approximate number of rows for the unwritten counts. */
  get rows(): number {
    return this.breakdowns.rows + this.opens.rows
  }

  /** Whether the counts should be written now. @param most rows that may wait. */
  areDue(most: number): boolean {
    const { rows } = this
    const wait = Math.min(rows * ROW_MS, MAX_WAIT_MS)
    return rows > 0 && (rows >= most || performance.now() - this.#queuedAt >= wait)
  }

  /** Queues the unwritten counts for a day. */
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
 * Keeps at most `MAX_VALUES` values per bundle, day and dimension, and `OTHER_VALUES`, so that invented referrers cannot fill the
 * store: a value that is new to a full day is counted under `OTHER_VALUES`.
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
