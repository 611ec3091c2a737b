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
import { BREAKDOWN_WORDS, NO_RULE, titlesOf } from './words.ts'

/** A bundle with its counts. */
interface Reported {
  bundle: StoredBundle
  insights: Insights
  /** The distinct viewers of each day that had any. */
  viewers: ReadonlyMap<string, number>
  /** The table for CSV, in place of the days. */
  breakdown: TableName | undefined
  /** The reported days, for the name of a file. */
  period: string
}

/** GET /api/links/:slug/insights. */
export const getInsights = implement('get_insights', {
  summary: 'Count views, viewers, clicks on Open all and opened tabs, by day, rule, referrer, device and language',
  description:
    'Reports how a bundle is used: views, clicks on Open all and clicks per view, in total, before, per UTC day and per rule; ' +
    'opens of each tab; and views by referring site, device and language.',
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
    const { insights: reported, viewers } = await report(store, bundle, { ...periodOf(asked, now), now, withCountries })
    const insights = { ...reported, ...replaced }
    const isChosen = asked.from !== undefined || asked.to !== undefined
    const days = insights.series.map(({ day }) => day)
    const period = isChosen ? `${days[0]}-to-${days.at(-1)}` : `${days.length}d`
    return { bundle, insights, viewers, breakdown, period }
  },
})

/** GET /api/me/insights. */
export const getOverview = implement('get_overview', {
  summary: 'Count views, viewers and clicks on Open all of all your bundles, by day, with the most viewed ones',
  description:
    'Reports how all bundles of the workspace are used together: totals, also of the period before, counts per UTC day, and ' +
    'the ten most viewed bundles. Counts of very many bundles may be a minute old: see `range.to`.',
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
function toCsv(reported: Reported, reader: CsvReader) {
  const { insights, breakdown: table, period } = reported
  const { slug } = insights
  const [header, rows] = tableOf(reported, reader)
  const lines = rows.map((cells) => csvLine(cells, reader))
  const filename = `${slug}-${table ?? 'insights'}-${period}.csv`
  return { filename, text: [header, ...lines, ''].join('\r\n') }
}

type Rows = (string | number)[][]

/** For people in the words of the page; programs get the values of the JSON. */
function tableOf({ bundle, insights, viewers, breakdown: table }: Reported, reader: CsvReader): [string, Rows] {
  const { series, breakdowns, byRule, tabs } = insights
  if (table === undefined) {
    const rows = series.map(({ day, views, openAllClicks }) => [day, views, openAllClicks, viewers.get(day) ?? 0])
    return ['day,views,openAllClicks,dailyVisitors', rows]
  }
  if (table === 'tabs') {
    const titles = titlesOf(bundle)
    return ['url,opens,title', tabs.map(({ url, opens }) => [url, opens, titles.get(url) ?? ''])]
  }
  const isForPeople = reader === 'person'
  if (table === 'rules') {
    const rows = byRule.map(({ ruleId, ruleName, views, openAllClicks, openAllRate }) => {
      return [ruleId ?? '', ruleId === null && isForPeople ? NO_RULE : ruleName, views, openAllClicks, openAllRate]
    })
    return ['ruleId,ruleName,views,openAllClicks,openAllRate', rows]
  }
  const words = isForPeople ? BREAKDOWN_WORDS[table] : VALUES
  const { values, other } = breakdowns[table] ?? { values: [], other: 0 }
  const rows: Rows = values.map(({ value, views }) => [value === null ? words.none : words.nameOf(value), views])
  return ['value,views', other > 0 ? [...rows, [words.other, other]] : rows]
}

/** Breakdowns for programs: their values as they are. */
const VALUES = { nameOf: (value: string) => value, none: '(none)', other: '(other)' }
