import { isTimeZone } from './clock.ts'

/** A time of ISO 8601 with its zone. */
export const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Whether a text is a time of ISO 8601 with its zone. The runtimes differ in what they make of 30 February. */
export function isInstant(text: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] =
    INSTANT.exec(text)
      ?.slice(1)
      .map((digits) => Number(digits ?? 0)) ?? []
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
  return isDay && hour < 24 && minute < 60 && second < 60
}

/** A time as people have it: what a clock on the wall shows, and where that wall is. */
interface WallTime {
  /** `YYYY-MM-DDTHH:MM`, with seconds and milliseconds where there are any. */
  wall: string
  /** `UTC`, an offset such as `+01:00`, or an IANA zone. */
  zone: string
}

const PARTS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::(\d\d)(\.\d{1,3})?\d*)?(Z|[+-]\d\d:\d\d)$/

/** The wall time of an instant of ISO 8601; empty for any other text. */
export function wallTimeOf(instant: string): WallTime {
  const [, minute, second = '00', fraction = '', zone] = (isInstant(instant) ? PARTS.exec(instant) : null) ?? []
  // Forms know no year 0.
  if (minute === undefined || minute.startsWith('0000')) return { wall: '', zone: '' }
  const rest = second === '00' && fraction === '' ? '' : `:${second}${fraction}`
  return { wall: minute + rest, zone: zone === 'Z' ? 'UTC' : (zone ?? '') }
}

/** The instant of a wall time, as ISO 8601 with its offset; a text that is none where there is no such time, `''` for no time. */
export function instantOf(wall: string, zone: string): string {
  if (wall === '') return ''
  const time = /T\d\d:\d\d$/.test(wall) ? `${wall}:00` : wall
  const place = zone.trim()
  if (/^(?:UTC|Z)$/i.test(place)) return `${time}Z`
  if (/^[+-]\d\d:\d\d$/.test(place) || !isTimeZone(place) || !isInstant(`${time}Z`)) return time + place
  return time + offsetAt(time, place)
}

/** The offset of a zone's clocks when they show a time; of an hour that comes twice or never, one of its two. */
function offsetAt(time: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  const offset = (at: number) =>
    /[+-]\d\d:\d\d/.exec(format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '')?.[0] ??
    '+00:00'
  const guess = offset(Date.parse(`${time}Z`))
  return offset(Date.parse(time + guess))
}
