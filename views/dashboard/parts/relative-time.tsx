/** @jsxImportSource @kitajs/html */

import { exactTime, iso, minuteOf } from '../../../src/core/time.ts'

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

const relative = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' })
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/**
 * A relative time: "5 minutes ago", "yesterday", and after a week the date. The exact time,
 * in UTC, shows on hover; the page's script converts it to the local time zone.
 * @param at milliseconds since 1970.
 */
export function RelativeTime({ at }: { at: number }): JSX.Element {
  const ago = Date.now() - at
  const [unit, length] = UNITS.find(([, ms]) => ago >= ms) ?? ['minute', 60_000]
  const text =
    ago < 60_000
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
