import { and, between, eq, sql, sum } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { dailyCounters } from '../../db/schema.ts'
import { yieldToEventLoop } from '../core/scheduling.ts'
import { DAY_MS } from '../core/time.ts'
import { dayOf } from '../launcher/salts.ts'
import { COUNTS_AT_ONCE, rulesEver } from './rules-ever.ts'

/** The number of UTC days, including today, after which a rule without a match is reported as useless. */
export const RULE_DAYS = 90

/**
 * The views of a bundle in the last `RULE_DAYS` days by rule, `''` for views without a match. Reads one row per day and rule, so
 * the cost does not depend on the number of views.
 * @param id the bundle's.
 * @param now milliseconds since 1970.
 */
export async function ruleViews({ db }: Store, id: number, now: number): Promise<Map<string, number>> {
  const rules = (await rulesEver(db, [id])).get(id) ?? 0
  const atOnce = Math.max(1, Math.floor(COUNTS_AT_ONCE / (rules + 1)))
  const views = new Map<string, number>()
  for (let day = 0; day < RULE_DAYS; day += atOnce) {
    const since = performance.now()
    const last = Math.min(RULE_DAYS, day + atOnce) - 1
    const period = { from: dayOf(now - last * DAY_MS), to: dayOf(now - day * DAY_MS) }
    // Sums are strings, because they may exceed a number’s range.
    for (const { ruleId, sum } of await counted(db).all({ id, ...period })) {
      views.set(ruleId, (views.get(ruleId) ?? 0) + Number(sum))
    }
    if (last < RULE_DAYS - 1) await yieldToEventLoop(since)
  }
  return views
}

const counted = prepared((db) =>
  db
    .select({ ruleId: dailyCounters.ruleId, sum: sum(dailyCounters.views) })
    .from(dailyCounters)
    .where(
      and(
        eq(dailyCounters.bundleId, sql.placeholder('id')),
        between(dailyCounters.day, sql.placeholder('from'), sql.placeholder('to')),
      ),
    )
    .groupBy(dailyCounters.ruleId)
    .prepare(),
)
