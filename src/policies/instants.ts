import { DAY_MS, isInstant } from '../core/time.ts'
import { isTimeZone } from './clock.ts'

/** A time as on a wall clock, with its zone. */
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

/** The ISO 8601 instant of a wall time; an invalid text if there is no such time, `''` for none. */
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
 * The instant some days after another on the calendar of a zone, in milliseconds: at the same time of day, or as much later
 * as the clock skips there.
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
