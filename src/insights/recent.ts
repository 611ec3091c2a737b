import { and, between, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { dailyCounters } from '../../db/schema.ts'
import { DAY_MS, dayOf } from './salts.ts'

/** The days that lists count, including today: those of a report that asks for no range. */
export const RECENT_DAYS = 30

/** Views and clicks of a bundle in the last `RECENT_DAYS` UTC days. */
export interface RecentCounts {
  views: number
  openAllClicks: number
}

/**
 * The recent counts of several bundles by id, in one query; a bundle without any is missing. Reads one row per bundle, day
 * and rule, so the cost does not depend on the number of views.
 * @param ids of bundles that the caller may see.
 * @param now milliseconds since 1970.
 */
export async function recentCounts({ db }: Store, ids: readonly number[], now: number) {
  if (ids.length === 0) return new Map<number, RecentCounts>()
  const from = dayOf(now - (RECENT_DAYS - 1) * DAY_MS)
  const rows = await counted(db).all({ ids: JSON.stringify(ids), from, to: dayOf(now) })
  return new Map(rows.map(({ id, views, clicks }) => [id, { views, openAllClicks: clicks }]))
}

const counted = prepared((db) =>
  db
    .select({
      id: dailyCounters.bundleId,
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
    .groupBy(dailyCounters.bundleId)
    .prepare(),
)
