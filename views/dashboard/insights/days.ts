import type { Insights } from '../../../src/insights/shapes.ts'
import type { DayCount } from '../../parts/charts.tsx'
import { formatInteger } from '../../parts/numbers.ts'
import { dayAndMonth } from '../parts/dates.ts'

/** `2026-09-03` as people read it: `3 Sept`. */
export function dayName(day: string): string {
  return dayAndMonth.format(Date.parse(day))
}

/** A bar of the chart. */
export function dayCount(called: string, count: number): DayCount {
  return { name: called, count, written: formatInteger(count) }
}

const INTERVALS = [1, 2, 7, 14]
/** As many labels as a wide chart has room for. */
const LABELS = 8

/** Interval between labelled days below a chart, by its number of days. */
export function labelled(days: number): { wide: number; narrow: number } {
  const wide = INTERVALS.find((interval) => days / interval < LABELS) ?? INTERVALS.at(-1)!
  return { wide, narrow: wide * 2 }
}

/** The days of a page: one of the ranges, or chosen ones. */
export interface ShownDays {
  /** The bundle; null for all together. */
  slug: string | null
  days: number
  /** The first and the last; null of a range. */
  chosen: { from: string; to: string } | null
}

/** The days of a page of one bundle. */
export interface Shown extends ShownDays {
  slug: string
}

/** What a page shows. */
export function shownOf<Slug extends string | null>(
  slug: Slug,
  { series }: Pick<Insights, 'series'>,
  isChosen: boolean,
): ShownDays & { slug: Slug } {
  const [from, to] = [series[0]?.day ?? '', series.at(-1)?.day ?? '']
  return { slug, days: series.length, chosen: isChosen ? { from, to } : null }
}

/** The query that asks for these days. */
export function daysQuery({ days, chosen }: Pick<ShownDays, 'days' | 'chosen'>): string {
  return chosen === null ? `range=${days}d` : `from=${chosen.from}&to=${chosen.to}`
}

/** `26 Oct to 24 Nov, compared with the previous 30 days`. */
export function saidOf({ series }: Pick<Insights, 'series'>): string {
  const [first, last] = [dayName(series[0]?.day ?? ''), dayName(series.at(-1)?.day ?? '')]
  return `${first === last ? first : `${first} to ${last}`}, compared with ${daysBefore(series.length)}`
}

/** `No visits in the last 30 days`. */
export function nothingOn({ days, chosen }: Pick<ShownDays, 'days' | 'chosen'>): string {
  if (chosen === null) return `No visits in the last ${days} days`
  return days === 1 ? 'No visits on this day' : 'No visits on these days'
}

/** The days before, with which these are compared. */
export function daysBefore(days: number): string {
  return days === 1 ? 'the day before' : `the previous ${days} days`
}
