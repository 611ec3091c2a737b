/** @jsxImportSource @kitajs/html */

import { exactTime, iso, minuteOf } from '../../../src/core/time.ts'

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

const relative = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' })
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** Of the year that it is, and of others. */
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** `12 min`, `5 h`, `Yesterday`, then the date: for a column. */
function shortly(at: number, now: number): string {
  const ago = now - at
  if (ago < 60_000) return 'Now'
  if (ago < 3_600_000) return `${Math.floor(ago / 60_000)} min`
  if (ago < 86_400_000) return `${Math.floor(ago / 3_600_000)} h`
  if (ago < 2 * 86_400_000) return 'Yesterday'
  return (new Date(at).getUTCFullYear() === new Date(now).getUTCFullYear() ? dayOfYear : date).format(at)
}

/**
 * A relative time: "5 minutes ago", "yesterday", and after a week the date. The exact time,
 * in UTC, shows on hover; the page's script converts it to the local time zone.
 * @param at milliseconds since 1970.
 */
export function RelativeTime({ at, isShort = false }: { at: number; isShort?: boolean }): JSX.Element {
  const now = Date.now()
  const ago = now - at
  const [unit, length] = UNITS.find(([, ms]) => ago >= ms) ?? ['minute', 60_000]
  const text = isShort
    ? shortly(at, now)
    : ago < 60_000
      ? 'just now'
      : ago >= 7 * 86_400_000
        ? date.format(at)
        : relative.format(-Math.floor(ago / length), unit)
  return (
    <time datetime={iso(at)} title={exactTime(minuteOf(at))} safe>
      {text}
    </time>
  )
}
