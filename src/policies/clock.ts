import { LRUCache } from 'lru-cache'
import type { TimeWindow } from '../../db/policy.ts'

const MINUTE_MS = 60_000
/** There are about 600 time zone names. */
const MAX_CLOCKS = 1000

/** The minutes since midnight of `HH:MM`, 00:00 to 24:00; null for any other text. */
export function minutesOf(text: string): number | null {
  if (!/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/.test(text)) return null
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
}

/** Whether a text is a time zone known to this runtime. */
export function isTimeZone(name: string): boolean {
  // Offsets such as +02:00 are not zones, and not every runtime accepts them.
  return name.length <= 64 && /^[A-Za-z]/.test(name) && clockOf(name) !== null
}

/** A wall clock: the day of the week (0 is Monday) and the minutes since midnight, at a time in milliseconds. */
type Clock = (now: number) => { day: number; minutes: number }

const clocks = new LRUCache<string, Clock>({ max: MAX_CLOCKS })

/**
 * Cached, because creating a clock is slow. Names are case-insensitive; invalid ones are not cached, so that they cannot
 * evict others.
 */
function clockOf(timeZone: string): Clock | null {
  const name = timeZone.toLowerCase()
  const known = clocks.get(name) ?? newClock(name)
  if (known !== null) clocks.set(name, known)
  return known
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

function newClock(timeZone: string): Clock | null {
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
  } catch {
    return null
  }
  // Formatting takes microseconds, views come often, and no zone’s clock changes within a minute.
  let minute = Number.NaN
  let read = { day: 0, minutes: 0 }
  return (now) => {
    const asked = Math.floor(now / MINUTE_MS)
    if (asked === minute) return read
    const parts = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]))
    minute = asked
    read = { day: WEEKDAYS.indexOf(parts.weekday ?? ''), minutes: Number(parts.hour) * 60 + Number(parts.minute) }
    return read
  }
}

/**
 * Whether a window is open, as a function of the time in milliseconds. Follows the wall clock of its zone, daylight
 * saving included: a skipped hour never matches, a repeated one matches twice. A window whose end is not later than its
 * start runs past midnight and belongs to the day on which it opens; if both are equal it lasts a whole day
 * (docs/policies.md).
 * @param days as indices from Monday.
 */
export function windowTest({ from, to, timeZone }: TimeWindow, days: readonly number[]): (now: number) => boolean {
  const clock = clockOf(timeZone)
  const opens = minutesOf(from) ?? 0
  const closes = minutesOf(to) ?? 0
  // The policy was saved by a runtime that knows more zones than this one.
  if (clock === null) return () => false
  return (now) => {
    const { day, minutes } = clock(now)
    if (opens < closes) return minutes >= opens && minutes < closes && days.includes(day)
    return (minutes >= opens && days.includes(day)) || (minutes < closes && days.includes((day + 6) % 7))
  }
}
