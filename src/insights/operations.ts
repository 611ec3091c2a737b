import { loadFor, type StoredBundle } from '../bundles/edit/bundles.ts'
import { type CsvReader, csvLine } from '../core/csv.ts'
import { clip } from '../core/issue-words.ts'
import { invalid } from '../core/problem.ts'
import { signedIn } from '../identity/caller.ts'
import { type CallContext, implement } from '../operations/operation.ts'
import { overview } from './overview.ts'
import { report } from './report.ts'
import {
  Insights,
  InsightsQuery,
  isRange,
  Overview,
  OverviewQuery,
  periodOf,
  RANGES,
  type TableName,
} from './shapes.ts'

/** A bundle with its counts. */
interface Reported {
  bundle: StoredBundle
  insights: Insights
  /** The table for CSV, in place of the days. */
  breakdown: TableName | undefined
  /** The reported days, for the name of a file. */
  period: string
}

/** GET /api/links/:slug/insights. */
export const getInsights = implement('get_insights', {
  summary: 'Count views, viewers, clicks on Open all and opened tabs, by day, rule, referrer, device and language',
  description:
    'Reports how a bundle is used: views, clicks on Open all and clicks per view, in total, per UTC day and per rule; totals of ' +
    'the period before; opens of each tab; and views by referring site, device and language.',
  input: InsightsQuery,
  output: Insights,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  // Its page shows the bundle too.
  present: ({ insights }: Reported) => insights,
  csv: toCsv,
  async run({ slug, breakdown, ...asked }, { service: { store, config }, caller, source }) {
    const replaced = replacedRange(asked.range, source)
    const bundle = await loadFor(store.db, signedIn(caller), slug, 'viewer')
    const withCountries = config.countryHeader !== undefined
    const now = Date.now()
    const reported = await report(store, bundle, { ...periodOf(asked, now), now, withCountries })
    const insights = { ...reported, ...replaced }
    const isChosen = asked.from !== undefined || asked.to !== undefined
    const days = insights.series.map(({ day }) => day)
    const period = isChosen ? `${days[0]}-to-${days.at(-1)}` : `${days.length}d`
    return { bundle, insights, breakdown, period }
  },
})

/** GET /api/me/insights. */
export const getOverview = implement('get_overview', {
  summary: 'Count views, viewers and clicks on Open all of all your bundles, by day, with the most viewed ones',
  description:
    'Reports how all bundles of the caller’s workspace are used together: totals, the totals of the period before, counts ' +
    'per UTC day, and the ten most viewed bundles. Deleted bundles are left out. With very many bundles, counts may be a ' +
    'minute old; `range.to` says until when they go.',
  input: OverviewQuery,
  output: Overview,
  async run(asked, { service: { store }, caller, source }) {
    const replaced = replacedRange(asked.range, source)
    const now = Date.now()
    return { ...(await overview(store, signedIn(caller), { ...periodOf(asked, now), now })), ...replaced }
  },
})

/**
 * The answer's note about an invalid range, which the specification replaces by the default over HTTP.
 * @throws a problem for tools, whose invalid ranges are refused.
 */
function replacedRange(range: unknown, source: CallContext['source']): { requestedRange?: string } {
  if (range === undefined || isRange(range)) return {}
  if (source === 'mcp') throw invalid([{ path: ['range'], reason: { code: 'no_option', options: RANGES } }])
  return { requestedRange: clip(String(range)) }
}

/** The days of a report as CSV (RFC 4180), one line each after a header; or another table of the report. */
function toCsv({ insights, breakdown: table, period }: Reported, reader: CsvReader) {
  const { slug } = insights
  const [header, rows] = tableOf(insights, table)
  const lines = rows.map((cells) => csvLine(cells, reader))
  const filename = `${slug}-${table ?? 'insights'}-${period}.csv`
  return { filename, text: [header, ...lines, ''].join('\r\n') }
}

type Rows = (string | number)[][]

function tableOf({ series, breakdowns, byRule, tabs }: Insights, table?: TableName): [header: string, rows: Rows] {
  if (table === undefined) {
    return ['day,views,openAllClicks', series.map(({ day, views, openAllClicks }) => [day, views, openAllClicks])]
  }
  if (table === 'tabs') return ['url,opens', tabs.map(({ url, opens }) => [url, opens])]
  if (table === 'rules') {
    const rows = byRule.map(({ ruleId, ruleName, views, openAllClicks, openAllRate }) => {
      return [ruleId ?? '', ruleName, views, openAllClicks, openAllRate]
    })
    return ['ruleId,ruleName,views,openAllClicks,openAllRate', rows]
  }
  const { values, other } = breakdowns[table] ?? { values: [], other: 0 }
  const rows: Rows = values.map(({ value, views }) => [value ?? '(none)', views])
  return ['value,views', other > 0 ? [...rows, ['(other)', other]] : rows]
}
