import { and, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Store } from '../../db/client.ts'
import { param, prepared, preparedStatements } from '../../db/prepared.ts'
import { bundles, dailyCounters, dailyViewers, policyRules } from '../../db/schema.ts'
import { isListed, ownerOf } from '../bundles/list/list-order.ts'
import { inLongReadSlot } from '../core/scheduling.ts'
import { DAY_MS, iso } from '../core/time.ts'
import type { SignedIn, Subject } from '../identity/caller.ts'
import { dayOf } from '../launcher/salts.ts'
import { subjectIdOf } from '../plans/owners.ts'
import { countsOf, seriesOf } from './report.ts'
import type { Counts, Overview, Period } from './shapes.ts'

/** How many of the most viewed bundles are listed. */
const TOP = 10
/** Bundles found at a time. */
const PAGE = 1_000
/** Rows of counts summed at a time, off the event loop: some tenths of a second, so that other long reads get their turn. */
const ROWS_AT_ONCE = 200_000
/** How long counts are cached for a subject that takes several reads. */
const KEPT_MS = 60_000
/** Maximum cached periods of subjects; each is a few kilobytes. */
const MAX_KEPT = 500

/** The counts, with the most viewed bundles by id. */
interface Counted {
  /** When they expire, in milliseconds since 1970. */
  at: number
  reads: number
  days: Map<string, Counts>
  previous: { views: number; clicks: number }
  viewers: number
  previousViewers: number
  top: Sum[]
}

type Sum = [key: number, views: number, clicks: number]

const keptIn = prepared(() => new LRUCache<string, Promise<Counted>>({ max: MAX_KEPT, ttl: KEPT_MS }))

/**
 * The counts of all bundles of the caller’s subject for `days` UTC days, its totals over as many days before, and the most viewed
 * bundles. Reads one row per bundle, day and rule, off the event loop and a limited number at a time, so the cost does not depend
 * on the number of views. Results that took several reads are cached for a minute, and concurrent calls share them.
 * @param from the first instant of the first day.
 * @param now milliseconds since 1970.
 */
export async function overview(
  store: Store,
  { subject, userId }: SignedIn,
  { from, days, now }: Period & { now: number },
): Promise<Overview> {
  const counted = await keptOrCounted(store, subject, userId, { from, days, now })
  const series = seriesOf(counted.days, from, days)
  const total = (of: 'views' | 'openAllClicks') => series.reduce((sum, day) => sum + day[of], 0)
  const { previous, viewers, previousViewers, at } = counted
  return {
    range: { from: iso(from), to: iso(Math.min(at, from + days * DAY_MS - 1)) },
    totals: { ...countsOf(total('views'), total('openAllClicks')), uniqueViewerDays: viewers },
    previous: { ...countsOf(previous.views, previous.clicks), uniqueViewerDays: previousViewers },
    topBundles: await namedOf(store, subject, counted.top),
    series,
  }
}

function keptOrCounted(
  store: Store,
  subject: Subject,
  userId: string,
  period: Period & { now: number },
): Promise<Counted> {
  const kept = keptIn(store.db)
  const key = JSON.stringify([subject.type, subjectIdOf(subject), period.from, period.days])
  const known = kept.get(key)
  if (known !== undefined) return known
  const counting = count(store, subject, userId, period)
  kept.set(key, counting)
  const drop = () => kept.delete(key)
  counting.then(({ reads }) => (reads > 1 ? undefined : drop()), drop)
  return counting
}

async function count(
  store: Store,
  subject: Subject,
  userId: string,
  { from, days, now }: Period & { now: number },
): Promise<Counted> {
  const [first, last] = [dayOf(from), dayOf(from + (days - 1) * DAY_MS)]
  const [before, until] = [dayOf(from - days * DAY_MS), dayOf(from - DAY_MS)]
  const read = async <Result>([query]: ReturnType<typeof page>, none: Result): Promise<Result> => {
    const found = await inLongReadSlot(userId, () => store.readLong(query!))
    return found === null ? none : JSON.parse(String(found))
  }
  const sum: Counted = {
    at: now,
    reads: 0,
    days: new Map(),
    previous: { views: 0, clicks: 0 },
    viewers: 0,
    previousViewers: 0,
    top: [],
  }
  const owner = subjectIdOf(subject)
  for (let after = 0, isMore = true; isMore; ) {
    const found: [id: number, rules: number][] = await read(page(store.db, subject.type, { owner, after }), [])
    for (const ids of atOnce(found, 2 * days)) {
      sum.reads += 1
      const values = { ids: JSON.stringify(ids), first, last, before, until }
      add(sum, await read<Part>(summed(store.db, null, values), NONE))
    }
    after = found.at(-1)?.[0] ?? after
    isMore = found.length === PAGE
  }
  return sum
}

/** One page of a subject's bundles, by id, with the number of rules that each has ever had. */
const page = preparedStatements((_, subject: Subject['type']) => {
  // The plus sign prevents the use of an index by id, which would walk over the bundles of others.
  const id = sql`+${bundles.id}`
  const found = sql`SELECT ${bundles.id} AS id FROM ${bundles} WHERE ${isListed({ subject, state: 'active' }, ownerOf(subject))} AND ${id} > ${param('after')} ORDER BY ${id} LIMIT ${sql.raw(String(PAGE))}`
  const rules = sql`(SELECT count(*) FROM ${policyRules} WHERE ${policyRules.bundleId} = found.id)`
  return [sql`SELECT json_group_array(json_array(id, ${rules})) FROM (${found}) AS found`]
})

/** Groups ids so that each group has a limited number of rows; an id with more is alone. */
function atOnce(found: readonly [id: number, rules: number][], days: number): number[][] {
  const parts: number[][] = []
  let rows = Number.POSITIVE_INFINITY
  for (const [id, rules] of found) {
    rows += days * (1 + rules)
    if (rows > ROWS_AT_ONCE) {
      parts.push([])
      rows = days * (1 + rules)
    }
    parts.at(-1)!.push(id)
  }
  return parts
}

/** The sums of some bundles. */
interface Part {
  days: [day: string, views: number, clicks: number][]
  top: Sum[]
  previous: [views: number, clicks: number]
  viewers: number
  previousViewers: number
}

const NONE: Part = { days: [], top: [], previous: [0, 0], viewers: 0, previousViewers: 0 }

const summed = preparedStatements((_, __: null) => {
  const { bundleId, day, views, openAllClicks } = dailyCounters
  const sums = sql`sum(${views}) AS views, sum(${openAllClicks}) AS clicks`
  const own = sql`IN (SELECT value FROM json_each(${param('ids')}))`
  const within = (first: string, last: string) =>
    sql`FROM ${dailyCounters} WHERE ${bundleId} ${own} AND ${day} BETWEEN ${param(first)} AND ${param(last)}`
  const viewers = (first: string, last: string) =>
    sql`(SELECT coalesce(sum(${dailyViewers.viewers}), 0) FROM ${dailyViewers} WHERE ${dailyViewers.bundleId} ${own} AND ${dailyViewers.day} BETWEEN ${param(first)} AND ${param(last)})`
  const byDay = sql`SELECT ${day} AS day, ${sums} ${within('first', 'last')} GROUP BY ${day}`
  const byBundle = sql`SELECT ${bundleId} AS id, ${sums} ${within('first', 'last')} GROUP BY ${bundleId} ORDER BY views DESC, clicks DESC, id LIMIT ${sql.raw(String(TOP))}`
  return [
    sql`SELECT json_object(
      'days', (SELECT json_group_array(json_array(day, views, clicks)) FROM (${byDay})),
      'top', (SELECT json_group_array(json_array(id, views, clicks)) FROM (${byBundle})),
      'previous', (SELECT json_array(coalesce(views, 0), coalesce(clicks, 0)) FROM (SELECT ${sums} ${within('before', 'until')})),
      'viewers', ${viewers('first', 'last')},
      'previousViewers', ${viewers('before', 'until')})`,
  ]
})

function add(sum: Counted, part: Part): void {
  for (const [day, views, clicks] of part.days) {
    const known = sum.days.get(day) ?? countsOf(0, 0)
    sum.days.set(day, countsOf(known.views + views, known.openAllClicks + clicks))
  }
  const [views, clicks] = part.previous
  sum.previous = { views: sum.previous.views + views, clicks: sum.previous.clicks + clicks }
  sum.viewers += part.viewers
  sum.previousViewers += part.previousViewers
  sum.top = [...sum.top, ...part.top.filter(([, views, clicks]) => views + clicks > 0)]
    .sort((a, b) => b[1] - a[1] || b[2] - a[2] || a[0] - b[0])
    .slice(0, TOP)
}

/** Bundles with their slugs and titles, except those that no longer belong to the subject. */
async function namedOf({ db }: Store, subject: Subject, top: readonly Sum[]): Promise<Overview['topBundles']> {
  const ids = JSON.stringify(top.map(([id]) => id))
  const rows = await names[subject.type](db).all({ ids, owner: subjectIdOf(subject) })
  const named = new Map(rows.map(({ id, ...names }) => [id, names]))
  return top.flatMap(([id, views, clicks]) => {
    const names = named.get(id)
    return names === undefined ? [] : [{ ...names, ...countsOf(views, clicks) }]
  })
}

const namesOf = (subject: Subject['type']) =>
  prepared((db) => {
    const { id, slug, title } = bundles
    const isTop = sql`${id} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`
    return db
      .select({ id, slug, title })
      .from(bundles)
      .where(and(isListed({ subject, state: 'active' }), isTop))
      .prepare()
  })
const names = { user: namesOf('user'), organization: namesOf('organization') }
