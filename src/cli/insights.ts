import type { Client } from '../sdk/openall.ts'
import { command, slugIn } from './command.ts'
import { UsageError } from './exit.ts'
import { SLUG } from './operation-command.ts'
import { oneLine, print, printJson, printTable, styled } from './output.ts'

const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const
const RANGES = ['7d', '30d', '90d'] as const

type BreakdownName = keyof Insights['breakdowns']

interface BreakdownWords {
  title: string
  /** Stands for no value. */
  none: string
}

const BREAKDOWNS: Record<BreakdownName, BreakdownWords> = {
  referrers: { title: 'REFERRER', none: '(none)' },
  devices: { title: 'DEVICE', none: '(unknown)' },
  languages: { title: 'LANGUAGE', none: '(unknown)' },
  countries: { title: 'COUNTRY', none: '(unknown)' },
}
const NAMES = Object.keys(BREAKDOWNS) as BreakdownName[]
const TABLES = [...NAMES, 'rules', 'tabs'] as const

export const insights = command({
  summary: 'Show views, viewers, clicks on Open all, opened tabs, and sources of views; or all bundles together',
  examples: [
    'openall insights 4k2mz7qy9p --range 7d',
    'openall insights --range 90d',
    'openall insights 4k2mz7qy9p --csv > views.csv',
    'openall insights 4k2mz7qy9p --csv --breakdown tabs',
  ],
  args: {
    slug: { ...SLUG, required: false, description: 'The bundle: its slug, or its link; default: all together' },
    range: { type: 'enum', options: RANGES, description: 'The period, including today; default: 30d' },
    from: { type: 'string', valueHint: 'day', description: 'The first UTC day, instead of --range: 2026-10-01' },
    to: { type: 'string', valueHint: 'day', description: 'The last UTC day; default: today' },
    csv: { type: 'boolean', description: 'Print the days as CSV' },
    breakdown: { type: 'enum', options: TABLES, description: 'With --csv: print this table instead of the days' },
  },
  async run({ args, server, client }) {
    if (args.csv && args.json) throw new UsageError('give --csv or --json, not both')
    if (args.breakdown !== undefined && !args.csv) throw new UsageError('--breakdown needs --csv')
    const { from, to, range } = args
    if (range !== undefined && (from ?? to) !== undefined)
      throw new UsageError('give --range, or --from and --to, not both')
    const days = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
    const period = { ...days, ...(range === undefined ? {} : { range }) }
    if (args.slug === undefined) {
      if (args.csv) throw new UsageError('--csv needs a bundle')
      const answer = await client.getOverview(period)
      if (args.json) return printJson(answer)
      printTotals('All bundles', answer)
      return printTop(answer)
    }
    const input = { slug: slugIn(args.slug, server), ...period }
    if (args.csv) {
      const { breakdown } = args
      const csv = await client.getInsights.csv(breakdown === undefined ? input : { ...input, breakdown })
      return void process.stdout.write(csv)
    }
    const answer = await client.getInsights(input)
    if (args.json) return printJson(answer)
    printTotals(answer.slug, answer)
    printTabs(answer)
    printRules(answer)
    for (const name of NAMES) printBreakdown(BREAKDOWNS[name], answer.breakdowns[name])
  },
})

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

function printTop({ topBundles }: Overview): void {
  if (topBundles.length === 0) return
  print()
  const rows = topBundles.map(({ slug, title, views, openAllClicks, openAllRate }) => {
    return [String(views), String(openAllClicks), percent(openAllRate), slug, oneLine(title ?? '')]
  })
  printTable(['VIEWS', 'CLICKS', 'RATE', 'SLUG', 'TITLE'], rows)
}

function printTabs({ tabs }: Insights): void {
  if (tabs.every(({ opens }) => opens === 0)) return
  print()
  printTable(
    ['OPENS', 'TAB'],
    tabs.map(({ url, opens }) => [String(opens), oneLine(url)]),
  )
}

function printRules({ byRule }: Insights): void {
  if (byRule.length < 2) return
  print()
  const rows = byRule.map((rule) => [
    String(rule.views),
    String(rule.openAllClicks),
    percent(rule.openAllRate),
    oneLine(rule.ruleName),
  ])
  printTable(['VIEWS', 'CLICKS', 'RATE', 'RULE'], rows)
}

function printBreakdown({ title, none }: BreakdownWords, breakdown: Insights['breakdowns']['referrers'] | undefined) {
  if (breakdown === undefined || breakdown.values.length === 0) return
  print()
  const rows = breakdown.values.map(({ value, views }) => [String(views), value ?? none])
  if (breakdown.other > 0) rows.push([String(breakdown.other), '(other)'])
  printTable(['VIEWS', title], rows)
}

/** One bar per number, relative to the highest; only zero has the lowest bar. */
function sparkline(counts: readonly number[]): string {
  const most = Math.max(1, ...counts)
  return counts.map((count) => LEVELS[Math.ceil((count / most) * (LEVELS.length - 1))]).join('')
}

function percent(rate: number): string {
  return `${(rate * 100).toFixed(1)} %`
}
