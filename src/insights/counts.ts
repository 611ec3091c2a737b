import { DAY_MS, dayOf } from '../launcher/salts.ts'
import type { Counts, Insights } from './shapes.ts'

/** Views and clicks, with the rate of clicks. */
export function countsOf(views: number, openAllClicks: number): Counts {
  const rate = views === 0 ? 0 : openAllClicks / views
  return { views, openAllClicks, openAllRate: Math.round(rate * 10_000) / 10_000 }
}

/** A row for each of `days` UTC days, oldest first. @param from the first instant of the first day. */
export function seriesOf(counted: Map<string, Counts>, from: number, days: number): Insights['series'] {
  return Array.from({ length: days }, (_, index) => {
    const day = dayOf(from + index * DAY_MS)
    const { views, openAllClicks } = counted.get(day) ?? countsOf(0, 0)
    return { day, views, openAllClicks }
  })
}
