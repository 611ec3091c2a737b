import { and, between, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { dailyCounters } from '../../db/schema.ts'
import { yieldToEventLoop } from '../core/scheduling.ts'
import { DAY_MS } from '../core/time.ts'
import { dayOf } from '../launcher/salts.ts'
import { COUNTS_AT_ONCE, rulesEver } from './rules-ever.ts'

/** The number of days in lists, including today: the default range of reports. */
export const RECENT_DAYS = 30

/** Views and clicks of a bundle in the last `RECENT_DAYS` UTC days. */
export interface RecentCounts {
  views: number
  openAllClicks: number
  /** The views of each of these days, oldest first. */
  daily: number[]
}

/**
 * The recent counts of several bundles by id, in one query; bundles without any are missing. Reads one row per bundle, day and
 * rule, so the cost does not depend on the number of views.
 * @param ids of bundles that the caller may see.
 * @param now milliseconds since 1970.
 */
export async function recentCounts({ db }: Store, ids: readonly number[], now: number) {
  const recent = new Map<number, RecentCounts>()
  if (ids.length === 0) return recent
  const range = { from: dayOf(now - (RECENT_DAYS - 1) * DAY_MS), to: dayOf(now) }
  const first = Date.parse(range.from)
  const rules = await rulesEver(db, ids)
  for (let at = 0; at < ids.length; ) {
    const since = performance.now()
    const begin = at
    for (let rows = 0; at < ids.length && (rows < COUNTS_AT_ONCE || at === begin); at += 1) {
      rows += RECENT_DAYS * (1 + (rules.get(ids[at]!) ?? 0))
    }
    const counts = await counted(db).all({ ids: JSON.stringify(ids.slice(begin, at)), ...range })
    for (const { id, day, views, clicks } of counts) {
      const of = recent.get(id) ?? { views: 0, openAllClicks: 0, daily: Array<number>(RECENT_DAYS).fill(0) }
      of.views += views
      of.openAllClicks += clicks
      of.daily[(Date.parse(day) - first) / DAY_MS] = views
      recent.set(id, of)
    }
    if (at < ids.length) await yieldToEventLoop(since)
  }
  return recent
}

const counted = prepared((db) =>
  db
    .select({
      id: dailyCounters.bundleId,
      day: dailyCounters.day,
      views: sql<number>`sum(${dailyCounters.views})`,
      clicks: sql<number>`sum(${dailyCounters.openAllClicks})`,
    })
    .from(dailyCounters)
    .where(
      and(
        sql`${dailyCounters.bundleId} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`,
        between(dailyCounters.day, sql.placeholder('from'), sql.placeholder('to')),
      ),
    )
    .groupBy(dailyCounters.bundleId, dailyCounters.day)
    .prepare(),
)
