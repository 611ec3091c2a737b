import { LRUCache } from 'lru-cache'
import { DAY_MS } from '../core/time.ts'

// Time zones as iCalendar describes them, by the rules that the runtime knows.

/** After so many years, days of the week and dates coincide as before: a rule that holds so long holds on each date it can have. */
const CYCLE = 28
/** No zone changes its clocks twice within so many days, unless on purpose: Morocco does before and after Ramadan. */
const STEP_MS = 7 * DAY_MS
const MINUTE_MS = 60_000

const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 200 })

/** The offset of a zone from UTC, in milliseconds. */
export function offsetAt(zone: string, at: number): number {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset', year: 'numeric' })
    formats.set(zone, format)
  }
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):?(\d\d)/.exec(format.format(at)) ?? []
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS
}

/** A change of a zone's clocks. */
interface Change {
  /** The clocks that change, before they do, as if they showed UTC. */
  wall: Date
  from: number
  to: number
}

/** The changes of a zone's clocks from one time to another. */
function changesIn(zone: string, since: number, until: number): Change[] {
  const changes: Change[] = []
  let from = offsetAt(zone, since)
  for (let start = since; start < until; start += STEP_MS) {
    let [before, after] = [start, Math.min(start + STEP_MS, until)]
    const to = offsetAt(zone, after)
    if (to === from) continue
    while (after - before > MINUTE_MS) {
      const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS
      if (offsetAt(zone, middle) === from) before = middle
      else after = middle
    }
    changes.push({ wall: new Date(after + from), from, to })
    from = to
  }
  return changes
}

const known = new LRUCache<string, readonly string[]>({ max: 500 })

/** The lines of the VTIMEZONE of a zone, for events from a year on. Each takes some milliseconds to find, and is kept. */
export function timeZoneLines(zone: string, year: number): readonly string[] {
  const key = `${year} ${zone}`
  let lines = known.get(key)
  if (lines === undefined) known.set(key, (lines = linesOf(zone, year)))
  return lines
}

function linesOf(zone: string, year: number): string[] {
  // From the year before, because its last change still counts in January.
  const since = Date.UTC(year - 1, 0, 1)
  const changes = changesIn(zone, since, Date.UTC(year - 1 + CYCLE, 0, 1))
  const kinds = Map.groupBy(changes, ({ from, to }) => `${from} ${to}`)
  const [first] = changes
  const offset = offsetAt(zone, since)
  const isKnownAtStart = first !== undefined && first.wall.getTime() < Date.UTC(year, 0, 1)
  return [
    'BEGIN:VTIMEZONE',
    `TZID:${zone}`,
    ...(isKnownAtStart ? [] : observance({ wall: new Date(since), from: offset, to: offset }, [])),
    ...[...kinds.values()].flatMap((all) => {
      const rule = ruleOf(all)
      // Without a rule, such as for Ramadan, each change is named.
      return observance(all[0]!, rule === null ? all.slice(1).map(({ wall }) => `RDATE:${clock(wall)}`) : [rule])
    }),
    'END:VTIMEZONE',
  ]
}

/** What the clocks of a zone are changed to, and when. */
function observance({ wall, from, to }: Change, recurring: readonly string[]): string[] {
  const kind = to > from ? 'DAYLIGHT' : 'STANDARD'
  const offsets = [`TZOFFSETFROM:${offsetText(from)}`, `TZOFFSETTO:${offsetText(to)}`]
  return [`BEGIN:${kind}`, ...offsets, `DTSTART:${clock(wall)}`, ...recurring, `END:${kind}`]
}

/** The rule of yearly changes on a day of the week, such as the last Sunday in March; null if there is none. */
function ruleOf(changes: readonly Change[]): string | null {
  const [first] = changes
  if (first === undefined || changes.length !== CYCLE) return null
  const month = first.wall.getUTCMonth()
  const isAlike = changes.every(
    ({ wall }, index) =>
      wall.getUTCFullYear() === first.wall.getUTCFullYear() + index &&
      wall.getUTCMonth() === month &&
      wall.getUTCDay() === first.wall.getUTCDay() &&
      wall.getTime() % DAY_MS === first.wall.getTime() % DAY_MS,
  )
  const dates = changes.map(({ wall }) => wall.getUTCDate())
  const [from, to] = [Math.min(...dates), Math.max(...dates)]
  if (!isAlike || to - from !== 6) return null
  const day = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'][first.wall.getUTCDay()]
  const yearly = `RRULE:FREQ=YEARLY;BYMONTH=${month + 1}`
  // February has no last week that is the same each year.
  if (month !== 1 && to === new Date(Date.UTC(2026, month + 1, 0)).getUTCDate()) return `${yearly};BYDAY=-1${day}`
  if (from % 7 === 1) return `${yearly};BYDAY=${(from + 6) / 7}${day}`
  return `${yearly};BYMONTHDAY=${Array.from({ length: 7 }, (_, index) => from + index).join(',')};BYDAY=${day}`
}

/** A time as clocks show it, in iCalendar's form. */
export function clock(wall: Date): string {
  return wall.toISOString().slice(0, 19).replace(/[-:]/g, '')
}

function offsetText(offset: number): string {
  const minutes = Math.abs(offset) / MINUTE_MS
  const text = (number: number) => String(number).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${text(Math.floor(minutes / 60))}${text(minutes % 60)}`
}
