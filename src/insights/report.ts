import { and, between, eq, type SQLWrapper, sql, sum } from 'drizzle-orm'
import { type SQLiteColumn, unionAll } from 'drizzle-orm/sqlite-core'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { dailyCounters, dailyViewers } from '../../db/schema.ts'
import type { StoredBundle } from '../bundles/roles.ts'
import { DAY_MS, iso } from '../core/time.ts'
import { yieldToEventLoop } from '../core/yield-to-event-loop.ts'
import { dayOf } from '../launcher/salts.ts'
import { breakdownsOf } from './breakdowns.ts'
import { COUNTS_AT_ONCE, rulesEver } from './rules-ever.ts'
import type { Counts, Insights, Period } from './shapes.ts'
import { tabsOf } from './tabs.ts'

const REMOVED_RULE = '(removed rule)'
const FALLTHROUGH = 'Fallthrough'

/**
 * The counts of a bundle for `days` UTC days, and its totals of as many days before. Reads one
 * row per day and rule, and per day and value, so the cost does not depend on the number of views.
 * @param from the first millisecond of the first day.
 * @param now milliseconds since 1970.
 * @param withCountries whether countries are known here.
 */
export async function report(
  { db }: Store,
  bundle: Pick<StoredBundle, 'id' | 'slug' | 'urls' | 'resolutionPolicy'>,
  { from, days, now, withCountries }: Period & { now: number; withCountries: boolean },
): Promise<Insights> {
  const end = from + days * DAY_MS
  const range = { id: bundle.id, from: dayOf(from), to: dayOf(end - DAY_MS) }
  const [rows, breakdowns, tabs] = await Promise.all([
    countedFrom(db, { id: bundle.id, from, days }),
    breakdownsOf(db, range, withCountries),
    tabsOf(db, bundle, { from, days }),
  ])
  const of = (kind: string) => rows.filter((row) => row.kind === kind)
  const sumOf = (kind: string, column: 'views' | 'clicks' = 'views') =>
    of(kind).reduce((sum, row) => sum + Number(row[column] ?? 0), 0)
  const series = seriesOf(byKey(of('day')), from, days)
  return {
    slug: bundle.slug,
    range: { from: iso(from), to: iso(Math.min(now, end - 1)) },
    totals: {
      ...countsOf(total(series, 'views'), total(series, 'openAllClicks')),
      uniqueViewerDays: sumOf('viewers'),
    },
    previous: {
      ...countsOf(sumOf('previous'), sumOf('previous', 'clicks')),
      uniqueViewerDays: sumOf('previousViewers'),
    },
    breakdowns,
    tabs,
    byRule: rulesOf(byKey(of('rule')), bundle.resolutionPolicy?.rules ?? []),
    series,
  }
}

/**
 * What was counted in a period and in the one before: for few rules in one statement, for many in several with other
 * requests in between.
 */
async function countedFrom(db: Store['db'], { id, from, days }: { id: number; from: number; days: number }) {
  const rules = (await rulesEver(db, [id])).get(id) ?? 0
  const atOnce = Math.max(1, Math.floor(COUNTS_AT_ONCE / (2 * (rules + 1))))
  const rows: Awaited<ReturnType<ReturnType<typeof counted>['all']>> = []
  for (let day = 0; day < days; day += atOnce) {
    const since = performance.now()
    const first = from + day * DAY_MS
    const last = first + (Math.min(days - day, atOnce) - 1) * DAY_MS
    const before = days * DAY_MS
    const period = { from: dayOf(first), to: dayOf(last), before: dayOf(first - before), until: dayOf(last - before) }
    rows.push(...(await counted(db).all({ id, ...period })))
    if (day + atOnce < days) await yieldToEventLoop(since)
  }
  return rows
}

/** What was counted by day and by rule, of viewers in all, and in the period before: one statement, so that they agree. */
const counted = prepared((db) => {
  const sums = { views: sum(dailyCounters.views), clicks: sum(dailyCounters.openAllClicks) }
  const within = (table: typeof dailyCounters | typeof dailyViewers, first = 'from', last = 'to') =>
    and(eq(table.bundleId, sql.placeholder('id')), between(table.day, sql.placeholder(first), sql.placeholder(last)))
  const named = (kind: string, key: SQLWrapper = sql`''`) => ({
    kind: sql<string>`${sql.raw(`'${kind}'`)}`.as('kind'),
    key: sql<string>`${key}`.as('key'),
  })
  const by = (kind: string, key: SQLiteColumn) =>
    db
      .select({ ...named(kind, key), ...sums })
      .from(dailyCounters)
      .where(within(dailyCounters))
      .groupBy(key)
  const viewers = (kind: string, first?: string, last?: string) =>
    db
      .select({ ...named(kind), views: sum(dailyViewers.viewers), clicks: sql<string | null>`NULL` })
      .from(dailyViewers)
      .where(within(dailyViewers, first, last))
  return unionAll(
    by('day', dailyCounters.day),
    by('rule', dailyCounters.ruleId),
    viewers('viewers'),
    db
      .select({ ...named('previous'), ...sums })
      .from(dailyCounters)
      .where(within(dailyCounters, 'before', 'until')),
    viewers('previousViewers', 'before', 'until'),
  ).prepare()
})

/** Sums are strings, because they may exceed a number’s range. */
function byKey(rows: { key: string; views: string | null; clicks: string | null }[]): Map<string, Counts> {
  const counts = new Map<string, Counts>()
  for (const { key, views, clicks } of rows) {
    const before = counts.get(key) ?? countsOf(0, 0)
    counts.set(key, countsOf(before.views + Number(views), before.openAllClicks + Number(clicks)))
  }
  return counts
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

/** Views and clicks, with the rate of clicks. */
export function countsOf(views: number, openAllClicks: number): Counts {
  const rate = views === 0 ? 0 : openAllClicks / views
  return { views, openAllClicks, openAllRate: Math.round(rate * 10_000) / 10_000 }
}

/** A row for each of `days` UTC days, oldest first. @param from the first instant of the first day. */
export function seriesOf(counted: Map<string, Counts>, from: number, days: number): Insights['series'] {
  return Array.from({ length: days }, (_, index) => {
    const day = dayOf(from + index * DAY_MS)
    const { views, openAllClicks } = counted.get(day) ?? countsOf(0, 0)
    return { day, views, openAllClicks }
  })
}
