import { loadFor, type StoredBundle } from '../bundles/roles.ts'
import { signedIn } from '../identity/caller.ts'
import { implement } from '../operations/operation.ts'
import { report } from './report.ts'
import { type BreakdownName, daysIn, Insights, InsightsQuery } from './shapes.ts'

/** A bundle with its counts. */
interface Reported {
  bundle: StoredBundle
  insights: Insights
  /** What CSV has instead of the days. */
  breakdown: BreakdownName | undefined
}

/** GET /api/links/:slug/insights. */
export const getInsights = implement('get_insights', {
  summary: 'Count views, viewers and clicks on Open all, by day, rule, referrer, device and language',
  description:
    'Reports how a bundle is used: views of its link, clicks on “Open all” and clicks per view, in total, per UTC ' +
    'day and per rule of its policy; the same totals of the period before; and views by referring site, device ' +
    'and language.',
  input: InsightsQuery,
  output: Insights,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  // Its page shows the bundle too.
  present: ({ insights }: Reported) => insights,
  csv: ({ insights, breakdown }) => toCsv(insights, breakdown),
  async run({ slug, range, breakdown }, { service: { store, config }, caller }) {
    const bundle = await loadFor(store.db, signedIn(caller), slug, 'viewer')
    const withCountries = config.countryHeader !== undefined
    const insights = await report(store, bundle, { days: daysIn(range), now: Date.now(), withCountries })
    return { bundle, insights, breakdown }
  },
})

/**
 * The days of a report as CSV (RFC 4180), one line each after a header; or one of its breakdowns, one line per value.
 * Values are hosts, codes and names of ours, none of which needs quotes.
 */
function toCsv({ slug, series, breakdowns }: Insights, breakdown?: BreakdownName) {
  if (breakdown === undefined) {
    const lines = series.map(({ day, views, openAllClicks }) => `${day},${views},${openAllClicks}`)
    return fileOf(`${slug}-insights-${series.length}d.csv`, 'day,views,openAllClicks', lines)
  }
  const { values, other } = breakdowns[breakdown] ?? { values: [], other: 0 }
  const lines = values.map(({ value, views }) => `${value ?? '(none)'},${views}`)
  if (other > 0) lines.push(`(other),${other}`)
  return fileOf(`${slug}-${breakdown}-${series.length}d.csv`, 'value,views', lines)
}

function fileOf(filename: string, header: string, lines: readonly string[]): { filename: string; text: string } {
  return { filename, text: [header, ...lines, ''].join('\r\n') }
}
