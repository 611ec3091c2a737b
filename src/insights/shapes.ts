import { type } from 'arktype'
import type { Dimension } from '../../db/schema.ts'
import { lazy } from '../core/lazy.ts'
import { refuse, Time } from '../core/shape.ts'
import { DAY_MS } from '../core/time.ts'
import { dayNumber, dayOf } from '../launcher/salts.ts'

/** A day of the calendar, as `2026-11-20`. */
const Day = lazy(() =>
  type('string')
    .configure({ format: 'date' }, 'self')
    .narrow((day, ctx) => isDay(day) || refuse(ctx, { code: 'not_a_day' })),
)

const DAYS = { '7d': 7, '30d': 30, '90d': 90 } as const
export const RANGES = Object.keys(DAYS)
const DEFAULT_RANGE = '30d'

/** The names of the breakdowns, and the dimension of each. */
export const BREAKDOWNS = {
  referrers: 'referrer',
  devices: 'device',
  languages: 'language',
  countries: 'country',
} as const satisfies Record<string, Dimension>
type BreakdownName = keyof typeof BREAKDOWNS

/** What CSV may have instead of the days. */
const TABLES = [...(Object.keys(BREAKDOWNS) as BreakdownName[]), 'rules', 'tabs'] as const
export type TableName = (typeof TABLES)[number]

/** As many as three months have, so that no report costs more than that of the longest range. */
const MAX_DAYS = 92

/** How the days of a report are asked for. */
const daysAsked = {
  // Typed as the useful values; accepts anything.
  'range?': type('unknown').configure({ enum: RANGES, default: DEFAULT_RANGE }, 'self').as<keyof typeof DAYS>(),
  'from?': Day(),
  'to?': Day(),
} as const

/** The query of GET /api/links/:slug/insights: any other range means the default. */
export const InsightsQuery = type({
  slug: 'string',
  ...daysAsked,
  'breakdown?': type.enumerated(...TABLES),
  '+': 'reject',
}).narrow(areDays)

/** The query of GET /api/me/insights: its days are asked for likewise. */
export const OverviewQuery = type({ ...daysAsked, '+': 'reject' }).narrow(areDays)

/** Refuses days that are no report’s. */
function areDays(query: { range?: unknown; from?: string; to?: string }, ctx: Parameters<typeof refuse>[0]): boolean {
  if (query.from === undefined && query.to === undefined) return true
  if (query.range !== undefined) return refuse(ctx, { code: 'beside_range' }, query.from === undefined ? 'to' : 'from')
  const now = Date.now()
  const last = query.to ?? dayOf(now)
  if (last > dayOf(now)) return refuse(ctx, { code: 'after_today' }, 'to')
  const { days } = periodOf(query, now)
  // Without `to`, its day is at fault.
  if (days < 1)
    return refuse(ctx, query.to ? { code: 'ends_before_it_begins' } : { code: 'after_today' }, query.to ? 'to' : 'from')
  return days <= MAX_DAYS || refuse(ctx, { code: 'too_many_days', max: MAX_DAYS }, 'from')
}

/** The days of a report. */
export interface Period {
  /** The first millisecond of the first day. */
  from: number
  days: number
}

/** The days that a query asks for: those from one to another, or those of a range, including today. */
export function periodOf({ range, from, to }: { range?: unknown; from?: string; to?: string }, now: number): Period {
  const last = dayNumber(to ?? dayOf(now))
  const asked = isRange(range) ? DAYS[range] : DAYS[DEFAULT_RANGE]
  const first = from === undefined ? last - asked + 1 : dayNumber(from)
  return { from: first * DAY_MS, days: last - first + 1 }
}

/** Whether it is one of the ranges that are not replaced by the default. */
export function isRange(range: unknown): range is keyof typeof DAYS {
  return RANGES.includes(range as string)
}

/** Counts, and clicks per view: 4 decimals, 0 without views. */
const counts = {
  views: 'number.integer >= 0',
  openAllClicks: 'number.integer >= 0',
  openAllRate: 'number >= 0',
} as const

const totals = { ...counts, uniqueViewerDays: 'number.integer >= 0', '+': 'reject' } as const

const Breakdown = type({
  values: type({ value: 'string | null', views: 'number.integer >= 1', '+': 'reject' }).array(),
  other: 'number.integer >= 0',
  '+': 'reject',
}).configure({ named: 'Breakdown' }, 'self')

export type Breakdown = typeof Breakdown.infer

/** What reports of one bundle and of all have. */
const days = lazy(
  () =>
    ({
      range: type({ from: Time(), to: Time(), '+': 'reject' }),
      'requestedRange?': 'string',
      totals: type(totals),
      previous: type(totals),
      series: type({
        day: type('string').configure({ format: 'date' }, 'self'),
        views: 'number.integer >= 0',
        openAllClicks: 'number.integer >= 0',
        '+': 'reject',
      }).array(),
    }) as const,
)

/** The insights of all bundles of a subject. */
export const Overview = lazy(() =>
  type({
    ...days(),
    topBundles: type({ slug: 'string', title: 'string | null', ...counts, '+': 'reject' }).array(),
    '+': 'reject',
  }).configure({ named: 'Overview' }, 'self'),
)

export type Overview = ReturnType<typeof Overview>['infer']

/** The insights of a bundle. */
export const Insights = lazy(() =>
  type({
    slug: 'string',
    ...days(),
    breakdowns: type({
      referrers: Breakdown,
      devices: Breakdown,
      languages: Breakdown,
      'countries?': Breakdown,
      '+': 'reject',
    }),
    tabs: type({ url: 'string', opens: 'number.integer >= 0', '+': 'reject' }).array(),
    byRule: type({ ruleId: 'string | null', ruleName: 'string', ...counts, '+': 'reject' }).array(),
    '+': 'reject',
  }).configure({ named: 'Insights' }, 'self'),
)

export type Insights = ReturnType<typeof Insights>['infer']
/** One row of counts. */
export type Counts = Omit<Insights['totals'], 'uniqueViewerDays'>

function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
