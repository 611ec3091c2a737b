import { createHash } from 'node:crypto'
import type { InStatement } from '@libsql/client'

/**
 * Links of a bundle that a day counts; more than a bundle of 25 links and 50 rules with 20 each has at a time. Without it,
 * links that were once in a bundle would add rows for as long as somebody reports them.
 */
export const MAX_LINKS_A_DAY = 2_000
/** Links counted between two writes; more are dropped. */
const MAX_UNWRITTEN = 50_000
/** Past this, only those that are in their bundles are counted, because anybody can make up others. */
const MAX_WITH_OTHERS = 10_000

/** A link of a bundle, wherever in it, as 16 bytes in hexadecimal. */
export function linkHash(bundleId: number, url: string): string {
  return createHash('sha256').update(`${bundleId} ${url}`).digest('hex').slice(0, 32)
}

/** How often a link was opened. Its URL is null if it is not in the bundle: then it counts only if it once was opened. */
type OpenRow = readonly [bundleId: number, link: string, url: string | null, opens: number]

interface Opened {
  bundleId: number
  url: string | null
  opens: number
}

/** Counts how often links are opened, without anything of who opened them. */
export class Opens {
  #unwritten = new Map<string, Opened>()

  /** How many rows the unwritten counts take. */
  get rows(): number {
    return this.#unwritten.size
  }

  /** @param links the bundle’s own, by URL. */
  count(bundleId: number, links: ReadonlyMap<string, string>, urls: readonly string[]): void {
    // A press opens a link once.
    for (const url of new Set(urls)) {
      const own = links.get(url)
      const link = own ?? linkHash(bundleId, url)
      const opened = this.#unwritten.get(link)
      if (opened !== undefined) {
        opened.opens += 1
        // It may have been added to the bundle since.
        if (own !== undefined) opened.url = url
      } else if (this.#unwritten.size < (own === undefined ? MAX_WITH_OTHERS : MAX_UNWRITTEN)) {
        this.#unwritten.set(link, { bundleId, url: own === undefined ? null : url, opens: 1 })
      }
    }
  }

  /** The unwritten counts, by bundle. Forgets them. */
  take(): OpenRow[] {
    const unwritten = this.#unwritten
    this.#unwritten = new Map()
    return Array.from(unwritten, ([link, { bundleId, url, opens }]): OpenRow => [bundleId, link, url, opens]).sort(
      ([one], [other]) => one - other,
    )
  }
}

export function addOpens(day: string, rows: readonly OpenRow[]): InStatement[] {
  const sent = JSON.stringify(rows)
  return [
    { sql: ADD_LINKS, args: [day, sent] },
    { sql: ADD_OPENS, args: [day, sent] },
  ]
}

/**
 * Names links, but none for a day that is full: edits without end would add names that nothing counts. The join skips bundles
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
 * Counts what is a link of its bundle, or once was: made-up URLs add no row. A link that is new to a day counts while there is
 * room, first those that are in their bundles.
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
