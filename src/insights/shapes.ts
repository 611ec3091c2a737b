import { type } from 'arktype'
import type { Dimension } from '../../db/schema.ts'
import { lazy } from '../core/lazy.ts'
import { Time } from '../core/shape.ts'

const DAYS = { '7d': 7, '30d': 30, '90d': 90 } as const
const RANGES = Object.keys(DAYS)
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

/** The query of GET /api/links/:slug/insights: any other range silently means the default. */
export const InsightsQuery = type({
  slug: 'string',
  // Typed as the useful values; accepts anything.
  'range?': type('unknown').configure({ enum: RANGES, default: DEFAULT_RANGE }, 'self').as<keyof typeof DAYS>(),
  'breakdown?': type.enumerated(...TABLES),
  '+': 'reject',
})

/** The number of days in a range, including today. */
export function daysIn(range: unknown): number {
  return DAYS[RANGES.includes(range as string) ? (range as keyof typeof DAYS) : DEFAULT_RANGE]
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

/** The insights of a bundle. */
export const Insights = lazy(() =>
  type({
    slug: 'string',
    range: type({ from: Time(), to: Time(), '+': 'reject' }),
    totals: type(totals),
    previous: type(totals),
    breakdowns: type({
      referrers: Breakdown,
      devices: Breakdown,
      languages: Breakdown,
      'countries?': Breakdown,
      '+': 'reject',
    }),
    tabs: type({ url: 'string', opens: 'number.integer >= 0', '+': 'reject' }).array(),
    byRule: type({ ruleId: 'string | null', ruleName: 'string', ...counts, '+': 'reject' }).array(),
    series: type({
      day: type('string').configure({ format: 'date' }, 'self'),
      views: 'number.integer >= 0',
      openAllClicks: 'number.integer >= 0',
      '+': 'reject',
    }).array(),
    '+': 'reject',
  }).configure({ named: 'Insights' }, 'self'),
)

export type Insights = ReturnType<typeof Insights>['infer']
/** One row of counts. */
export type Counts = Omit<Insights['totals'], 'uniqueViewerDays'>
