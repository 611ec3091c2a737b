import { type } from 'arktype'

/** The query of GET /api/links/:slug/insights (spec 4.7): any other range is the default, silently. */
export const InsightsQuery = type({
  slug: 'string',
  'range?': type('unknown').describe('7d, 30d (the default) or 90d'),
  '+': 'reject',
})

const DAYS: ReadonlyMap<unknown, number> = new Map([
  ['7d', 7],
  ['30d', 30],
  ['90d', 90],
])
const DEFAULT_DAYS = 30

/** How many days a range has, today included. */
export function daysIn(range: unknown): number {
  return DAYS.get(range) ?? DEFAULT_DAYS
}

/** Counts, and clicks for each view: 4 decimals, 0 without views (decisions 7). */
export interface Tally {
  views: number
  openAllClicks: number
  openAllRate: number
}

/** What a bundle's owner is told of its viewers (spec 4.7). */
export interface Insights {
  slug: string
  /** ISO 8601: 00:00 UTC of the first day, and now. */
  range: { from: string; to: string }
  /** `uniqueViewerDays` adds up the distinct viewers of each day; nobody is known from one day to the next. */
  totals: Tally & { uniqueViewerDays: number }
  /** `ruleId` is null for views that no rule matched. */
  byRule: (Tally & { ruleId: string | null; ruleName: string })[]
  /** A day each, `YYYY-MM-DD` in UTC, oldest first, none left out. */
  series: { day: string; views: number; openAllClicks: number }[]
}
