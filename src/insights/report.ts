import { and, between, eq, sql, sum } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/sqlite-core'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { dailyCounters, dailyViewers } from '../../db/schema.ts'
import type { StoredBundle } from '../bundles/access.ts'
import { iso } from '../core/time.ts'
import { DAY_MS, dayOf, startOfDay } from './salts.ts'
import type { Counts, Insights } from './shapes.ts'

/** A bundle with its counts. */
export interface Reported {
  bundle: StoredBundle
  insights: Insights
}

const REMOVED_RULE = '(removed rule)'
const FALLTHROUGH = 'Fallthrough'

/**
 * The counts of a bundle for the last `days` UTC days, including today (spec 4.7, decisions 7). Reads one row per day
 * and rule, so the cost does not depend on the number of views.
 * @param now milliseconds since 1970.
 */
export async function report(
  { db }: Store,
  bundle: Pick<StoredBundle, 'id' | 'slug' | 'resolutionPolicy'>,
  days: number,
  now: number,
): Promise<Insights> {
  const from = startOfDay(now) - (days - 1) * DAY_MS
  const rows = await counted(db).all({ id: bundle.id, from: dayOf(from), to: dayOf(now) })
  const of = (kind: string) => rows.filter((row) => row.kind === kind)
  const [viewers] = of('viewers')
  const series = seriesOf(byKey(of('day')), from, days)
  return {
    slug: bundle.slug,
    range: { from: iso(from), to: iso(now) },
    totals: {
      ...countsOf(total(series, 'views'), total(series, 'openAllClicks')),
      uniqueViewerDays: Number(viewers?.views ?? 0),
    },
    byRule: rulesOf(byKey(of('rule')), bundle.resolutionPolicy?.rules ?? []),
    series,
  }
}

/** What was counted by day and by rule, and of viewers in all: one statement, so that they agree. */
const counted = prepared((db) => {
  const sums = { views: sum(dailyCounters.views), clicks: sum(dailyCounters.openAllClicks) }
  const within = (table: typeof dailyCounters | typeof dailyViewers) =>
    and(eq(table.bundleId, sql.placeholder('id')), between(table.day, sql.placeholder('from'), sql.placeholder('to')))
  const by = (kind: 'day' | 'rule', key: typeof dailyCounters.day | typeof dailyCounters.ruleId) =>
    db
      .select({ kind: sql<string>`${kind}`.as('kind'), key: sql<string>`${key}`.as('key'), ...sums })
      .from(dailyCounters)
      .where(within(dailyCounters))
      .groupBy(key)
  const viewers = db
    .select({
      kind: sql<string>`'viewers'`.as('kind'),
      key: sql<string>`''`.as('key'),
      views: sum(dailyViewers.viewers),
      clicks: sql<string | null>`NULL`,
    })
    .from(dailyViewers)
    .where(within(dailyViewers))
  return unionAll(by('day', dailyCounters.day), by('rule', dailyCounters.ruleId), viewers).prepare()
})

/** The days of a report as CSV (RFC 4180), one line each after a header. */
export function toCsv({ slug, series }: Insights): { filename: string; text: string } {
  const lines = series.map(({ day, views, openAllClicks }) => `${day},${views},${openAllClicks}`)
  return {
    filename: `${slug}-insights-${series.length}d.csv`,
    text: ['day,views,openAllClicks', ...lines, ''].join('\r\n'),
  }
}

/** Sums are strings, because they may exceed a number’s range. */
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

/** Current rules in policy order, including those without counts; then removed rules; then Fallthrough. */
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
