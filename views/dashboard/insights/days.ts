import type { DayCount } from '../../parts/charts.tsx'
import { formatInteger } from '../../parts/numbers.ts'

const name = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** `2026-09-03` as people read it: `3 Sept`. */
export function dayName(day: string): string {
  return name.format(Date.parse(day))
}

/** A bar of the chart. */
export function dayCount(called: string, count: number): DayCount {
  return { name: called, count, written: formatInteger(count) }
}

const LABELLED: Record<number, { wide: number; narrow: number }> = {
  7: { wide: 1, narrow: 2 },
  30: { wide: 7, narrow: 14 },
  90: { wide: 14, narrow: 28 },
}

/** Interval between labelled days below a chart, by its number of days. */
export function labelled(days: number): { wide: number; narrow: number } {
  return LABELLED[days] ?? { wide: 7, narrow: 14 }
}
