import { type } from 'arktype'
import type { Dimension } from '../../db/schema.ts'
import { BundleTitle, Slug } from '../core/fields.ts'
import { lazy } from '../core/lazy.ts'
import { checked, object, refuse, says, Time } from '../core/shape.ts'
import { DAY_MS } from '../core/time.ts'
import { dayNumber, dayOf } from '../launcher/salts.ts'
import { base } from '../policies/answers.ts'
import { TAB_DOCS } from '../policies/shapes.ts'

/** A calendar day, as `2026-11-20`. */
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

/** The tables that CSV may have in place of the days. */
const TABLES = [...(Object.keys(BREAKDOWNS) as BreakdownName[]), 'rules', 'tabs'] as const
export type TableName = (typeof TABLES)[number]

/** The days of three months, so that no report costs more than one over the longest range. */
const MAX_DAYS = 92

/** The query fields that select the days of a report. */
const daysAsked = {
  // Typed as the useful values; accepts anything.
  'range?': says(
    type('unknown').configure({ enum: RANGES, default: DEFAULT_RANGE }, 'self'),
    'The days, today included.',
    '7d',
  ).as<keyof typeof DAYS>(),
  'from?': says(Day(), 'The first UTC day, instead of `range`.', '2026-10-01'),
  'to?': says(Day(), 'The last UTC day, at most 91 after the first; default: today.', '2026-10-31'),
} as const

const ofBundle = object({
  slug: Slug,
  ...daysAsked,
  'breakdown?': says(
    type.enumerated(...TABLES),
    'With `format=csv`, the table to get instead of the days. JSON always has all.',
    'referrers',
  ),
})
const ofAll = object(daysAsked)

/** The query of GET /api/links/:slug/insights. Any other range means the default. */
export const InsightsQuery = checked(ofBundle, ofBundle.narrow(areDays))

/** The query of GET /api/me/insights, with the same days. */
export const OverviewQuery = checked(ofAll, ofAll.narrow(areDays))

/** Refuses invalid days. */
function areDays(query: { range?: unknown; from?: string; to?: string }, ctx: Parameters<typeof refuse>[0]): boolean {
  if (query.from === undefined && query.to === undefined) return true
  if (query.range !== undefined) return refuse(ctx, { code: 'beside_range' }, query.from === undefined ? 'to' : 'from')
  const now = Date.now()
  const last = query.to ?? dayOf(now)
  if (last > dayOf(now)) return refuse(ctx, { code: 'after_today' }, 'to')
  const { days } = periodOf(query, now)
  // Without `to`, the error belongs to `from`.
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

/** The days that a query selects: from one day to another, or a range that includes today. */
export function periodOf({ range, from, to }: { range?: unknown; from?: string; to?: string }, now: number): Period {
  const last = dayNumber(to ?? dayOf(now))
  const asked = isRange(range) ? DAYS[range] : DAYS[DEFAULT_RANGE]
  const first = from === undefined ? last - asked + 1 : dayNumber(from)
  return { from: first * DAY_MS, days: last - first + 1 }
}

/** Whether a range is valid; others are replaced by the default. */
export function isRange(range: unknown): range is keyof typeof DAYS {
  return RANGES.includes(range as string)
}

// Exports have these counts too.
export const DAY_DOC = ['The UTC day.', '2026-11-20'] as const
export const OPENS_DOC = ['How often it was opened, alone or by “Open all”.', 31] as const
export const RULE_ID_DOC = ['The rule; null for viewers who matched none.', 'r_4fGk2bNq8Z'] as const
export const CLICKS_DOC = ['How often “Open all” was clicked.', 48] as const
export const VIEWS_DOC = ['How often people opened the link; bots are not counted.', 120] as const

/** Counts, and clicks per view: 4 decimals, 0 without views. */
const counts = {
  views: says('number.integer >= 0', ...VIEWS_DOC),
  openAllClicks: says('number.integer >= 0', ...CLICKS_DOC),
  openAllRate: says('number >= 0', 'Clicks per view, to 4 decimals; 0 without views.', 0.4),
} as const

const totals = object({
  ...counts,
  uniqueViewerDays: says(
    'number.integer >= 0',
    'The sum of each day’s distinct viewers, an estimate where one network has more than 512.',
    64,
  ),
})

const Breakdown = object(
  {
    values: says(
      object({
        value: says('string | null', 'The value; null if there is none.', 'news.example'),
        views: says('number.integer >= 1', 'The views with this value.', 42),
      }).array(),
      'The most frequent values, most views first; at most 20.',
    ),
    other: says('number.integer >= 0', 'The views with any other value.', 7),
  },
  'Breakdown',
)

export type Breakdown = typeof Breakdown.infer

/** The fields of reports on one bundle and on all. */
const days = lazy(
  () =>
    ({
      range: says(
        object({
          from: says(Time(), 'The start of the first day, in UTC.', '2026-11-14T00:00:00.000Z'),
          to: says(Time(), 'The end of the last day, or now.', '2026-11-20T09:30:00.000Z'),
        }),
        'The period counted.',
      ),
      'requestedRange?': says('string', 'The requested range, if it is unknown and the default replaced it.', '14d'),
      totals: says(totals, 'The totals of the period.'),
      previous: says(totals, 'The totals of the period of the same length before.'),
      series: says(
        object({
          day: says(type('string').configure({ format: 'date' }, 'self'), ...DAY_DOC),
          views: counts.views,
          openAllClicks: counts.openAllClicks,
        }).array(),
        'Counts per day, oldest first, without gaps.',
      ),
    }) as const,
)

/** The insights of all bundles of a subject. */
export const Overview = lazy(() =>
  object(
    {
      ...days(),
      topBundles: says(
        object({ slug: Slug, title: BundleTitle, ...counts }).array(),
        'The most viewed bundles of the period, at most 10; those without views and clicks are left out.',
      ),
    },
    'Overview',
  ),
)

export type Overview = ReturnType<typeof Overview>['infer']

/** The insights of a bundle. */
export const Insights = lazy(() =>
  object(
    {
      slug: Slug,
      ...days(),
      breakdowns: says(
        object({
          referrers: says(Breakdown, 'By the host of the site with the link; null for none.'),
          devices: says(Breakdown, 'By kind of device: desktop, mobile or tablet; null if unknown.'),
          languages: says(Breakdown, 'By preferred language, without its region; null if unknown.'),
          'countries?': says(Breakdown, 'By country code; null if unknown. Only where SERVICE_COUNTRY_HEADER is set.'),
        }),
        'Views by what requests say of their viewers, each on its own.',
      ),
      tabs: says(
        object({
          url: says('string', ...TAB_DOCS.url),
          opens: says('number.integer >= 0', ...OPENS_DOC),
        }).array(),
        'How often each link was opened: those of the bundle and its rules in order; then those gone.',
      ),
      byRule: says(
        object(
          {
            ruleId: says('string | null', ...RULE_ID_DOC),
            ruleName: says(
              'string',
              'Its current name; “(removed rule)” and “Fallthrough” are not rules.',
              'Acme staff',
            ),
            ...base(),
            ...counts,
          },
          'RuleCounts',
        ).array(),
        'Counts per rule, in order; then removed rules; then viewers who matched none.',
      ),
    },
    'Insights',
  ),
)

export type Insights = ReturnType<typeof Insights>['infer']
/** One row of counts. */
export type Counts = Omit<Insights['totals'], 'uniqueViewerDays'>

function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
