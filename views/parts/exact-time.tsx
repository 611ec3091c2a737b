/** @jsxImportSource @kitajs/html */

import { lazy } from '../../src/core/lazy.ts'
import { exactTime } from '../../src/core/time.ts'

// Lazy, because the launcher page loads this file at startup, and the first use loads 4 MB of ICU data.
const relative = lazy(() => new Intl.RelativeTimeFormat('en-GB'))

/** A time in full, in UTC. The launcher's script converts it to the local time zone. */
export function ExactTime({ at }: { at: number | string }): JSX.Element {
  return (
    <time datetime={new Date(at).toISOString()} safe>
      {exactTime(at)}
    </time>
  )
}

const UNITS = [
  ['year', 31_556_952_000],
  ['month', 2_629_746_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** The distance to a time: `in 3 days`, `2 hours ago`. */
export function fromNow(at: number, now = Date.now()): string {
  const away = at - now
  // Rounded, in the largest unit of which there are at least two: 47 hours are neither one day nor two.
  const [unit, length] = UNITS.find(([, ms]) => Math.abs(away) >= 2 * ms) ?? ['minute', 60_000]
  const whole = Math.round(away / length)
  if (whole !== 0) return relative().format(whole, unit)
  return away > 0 ? 'in less than a minute' : 'less than a minute ago'
}
