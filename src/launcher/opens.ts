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
export type OpenRow = readonly [bundleId: number, link: string, url: string | null, opens: number]

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
      if (opened !== undefined) opened.opens += 1
      else if (this.#unwritten.size < (own === undefined ? MAX_WITH_OTHERS : MAX_UNWRITTEN)) {
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

/** Adds counts to a day. */
export function addOpens(day: string, rows: readonly OpenRow[]): InStatement[] {
  const sent = JSON.stringify(rows)
  return [
    { sql: ADD_LINKS, args: [day, sent] },
    { sql: ADD_OPENS, args: [day, sent] },
  ]
}

/** Whether a day has room for one more link of a bundle. */
const isRoomFor = (bundle: string) =>
  `(SELECT count(*) FROM daily_opens AS kept WHERE kept.bundle_id = ${bundle} AND kept.day = ?1) < ${MAX_LINKS_A_DAY}`

/** Names what the day will count. The join skips bundles that no longer exist. */
const ADD_LINKS = `INSERT INTO opened_links (bundle_id, link, url)
  SELECT bundles.id, unhex(value ->> 1), value ->> 2 FROM json_each(?2) JOIN bundles ON bundles.id = value ->> 0
  WHERE value ->> 2 IS NOT NULL AND ${isRoomFor('bundles.id')}
  ON CONFLICT DO NOTHING`

/** Counts what is a link of its bundle, or once was: made-up URLs add no row. */
const ADD_OPENS = `INSERT INTO daily_opens (bundle_id, day, link, opens)
  SELECT known.bundle_id, ?1, known.link, sent.value ->> 3 FROM json_each(?2) AS sent
  JOIN opened_links AS known ON known.bundle_id = sent.value ->> 0 AND known.link = unhex(sent.value ->> 1)
  WHERE EXISTS (SELECT 1 FROM daily_opens AS kept
      WHERE kept.bundle_id = known.bundle_id AND kept.day = ?1 AND kept.link = known.link)
    OR ${isRoomFor('known.bundle_id')}
  ON CONFLICT DO UPDATE SET opens = opens + excluded.opens`
