import { and, between, count, eq, lte, type SQLWrapper, sql, sum } from 'drizzle-orm'
import { type SQLiteColumn, unionAll } from 'drizzle-orm/sqlite-core'
import type { Store } from '../../db/client.ts'
import type { Rule } from '../../db/policy.ts'
import { prepared } from '../../db/prepared.ts'
import {
  type Dimension,
  dailyBreakdowns,
  dailyCounters,
  dailyOpens,
  dailyViewers,
  OTHER_VALUES,
  openedLinks,
} from '../../db/schema.ts'
import type { StoredBundle } from '../bundles/edit/bundles.ts'
import { yieldToEventLoop } from '../core/scheduling.ts'
import { DAY_MS, iso } from '../core/time.ts'
import { linksIn } from '../launcher/cached.ts'
import { MAX_LINKS_A_DAY } from '../launcher/opens.ts'
import { dayOf } from '../launcher/salts.ts'
import { COUNTS_AT_ONCE, rulesEver } from './rules-ever.ts'
import { BREAKDOWNS, type Breakdown, type Counts, type Insights, type Period } from './shapes.ts'

/** Maximum number of removed links in a report. */
const MAX_GONE = 50

/**
 * How often the links of a bundle were opened: its own and those of its rules, in order; then removed ones, most opened first.
 * Reads one row per day and link, so the cost does not depend on the number of opens.
 * @param from the first instant of the first day.
 */
async function tabsOf(
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

/** How often each link was opened, by hash: for few links in one statement, for many in several, between other requests. */
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

/** The number of links that may have counts on a day. */
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

const REMOVED_RULE = '(removed rule)'
const FALLTHROUGH = 'Fallthrough'

/**
 * The counts of a bundle for `days` UTC days, and its totals over as many days before. Reads one row per day and rule, and per
 * day and value, so the cost does not depend on the number of views.
 * @param from the first millisecond of the first day.
 * @param now milliseconds since 1970.
 * @param withCountries whether countries are known on this instance.
 * @returns also the distinct viewers of each day that had any.
 */
export async function report(
  { db }: Store,
  bundle: Pick<StoredBundle, 'id' | 'slug' | 'urls' | 'resolutionPolicy'>,
  { from, days, now, withCountries }: Period & { now: number; withCountries: boolean },
): Promise<{ insights: Insights; viewers: ReadonlyMap<string, number> }> {
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
  const insights = {
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
  return { insights, viewers: new Map(of('viewers').map(({ key, views }) => [key, Number(views ?? 0)])) }
}

/** The counts of a period and of the one before: for few rules in one statement, for many in several, between other requests. */
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

/** Counts by day and by rule, of viewers, and of the period before. One statement, so that they are consistent. */
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
      .select({ ...named(kind, dailyViewers.day), views: sum(dailyViewers.viewers), clicks: sql<string | null>`NULL` })
      .from(dailyViewers)
      .where(within(dailyViewers, first, last))
      .groupBy(dailyViewers.day)
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
function rulesOf(
  counted: Map<string, Counts>,
  rules: readonly Pick<Rule, 'id' | 'name' | 'base' | 'omit'>[],
): Insights['byRule'] {
  const current = new Set(rules.map(({ id }) => id))
  const removed = [...counted.keys()].filter((id) => id !== '' && !current.has(id)).sort()
  const entry = (ruleId: string | null, ruleName: string) => ({
    ruleId,
    ruleName,
    ...(counted.get(ruleId ?? '') ?? countsOf(0, 0)),
  })
  return [
    ...rules.map(({ id, name, base, omit }) => ({
      ...entry(id, name),
      ...(base === undefined ? {} : { base }),
      ...(omit === undefined ? {} : { omit }),
    })),
    ...removed.map((id) => entry(id, REMOVED_RULE)),
    entry(null, FALLTHROUGH),
  ]
}

/** Views and clicks, with the click rate. */
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

/** The number of values that a breakdown lists; the rest are one sum. */
const MAX_NAMED = 20

/**
 * The views of a bundle by referrer, device, language and country. Days keep a limited number of values, so the cost does not
 * depend on the number of views.
 * @param range its days, as `2026-11-20`.
 * @param withCountries whether countries are known on this instance.
 */
async function breakdownsOf(
  db: Store['db'],
  range: { id: number; from: string; to: string },
  withCountries: boolean,
): Promise<Insights['breakdowns']> {
  const rows = await mostViewed(db).all({ ...range, most: MAX_NAMED })
  const of = (dimension: Dimension): Breakdown => {
    const found = rows.filter((row) => row.dimension === dimension)
    const values = found
      .filter(({ value }) => value !== OTHER_VALUES)
      .map(({ value, views }) => ({ value: value === '' ? null : value, views }))
    const named = values.reduce((sum, { views }) => sum + views, 0)
    return { values, other: (found[0]?.total ?? 0) - named }
  }
  return {
    referrers: of(BREAKDOWNS.referrers),
    devices: of(BREAKDOWNS.devices),
    languages: of(BREAKDOWNS.languages),
    ...(withCountries ? { countries: of(BREAKDOWNS.countries) } : {}),
  }
}

/** The most viewed values of each dimension, with the total views of all its values. */
const mostViewed = prepared((db) => {
  const { dimension, value } = dailyBreakdowns
  const views = sql<number>`sum(${dailyBreakdowns.views})`
  const ranked = db
    .select({
      dimension,
      value,
      views: views.as('value_views'),
      total: sql<number>`sum(${views}) OVER (PARTITION BY ${dimension})`.as('total'),
      place: sql<number>`row_number() OVER (PARTITION BY ${dimension}
        ORDER BY ${value} = ${sql.raw(`'${OTHER_VALUES}'`)}, ${views} DESC, ${value})`.as('place'),
    })
    .from(dailyBreakdowns)
    .where(
      and(
        eq(dailyBreakdowns.bundleId, sql.placeholder('id')),
        between(dailyBreakdowns.day, sql.placeholder('from'), sql.placeholder('to')),
      ),
    )
    .groupBy(dimension, value)
    .as('ranked')
  return db
    .select({ dimension: ranked.dimension, value: ranked.value, views: ranked.views, total: ranked.total })
    .from(ranked)
    .where(lte(ranked.place, sql.placeholder('most')))
    .orderBy(ranked.dimension, sql`${ranked.place}`)
    .prepare()
})
