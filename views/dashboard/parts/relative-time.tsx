/** @jsxImportSource @kitajs/html */
import { exactTime, iso, minuteOf } from '../../../src/core/time.ts'

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

const relative = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' })

/** A short form for columns: `12 min`, `5 h`, `Yesterday`, then the date. */
function shortly(at: number, now: number): string {
  const ago = now - at
  if (ago < 60_000) return 'Now'
  if (ago < 3_600_000) return `${Math.floor(ago / 60_000)} min`
  if (ago < 86_400_000) return `${Math.floor(ago / 3_600_000)} h`
  if (ago < 2 * 86_400_000) return 'Yesterday'
  return dateOf(at, now)
}

const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' })

/** The UTC day of a past time: `Tuesday` within the last six days, else the date. */
export function dayOf(at: number): string {
  const now = Date.now()
  if (now - at < 6 * 86_400_000) return weekday.format(at)
  return dateOf(at, now)
}

/**
 * A relative time: "5 minutes ago", "yesterday", "in 3 days", and beyond a week the date. Hovering shows the exact time in UTC,
 * which the page's script converts to the local time zone.
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

/** `3 Sept`, for days of this year. In UTC, like all days of the service. */
export const dayAndMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** `3 Sept 2026`. */
export const fullDate = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** A day for display, without the current year. */
export function dateOf(at: number, now = Date.now()): string {
  return (new Date(at).getUTCFullYear() === new Date(now).getUTCFullYear() ? dayAndMonth : fullDate).format(at)
}
