import { type } from 'arktype'
import { lazy } from '../core/lazy.ts'
import { Time } from '../core/shape.ts'

const DAYS = { '7d': 7, '30d': 30, '90d': 90 } as const
const RANGES = Object.keys(DAYS)
const DEFAULT_RANGE = '30d'

/** The query of GET /api/links/:slug/insights (spec 4.7): any other range is the default, silently. */
export const InsightsQuery = type({
  slug: 'string',
  // Typed as what there is to send; anything comes through.
  'range?': type('unknown').configure({ enum: RANGES, default: DEFAULT_RANGE }, 'self').as<keyof typeof DAYS>(),
  '+': 'reject',
})

/** How many days a range has, today included. */
export function daysIn(range: unknown): number {
  return DAYS[RANGES.includes(range as string) ? (range as keyof typeof DAYS) : DEFAULT_RANGE]
}

/** Counts, and clicks for each view: 4 decimals, 0 without views (decisions 7). */
const counts = {
  views: 'number.integer >= 0',
  openAllClicks: 'number.integer >= 0',
  openAllRate: 'number >= 0',
} as const

/** What a bundle's owner is told of its viewers (spec 4.7). */
export const Insights = lazy(() =>
  type({
    slug: 'string',
    range: type({ from: Time(), to: Time(), '+': 'reject' }),
    totals: type({ ...counts, uniqueViewerDays: 'number.integer >= 0', '+': 'reject' }),
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
/** One line of them. */
export type Counts = Omit<Insights['totals'], 'uniqueViewerDays'>
