import { and, between, eq, lte, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { type Dimension, dailyBreakdowns, OTHER_VALUES } from '../../db/schema.ts'
import { BREAKDOWNS, type Breakdown, type Insights } from './shapes.ts'

/** The values that a breakdown names; the views of the rest are one number. */
const MAX_NAMED = 20

/**
 * The views of a bundle by referrer, device, language and country. Days keep a limited number of values, so the cost does
 * not depend on the number of views.
 * @param range its days, as `2026-11-20`.
 * @param withCountries whether countries are known here.
 */
export async function breakdownsOf(
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

/** The most viewed values of each dimension, with the views of all its values. */
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
