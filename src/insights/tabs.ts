import { and, between, count, eq, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { dailyOpens, openedLinks } from '../../db/schema.ts'
import type { StoredBundle } from '../bundles/roles.ts'
import { DAY_MS } from '../core/time.ts'
import { yieldToEventLoop } from '../core/yield-to-event-loop.ts'
import { linksIn } from '../launcher/cached.ts'
import { MAX_LINKS_A_DAY } from '../launcher/opens.ts'
import { dayOf } from '../launcher/salts.ts'
import { COUNTS_AT_ONCE } from './rules-ever.ts'
import type { Insights } from './shapes.ts'

/** How many links are named that are no longer there. */
const MAX_GONE = 50

/**
 * How often the links of a bundle were opened: its own and those of its rules, in order; then those that are no longer
 * there, most opened first. Reads one row per day and link, so the cost does not depend on the number of opens.
 * @param from the first instant of the first day.
 */
export async function tabsOf(
  db: Store['db'],
  bundle: Pick<StoredBundle, 'id' | 'urls' | 'resolutionPolicy'>,
  { from, days }: { from: number; days: number },
): Promise<Insights['tabs']> {
  const opens = await opensOf(db, bundle.id, from, days)
  const present = Array.from(linksIn(bundle), ([url, link]) => {
    const entry = { url, opens: opens.get(link) ?? 0 }
    opens.delete(link)
    return entry
  })
  const gone = [...opens].sort(([, one], [, other]) => other - one).slice(0, MAX_GONE)
  if (gone.length === 0) return present
  const links = JSON.stringify(gone.map(([link]) => link))
  const rows = await named(db).all({ id: bundle.id, links })
  const urls = new Map(rows.map(({ link, url }) => [link, url]))
  return [...present, ...gone.map(([link, opens]) => ({ url: urls.get(link) ?? '', opens }))]
}

/** How often each link was opened, by hash: of few links in one statement, of many in several with other requests between. */
async function opensOf(db: Store['db'], id: number, from: number, days: number): Promise<Map<string, number>> {
  const opens = new Map<string, number>()
  const [{ links } = { links: 0 }] = await known(db).all({ id })
  if (links === 0) return opens
  const atOnce = Math.max(1, Math.floor(COUNTS_AT_ONCE / links))
  for (let day = 0; day < days; day += atOnce) {
    const since = performance.now()
    const last = Math.min(days, day + atOnce) - 1
    const rows = await summed(db).all({ id, from: dayOf(from + day * DAY_MS), to: dayOf(from + last * DAY_MS) })
    for (const row of rows) opens.set(row.link, (opens.get(row.link) ?? 0) + row.opens)
    if (last < days - 1) await yieldToEventLoop(since)
  }
  return opens
}

const hash = (column: SQLiteColumn) => sql<string>`lower(hex(${column}))`

/** How many links a day may have counts of. */
const known = prepared((db) => {
  const some = db
    .select({ one: sql`1`.as('one') })
    .from(openedLinks)
    .where(eq(openedLinks.bundleId, sql.placeholder('id')))
    .limit(MAX_LINKS_A_DAY)
    .as('some')
  return db.select({ links: count() }).from(some).prepare()
})

const summed = prepared((db) => {
  const { bundleId, day, link, opens } = dailyOpens
  return db
    .select({ link: hash(link), opens: sql<number>`sum(${opens})` })
    .from(dailyOpens)
    .where(and(eq(bundleId, sql.placeholder('id')), between(day, sql.placeholder('from'), sql.placeholder('to'))))
    .groupBy(link)
    .prepare()
})

const named = prepared((db) => {
  const { bundleId, link, url } = openedLinks
  return db
    .select({ link: hash(link), url })
    .from(openedLinks)
    .where(
      and(
        eq(bundleId, sql.placeholder('id')),
        sql`${link} IN (SELECT unhex(value) FROM json_each(${sql.placeholder('links')}))`,
      ),
    )
    .prepare()
})
