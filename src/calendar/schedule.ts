import { knownZone } from '../core/dates.js'
import { Problem } from '../core/problem.ts'
import { DAY_MS } from '../core/time.ts'
import { offsetAt } from './zone.ts'

/** Days of the week, in the order of calendars, with iCalendar's names. */
export const DAYS = { mon: 'MO', tue: 'TU', wed: 'WE', thu: 'TH', fri: 'FR', sat: 'SA', sun: 'SU' } as const
export type Day = keyof typeof DAYS
const DAY_NAMES = Object.keys(DAYS) as Day[]

/** The last day of a month that every month has. */
export const MAX_DAY = 28

/** The first day of reminders whose address names none: the same for all, so that it tells nothing about a bundle. */
const FIRST_START = '2026-01-01'

/** When a reminder is due: on days of each week, or on one day of each month. */
export interface Schedule {
  when: { every: 'week'; days: readonly Day[] } | { every: 'month'; day: number | 'last' }
  /** `HH:MM`, by the clocks of the zone. */
  at: string
  /** A time zone by its IANA name. */
  zone: string
  /** The first day that counts, `YYYY-MM-DD`. */
  start: string
}

/** The parameters of a schedule in an address. */
export const SCHEDULE_NAMES = ['every', 'days', 'day', 'at', 'zone', 'start'] as const
type ScheduleName = (typeof SCHEDULE_NAMES)[number]
export type ScheduleErrors = Partial<Record<ScheduleName, string>>

/** The schedule in a query, or what is wrong with each of its parameters. */
export function readSchedule(query: URLSearchParams): Schedule | ScheduleErrors {
  const errors: ScheduleErrors = {}
  const read = <Value>(name: ScheduleName, value: Value | null, message: string): Value | undefined => {
    if (value === null) errors[name] = message
    return value ?? undefined
  }
  const sent = (name: ScheduleName) => query.get(name)?.trim() ?? ''
  const every = read('every', everyOf(sent('every')), 'Choose week or month.')
  const at = read('at', timeOf(sent('at')), 'Give hours and minutes, such as 09:00.')
  const zone = read('zone', zoneNamed(sent('zone')), 'Name a time zone, such as Europe/Berlin.')
  const start = read('start', dayOf(sent('start') || FIRST_START), 'Give the first day as a date, such as 2026-12-01.')
  const days = every === 'week' ? read('days', daysOf(query.getAll('days').join(',')), DAYS_OF_WEEK) : undefined
  const day = every === 'month' ? read('day', dayOfMonth(sent('day')), DAY_OF_MONTH) : undefined
  if (every === 'week' && query.has('day')) errors.day = 'Leave this out, or add every=month.'
  if (every === 'month' && query.has('days')) errors.days = 'Leave this out with every=month.'
  const when = days ? { every: 'week' as const, days } : day ? { every: 'month' as const, day } : null
  const isWhole = Object.keys(errors).length === 0
  return isWhole && when && at && zone && start ? { when, at, zone, start } : errors
}

const DAYS_OF_WEEK = 'Choose at least one day, such as mon.'
const DAY_OF_MONTH = `Choose a day from 1 to ${MAX_DAY}, or last: some months have no other days.`

/** Whether a query has a whole schedule. */
export const isSchedule = (read: Schedule | ScheduleErrors): read is Schedule => 'when' in read

/** The schedule in a query. @throws Problem BAD_REQUEST that names the wrong parameters. */
export function scheduleIn(query: URLSearchParams): Schedule {
  const read = readSchedule(query)
  if (isSchedule(read)) return read
  throw new Problem(
    'BAD_REQUEST',
    Object.entries(read)
      .map(([name, message]) => `${name}: ${message}`)
      .join(' '),
  )
}

const everyOf = (text: string) => (text === '' || text === 'week' ? 'week' : text === 'month' ? text : null)
const timeOf = (text: string) => (/^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text) ? text : null)

/** A zone by the name that was sent: runtimes still call some by older ones, such as Asia/Calcutta. */
function zoneNamed(text: string): string | null {
  const known = knownZone(text)
  return known === null || known.toLowerCase() === text.toLowerCase() ? known : text
}

function daysOf(text: string): Day[] | null {
  const sent = text.split(',').map((day) => day.trim().toLowerCase())
  if (!sent.every((day) => Object.hasOwn(DAYS, day))) return null
  return DAY_NAMES.filter((day) => sent.includes(day))
}

function dayOfMonth(text: string): number | 'last' | null {
  if (text === 'last') return text
  return /^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_DAY ? Number(text) : null
}

/** A day of this century: runtimes know no rules of zones for others. */
function dayOf(text: string): string | null {
  if (!/^20\d\d-\d\d-\d\d$/.test(text)) return null
  const at = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text ? null : text
}

/** The parameters of a schedule in an address, in a fixed order, so that equal schedules have equal addresses. */
export function scheduleQuery({ when, at, zone, start }: Schedule): URLSearchParams {
  const query = new URLSearchParams(
    when.every === 'week' ? { days: when.days.join(',') } : { every: when.every, day: String(when.day) },
  )
  for (const [name, value] of Object.entries({ at, zone, start })) query.set(name, value)
  return query
}

/** Whether a schedule has a day, given as midnight UTC. */
function hasDay({ when }: Pick<Schedule, 'when'>, midnight: number): boolean {
  const date = new Date(midnight)
  if (when.every === 'week') return when.days.some((day) => DAY_NAMES.indexOf(day) === (date.getUTCDay() + 6) % 7)
  const number = when.day === 'last' ? 1 : when.day
  return new Date(midnight + (when.day === 'last' ? DAY_MS : 0)).getUTCDate() === number
}

/** The first days of a schedule from a day on, as midnights UTC. */
function daysFrom(schedule: Pick<Schedule, 'when'>, midnight: number, most: number): number[] {
  const days: number[] = []
  for (let day = midnight; days.length < most; day += DAY_MS) if (hasDay(schedule, day)) days.push(day)
  return days
}

/** The first occurrence of a schedule, on its own clocks: `YYYY-MM-DDTHH:MM`. */
export function firstOf(schedule: Schedule): string {
  const [first = 0] = daysFrom(schedule, Date.parse(schedule.start), 1)
  return `${new Date(first).toISOString().slice(0, 10)}T${schedule.at}`
}

/** The next occurrences of a schedule, on its own clocks: `YYYY-MM-DDTHH:MM`. */
export function nextOf(schedule: Schedule, most: number, now = Date.now()): string[] {
  const here = new Date(now + offsetAt(schedule.zone, now)).toISOString().slice(0, 16)
  const from = [here.slice(0, 10), schedule.start].sort().at(-1) ?? ''
  return daysFrom(schedule, Date.parse(from), most + 1)
    .map((day) => `${new Date(day).toISOString().slice(0, 10)}T${schedule.at}`)
    .filter((at) => at > here)
    .slice(0, most)
}
