import { LRUCache } from 'lru-cache'
import type { TimeWindow } from '../../db/policy.ts'
import { DAY_MS, isInstant } from '../core/time.ts'

const MINUTE_MS = 60_000
/** Cached clocks; there are about 600 time zone names. */
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
  // Cached per minute: formatting takes microseconds, views are frequent, and no zone’s clock changes within a minute.
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
 * Whether a window is open, as a function of the time in milliseconds. Follows the wall clock of its zone, including daylight
 * saving: a skipped hour never matches, a repeated one matches twice. A window whose end is not later than its start runs past
 * midnight and belongs to the day on which it opens; if both are equal it lasts a whole day (docs/policies.md).
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

/** A wall-clock time with its zone. */
interface WallTime {
  /** `YYYY-MM-DDTHH:MM`, with seconds and milliseconds if not zero. */
  wall: string
  /** `UTC`, an offset such as `+01:00`, or an IANA zone. */
  zone: string
}

const PARTS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::(\d\d)(\.\d{1,3})?\d*)?(Z|[+-]\d\d:\d\d)$/

/** The wall time of an ISO 8601 instant; empty for any other text. */
export function wallTimeOf(instant: string): WallTime {
  const [, minute, second = '00', fraction = '', zone] = (isInstant(instant) ? PARTS.exec(instant) : null) ?? []
  // Forms do not accept year 0.
  if (minute === undefined || minute.startsWith('0000')) return { wall: '', zone: '' }
  const part = Number(fraction) === 0 ? '' : fraction
  const rest = second === '00' && part === '' ? '' : `:${second}${part}`
  return { wall: minute + rest, zone: zone === 'Z' ? 'UTC' : (zone ?? '') }
}

/** The ISO 8601 instant of a wall time; an invalid text if there is no such time, `''` for an empty one. */
export function instantOf(wall: string, zone: string): string {
  if (wall === '') return ''
  const time = /T\d\d:\d\d$/.test(wall) ? `${wall}:00` : wall
  const place = zone.trim()
  if (/^(?:UTC|Z)$/i.test(place)) return `${time}Z`
  if (/^[+-]\d\d:\d\d$/.test(place) || !isTimeZone(place) || !isInstant(`${time}Z`)) return time + place
  return time + offsetAt(time, place)
}

/** The offset of a zone at a local time; for a repeated or skipped hour, one of the two. */
function offsetAt(time: string, timeZone: string): string {
  const offset = offsetsOf(timeZone)
  const guess = offset(Date.parse(`${time}Z`))
  return offset(Date.parse(time + guess))
}

function offsetsOf(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  return (at) =>
    /[+-]\d\d:\d\d/.exec(format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '')?.[0] ??
    '+00:00'
}

/**
 * The instant some days after another on the calendar of a zone, in milliseconds: at the same time of day, or later by as much as
 * the clock skips there.
 */
export function daysAfter(instant: string, days: number, timeZone: string): number {
  const offset = offsetsOf(timeZone)
  const aheadAt = (at: number) => Date.parse('1970-01-01T00:00Z') - Date.parse(`1970-01-01T00:00${offset(at)}`)
  const at = Date.parse(instant)
  const wall = at + aheadAt(at) + days * DAY_MS
  const guess = wall - aheadAt(at)
  const found = wall - aheadAt(guess)
  return aheadAt(found) === aheadAt(guess) ? found : Math.max(guess, found)
}
