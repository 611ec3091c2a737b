import { Database } from 'bun:sqlite'

/** One printed row. */
export interface Row {
  label: string
  figure: string
  /** Absent from rows that have no goal. */
  goal?: string
  isMet?: boolean
}

/** The median: of an even count, the mean of the two in the middle. */
export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2
}

/** Rows saying whether the database holds exactly as many views and clicks as were answered. */
export function checkCounts(file: string, answered: { views: number; open_all_clicks: number }): Row[] {
  const database = new Database(file, { readonly: true })
  const stored = database
    .query<typeof answered, []>('SELECT sum(views) views, sum(open_all_clicks) open_all_clicks FROM daily_counters')
    .get()
  database.close()
  return (['views', 'open_all_clicks'] as const).map((column) => ({
    label: column === 'views' ? 'Views counted' : 'Clicks counted',
    figure: String(stored?.[column]),
    goal: `all ${answered[column]}`,
    isMet: stored?.[column] === answered[column],
  }))
}

/** The rows as a Markdown table, for a terminal and for the README. */
export function table(rows: Row[]): string {
  const cells = [
    ['', 'measured', 'goal', ''],
    ...rows.map(({ label, figure, goal = '', isMet }) => [
      label,
      figure,
      goal,
      isMet === undefined ? '' : isMet ? 'pass' : 'FAIL',
    ]),
  ]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]!.length), 3))
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const [head = [], ...body] = cells
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body.map(line)].join('\n')
}
