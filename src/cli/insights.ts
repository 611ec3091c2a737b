import type { Client } from '../sdk/openall.ts'
import { print, printTable, styled } from './output.ts'

const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const

type BreakdownName = keyof Insights['breakdowns']

interface BreakdownWords {
  title: string
  /** The text for a missing value. */
  none: string
}

const BREAKDOWNS: Record<BreakdownName, BreakdownWords> = {
  referrers: { title: 'REFERRER', none: '(none)' },
  devices: { title: 'DEVICE', none: '(unknown)' },
  languages: { title: 'LANGUAGE', none: '(unknown)' },
  countries: { title: 'COUNTRY', none: '(unknown)' },
}
const NAMES = Object.keys(BREAKDOWNS) as BreakdownName[]

/** The tables besides the days, as in CSV. */
export const TABLES = [...NAMES, 'rules', 'tabs'] as const

/** Prints the insights of one bundle, or of all together. */
export function printInsights(answer: Insights | Overview): void {
  if ('topBundles' in answer) {
    printTotals('All bundles', answer)
    printTop(answer)
    return
  }
  printTotals(answer.slug, answer)
  printTabs(answer)
  printRules(answer)
  for (const name of NAMES) printBreakdown(BREAKDOWNS[name], answer.breakdowns[name])
}

type Insights = Awaited<ReturnType<Client['getInsights']>>
type Overview = Awaited<ReturnType<Client['getOverview']>>

function printTotals(of: string, { range, totals, previous, series }: Insights | Overview): void {
  print(styled('bold', `${of}, ${range.from.slice(0, 10)} to ${range.to.slice(0, 10)} (UTC days)`))
  const lines = [
    ['views', totals.views, sparkline(series.map(({ views }) => views))],
    ['open-all clicks', totals.openAllClicks, sparkline(series.map(({ openAllClicks }) => openAllClicks))],
    ['viewers, day by day', totals.uniqueViewerDays, ''],
  ] as const
  const width = Math.max(...lines.map(([, number]) => String(number).length))
  for (const [name, number, line] of lines) {
    print(`${name.padEnd(20)} ${String(number).padStart(width)}  ${styled('cyan', line)}`.trimEnd())
  }
  print(`${'open rate'.padEnd(20)} ${percent(totals.openAllRate)}`)
  const { views, openAllClicks, uniqueViewerDays } = previous
  const before = `views: ${views}, clicks: ${openAllClicks}, viewers: ${uniqueViewerDays}`
  print(`${`${series.length} days before`.padEnd(20)} ${before}`)
}

const COUNTS = {
  VIEWS: ({ views }: { views: number }) => String(views),
  CLICKS: ({ openAllClicks }: { openAllClicks: number }) => String(openAllClicks),
  RATE: ({ openAllRate }: { openAllRate: number }) => percent(openAllRate),
}

function printTop({ topBundles }: Overview): void {
  if (topBundles.length === 0) return
  print()
  printTable(topBundles, { ...COUNTS, SLUG: 'slug', TITLE: 'title' })
}

function printTabs({ tabs }: Insights): void {
  if (tabs.every(({ opens }) => opens === 0)) return
  print()
  printTable(tabs, { OPENS: 'opens', TAB: 'url' })
}

function printRules({ byRule }: Insights): void {
  if (byRule.length < 2) return
  print()
  printTable(byRule, { ...COUNTS, RULE: 'ruleName' })
}

function printBreakdown({ title, none }: BreakdownWords, breakdown: Insights['breakdowns']['referrers'] | undefined) {
  if (breakdown === undefined || breakdown.values.length === 0) return
  print()
  const { values, other } = breakdown
  const entries = other > 0 ? [...values, { value: '(other)', views: other }] : values
  printTable(entries, { VIEWS: COUNTS.VIEWS, [title]: ({ value }) => value ?? none })
}

/** One bar per number, relative to the highest; only zero has the lowest bar. */
function sparkline(counts: readonly number[]): string {
  const most = Math.max(1, ...counts)
  return counts.map((count) => LEVELS[Math.ceil((count / most) * (LEVELS.length - 1))]).join('')
}

function percent(rate: number): string {
  return `${(rate * 100).toFixed(1)} %`
}
