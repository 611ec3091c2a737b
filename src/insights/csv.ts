import type { BreakdownName, Insights } from './shapes.ts'

/**
 * The days of a report as CSV (RFC 4180), one line each after a header; or one of its breakdowns, one line per value.
 * Values are hosts, codes and names of ours, none of which needs quotes.
 */
export function toCsv({ slug, series, breakdowns }: Insights, breakdown?: BreakdownName) {
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
