import { and, between, desc, eq, lte, sql, sum } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { bundleVersions, dailyCounters } from '../../db/schema.ts'
import { VERSION_COLUMNS } from '../bundles/edit/stored.ts'
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

/** How old a rule is before nobody’s matching it says anything. */
const OLD_ENOUGH_MS = 7 * DAY_MS

/** The ids of a bundle's rules of a week ago. */
export async function oldRules({ db }: Store, id: number, now: number): Promise<ReadonlySet<string>> {
  const [version] = await db
    .select({ policy: VERSION_COLUMNS.resolutionPolicy })
    .from(bundleVersions)
    .where(and(eq(bundleVersions.bundleId, id), lte(bundleVersions.editedAt, now - OLD_ENOUGH_MS)))
    .orderBy(desc(bundleVersions.versionNumber))
    .limit(1)
  return new Set(version?.policy?.rules.map(({ id }) => id))
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
