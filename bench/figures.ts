import { Database } from 'bun:sqlite'

/** One line of what a run prints. */
export interface Row {
  what: string
  figure: string
  /** Left out of rows that only inform. */
  goal?: string
  isMet?: boolean
}

/** The middle of some numbers, or the mean of the two in the middle. */
export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2
}

/** Whether the store holds as many views and clicks as were answered, to the last one. */
export function checkCounts(file: string, answered: { views: number; open_all_clicks: number }): Row[] {
  const database = new Database(file, { readonly: true })
  const stored = database
    .query<typeof answered, []>('SELECT sum(views) views, sum(open_all_clicks) open_all_clicks FROM daily_counters')
    .get()
  database.close()
  return (['views', 'open_all_clicks'] as const).map((column) => ({
    what: column === 'views' ? 'Views counted' : 'Clicks counted',
    figure: String(stored?.[column]),
    goal: `all ${answered[column]}`,
    isMet: stored?.[column] === answered[column],
  }))
}

/** The rows as Markdown, for a terminal and for the README. */
export function table(rows: Row[]): string {
  const cells = [
    ['', 'measured', 'goal', ''],
    ...rows.map(({ what, figure, goal = '', isMet }) => [
      what,
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
