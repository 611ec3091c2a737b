/** @jsxImportSource @kitajs/html */

import { exactTime, iso, minuteOf } from '../../../src/core/time.ts'
import { dateOf, fullDate } from './dates.ts'

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

const relative = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' })

/** `12 min`, `5 h`, `Yesterday`, then the date: for a column. */
function shortly(at: number, now: number): string {
  const ago = now - at
  if (ago < 60_000) return 'Now'
  if (ago < 3_600_000) return `${Math.floor(ago / 60_000)} min`
  if (ago < 86_400_000) return `${Math.floor(ago / 3_600_000)} h`
  if (ago < 2 * 86_400_000) return 'Yesterday'
  return dateOf(at, now)
}

const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' })

/** The day of a time in the past, in UTC: `Tuesday` within the last six days, else the date. */
export function dayOf(at: number): string {
  const now = Date.now()
  if (now - at < 6 * 86_400_000) return weekday.format(at)
  return dateOf(at, now)
}

/**
 * A relative time: "5 minutes ago", "yesterday", "in 3 days", and beyond a week the date. The exact time, in UTC, shows on hover; the page's script converts it to the local time zone.
 * @param at milliseconds since 1970.
 */
export function RelativeTime({ at, isShort = false }: { at: number; isShort?: boolean }): JSX.Element {
  const now = Date.now()
  return (
    <time datetime={iso(at)} title={exactTime(minuteOf(at))} safe>
      {isShort ? shortly(at, now) : distance(at, now)}
    </time>
  )
}

function distance(at: number, now: number): string {
  const away = Math.abs(at - now)
  if (away >= 7 * 86_400_000) return fullDate.format(at)
  const [unit, length] = UNITS.find(([, ms]) => away >= ms) ?? ['minute', 60_000]
  if (at - now >= 60_000) return relative.format(Math.ceil(away / length), unit)
  return away < 60_000 ? 'just now' : relative.format(-Math.floor(away / length), unit)
}
