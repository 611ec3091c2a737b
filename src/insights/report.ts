import { and, between, eq, sum } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { dailyCounters, dailyViewers } from '../../db/schema.ts'
import type { StoredBundle } from '../bundles/access.ts'
import { iso } from '../core/time.ts'
import { DAY_MS, dayOf, startOfDay } from './salts.ts'
import type { Counts, Insights } from './shapes.ts'

/** What was counted of a bundle, with the bundle as it stands. */
export interface Reported {
  bundle: StoredBundle
  insights: Insights
}

const REMOVED_RULE = '(removed rule)'
const FALLTHROUGH = 'Fallthrough'

/**
 * What was counted of a bundle on the last `days` UTC days, today included (spec 4.7, decisions 7). Reads a row for
 * each day and rule: the cost is that of the rules, never of the views.
 * @param now milliseconds since 1970.
 */
export async function report(
  { db }: Store,
  bundle: Pick<StoredBundle, 'id' | 'slug' | 'resolutionPolicy'>,
  days: number,
  now: number,
): Promise<Insights> {
  const from = startOfDay(now) - (days - 1) * DAY_MS
  const within = between(dailyCounters.day, dayOf(from), dayOf(now))
  const sums = { views: sum(dailyCounters.views), clicks: sum(dailyCounters.openAllClicks) }
  // One transaction, so that totals, rules and days agree.
  const [byDay, byRule, [viewers]] = await db.batch([
    db
      .select({ key: dailyCounters.day, ...sums })
      .from(dailyCounters)
      .where(and(eq(dailyCounters.bundleId, bundle.id), within))
      .groupBy(dailyCounters.day),
    db
      .select({ key: dailyCounters.ruleId, ...sums })
      .from(dailyCounters)
      .where(and(eq(dailyCounters.bundleId, bundle.id), within))
      .groupBy(dailyCounters.ruleId),
    db
      .select({ days: sum(dailyViewers.viewers) })
      .from(dailyViewers)
      .where(and(eq(dailyViewers.bundleId, bundle.id), between(dailyViewers.day, dayOf(from), dayOf(now)))),
  ])
  const series = seriesOf(byKey(byDay), from, days)
  return {
    slug: bundle.slug,
    range: { from: iso(from), to: iso(now) },
    totals: {
      ...countsOf(total(series, 'views'), total(series, 'openAllClicks')),
      uniqueViewerDays: Number(viewers?.days ?? 0),
    },
    byRule: rulesOf(byKey(byRule), bundle.resolutionPolicy?.rules ?? []),
    series,
  }
}

/** A report's days as CSV (RFC 4180), one line each under a line of names. */
export function toCsv({ slug, series }: Insights): { filename: string; text: string } {
  const lines = series.map(({ day, views, openAllClicks }) => `${day},${views},${openAllClicks}`)
  return {
    filename: `${slug}-insights-${series.length}d.csv`,
    text: ['day,views,openAllClicks', ...lines, ''].join('\r\n'),
  }
}

/** The sums are text, as wide as they may get. */
function byKey(rows: { key: string; views: string | null; clicks: string | null }[]): Map<string, Counts> {
  return new Map(rows.map(({ key, views, clicks }) => [key, countsOf(Number(views), Number(clicks))]))
}

function countsOf(views: number, openAllClicks: number): Counts {
  const rate = views === 0 ? 0 : openAllClicks / views
  return { views, openAllClicks, openAllRate: Math.round(rate * 10_000) / 10_000 }
}

function seriesOf(counted: Map<string, Counts>, from: number, days: number): Insights['series'] {
  return Array.from({ length: days }, (_, index) => {
    const day = dayOf(from + index * DAY_MS)
    const { views, openAllClicks } = counted.get(day) ?? countsOf(0, 0)
    return { day, views, openAllClicks }
  })
}

function total(series: Insights['series'], of: 'views' | 'openAllClicks'): number {
  return series.reduce((sum, day) => sum + day[of], 0)
}

/** Current rules in policy order, those that were not counted too; then rules that are no more; then Fallthrough. */
function rulesOf(counted: Map<string, Counts>, rules: readonly { id: string; name: string }[]): Insights['byRule'] {
  const current = new Set(rules.map(({ id }) => id))
  const removed = [...counted.keys()].filter((id) => id !== '' && !current.has(id)).sort()
  const entry = (ruleId: string | null, ruleName: string) => ({
    ruleId,
    ruleName,
    ...(counted.get(ruleId ?? '') ?? countsOf(0, 0)),
  })
  return [
    ...rules.map(({ id, name }) => entry(id, name)),
    ...removed.map((id) => entry(id, REMOVED_RULE)),
    entry(null, FALLTHROUGH),
  ]
}
