import { SLUG } from './bundles.ts'
import { command, slugIn } from './command.ts'
import { UsageError } from './exit.ts'
import { oneLine, print, printJson, printTable, styled } from './output.ts'

const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const
const RANGES = ['7d', '30d', '90d']

export const insights = command({
  name: 'insights',
  summary: 'Show views, viewers and clicks on Open all, by day and rule',
  examples: ['openall insights 4k2mz7qy9p --range 7d', 'openall insights 4k2mz7qy9p --csv > views.csv'],
  args: {
    slug: SLUG,
    range: { type: 'enum', options: RANGES, default: '30d', description: 'The period, including today' },
    csv: { type: 'boolean', description: 'Print the days as CSV' },
  },
  async run({ args, server, client }) {
    if (args.csv && args.json) throw new UsageError('give --csv or --json, not both')
    const input = { slug: slugIn(args.slug, server), range: args.range as '7d' }
    if (args.csv) return void process.stdout.write(await client.getInsights.csv(input))
    const answer = await client.getInsights(input)
    if (args.json) return printJson(answer)
    const { totals, series, byRule, range } = answer
    print(styled('bold', `${answer.slug}, ${range.from.slice(0, 10)} to ${range.to.slice(0, 10)} (UTC days)`))
    const lines = [
      ['views', totals.views, sparkline(series.map(({ views }) => views))],
      ['open-all clicks', totals.openAllClicks, sparkline(series.map(({ openAllClicks }) => openAllClicks))],
      ['viewers, day by day', totals.uniqueViewerDays, ''],
    ] as const
    const width = Math.max(...lines.map(([, count]) => String(count).length))
    for (const [name, count, line] of lines) {
      print(`${name.padEnd(20)} ${String(count).padStart(width)}  ${styled('cyan', line)}`.trimEnd())
    }
    print(`${'clicks per view'.padEnd(20)} ${percent(totals.openAllRate)}`)
    if (byRule.length < 2) return
    print()
    const rows = byRule.map((rule) => [
      String(rule.views),
      String(rule.openAllClicks),
      percent(rule.openAllRate),
      oneLine(rule.ruleName),
    ])
    printTable(['VIEWS', 'CLICKS', 'RATE', 'RULE'], rows)
  },
})

/** One bar per number, relative to the highest; only zero has the lowest bar. */
function sparkline(counts: readonly number[]): string {
  const most = Math.max(1, ...counts)
  return counts.map((count) => LEVELS[Math.ceil((count / most) * (LEVELS.length - 1))]).join('')
}

function percent(rate: number): string {
  return `${(rate * 100).toFixed(1)} %`
}
