import { fingerprint } from '../core/secrets.ts'
import { DAYS, firstOf, type Schedule, scheduleQuery } from './schedule.ts'
import { clock, timeZoneLines } from './zone.ts'

/** What a calendar tells about a bundle. */
export interface Reminder {
  /** The name of the service. */
  service: string
  title: string
  /** Below the link: what the bundle is for, and its tabs. */
  lines: readonly string[]
  /** The launcher, with its values. */
  url: string
  /** What stays the same when the bundle changes. */
  id: string
}

/**
 * A calendar with one recurring event (RFC 5545). The same schedule of the same bundle is the same event wherever it is added, so
 * nothing in it depends on when it was read, and its start has no part in its id.
 */
export function calendarOf({ service, title, lines, url, id }: Reminder, schedule: Schedule): string {
  const { when, zone, start } = schedule
  const query = scheduleQuery(schedule)
  query.delete('start')
  const { host } = new URL(url)
  const first = new Date(`${firstOf(schedule)}:00Z`)
  const rule =
    when.every === 'week'
      ? `FREQ=WEEKLY;WKST=MO;BYDAY=${when.days.map((day) => DAYS[day]).join(',')}`
      : `FREQ=MONTHLY;BYMONTHDAY=${when.day === 'last' ? -1 : when.day}`
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:${escaped(`-//${service}//Calendar//EN`)}`,
    'CALSCALE:GREGORIAN',
    `NAME:${escaped(title)}`,
    `X-WR-CALNAME:${escaped(title)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:P1D',
    'X-PUBLISHED-TTL:P1D',
    ...timeZoneLines(zone, first.getUTCFullYear()),
    'BEGIN:VEVENT',
    `UID:${fingerprint(`${id} ${query}`)}@${host}`,
    // Of no edit: that would tell when editors change what viewers do not see.
    `DTSTAMP:${clock(new Date(start))}Z`,
    'SEQUENCE:0',
    `DTSTART;TZID=${zone}:${clock(first)}`,
    'DURATION:PT15M',
    `RRULE:${rule}`,
    `SUMMARY:${escaped(title)}`,
    // Few calendars show the URL, so the text has it too.
    `DESCRIPTION:${escaped([url, ...lines].join('\n'))}`,
    `URL:${url}`,
    'TRANSP:TRANSPARENT',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    `DESCRIPTION:${escaped(title)}`,
    'TRIGGER:PT0S',
    'END:VALARM',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ]
    .map(folded)
    .join('\r\n')
}

/** A value of type TEXT. */
function escaped(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/(?!\n)\p{Cc}/gu, ' ')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')
}

const MAX_OCTETS = 75

/** A line in pieces of at most 75 octets, none of which ends within a character. */
function folded(line: string): string {
  const pieces = ['']
  let octets = 0
  for (const character of line) {
    const more = Buffer.byteLength(character)
    if (octets + more > MAX_OCTETS) {
      pieces.push('')
      // The space that continues a line counts.
      octets = 1
    }
    pieces[pieces.length - 1] += character
    octets += more
  }
  return pieces.join('\r\n ')
}
