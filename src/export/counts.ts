import { and, eq, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import {
  type Dimension,
  dailyBreakdowns,
  dailyCounters,
  dailyOpens,
  dailyViewers,
  openedLinks,
} from '../../db/schema.ts'

/** Counts read at a time: there is one for each day and rule, and for each day and value. */
const COUNTS = 4000

/** Views and clicks of a bundle by day and rule. */
export async function* countsOf({ db }: Store, bundleId: number) {
  const { day, ruleId, views, openAllClicks } = dailyCounters
  const pages = inPages<{ day: string; ruleId: string; views: number; openAllClicks: number }>(COUNTS, (last) =>
    db
      .select({ day, ruleId, views, openAllClicks })
      .from(dailyCounters)
      .where(
        and(
          eq(dailyCounters.bundleId, bundleId),
          last === undefined ? undefined : sql`(${day}, ${ruleId}) > (${last.day}, ${last.ruleId})`,
        ),
      )
      .orderBy(day, ruleId)
      .limit(COUNTS),
  )
  for await (const page of pages) {
    for (const { ruleId, ...count } of page) yield { ...count, ruleId: ruleId === '' ? null : ruleId }
  }
}

/** The viewers of a bundle by day. */
export function viewersOf({ db }: Store, bundleId: number) {
  return db
    .select({ day: dailyViewers.day, viewers: dailyViewers.viewers })
    .from(dailyViewers)
    .where(eq(dailyViewers.bundleId, bundleId))
    .orderBy(dailyViewers.day)
}

/** Views of a bundle by day and value. */
export async function* breakdownsOf({ db }: Store, bundleId: number) {
  const { day, dimension, value, views } = dailyBreakdowns
  type Row = { day: string; dimension: Dimension; value: string; views: number }
  const pages = inPages<Row>(COUNTS, (last) =>
    db
      .select({ day, dimension, value, views })
      .from(dailyBreakdowns)
      .where(
        and(
          eq(dailyBreakdowns.bundleId, bundleId),
          last === undefined
            ? undefined
            : sql`(${day}, ${dimension}, ${value}) > (${last.day}, ${last.dimension}, ${last.value})`,
        ),
      )
      .orderBy(day, dimension, value)
      .limit(COUNTS),
  )
  for await (const page of pages) {
    for (const { value, ...row } of page) yield { ...row, value: value === '' ? null : value }
  }
}

/** How often each link of a bundle was opened, by day. */
export async function* opensOf({ db }: Store, bundleId: number) {
  const { day, link, opens } = dailyOpens
  type Row = { day: string; link: Buffer; url: string; opens: number }
  const pages = inPages<Row>(COUNTS, (last) =>
    db
      .select({ day, link, url: openedLinks.url, opens })
      .from(dailyOpens)
      .innerJoin(openedLinks, and(eq(openedLinks.bundleId, dailyOpens.bundleId), eq(openedLinks.link, link)))
      .where(
        and(
          eq(dailyOpens.bundleId, bundleId),
          last === undefined ? undefined : sql`(${day}, ${link}) > (${last.day}, ${last.link})`,
        ),
      )
      .orderBy(day, link)
      .limit(COUNTS),
  )
  for await (const page of pages) {
    for (const { link: _, ...row } of page) yield row
  }
}

/** Reads page after page, each after the last row of the one before it. */
export async function* inPages<Row>(
  size: number,
  read: (last: Row | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let last: Row | undefined; ; ) {
    const page = await read(last)
    yield page
    if (page.length < size) return
    last = page.at(-1)
  }
}
