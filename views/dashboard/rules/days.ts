import type { Day } from '../../../db/policy.ts'

export const DAY_NAMES: Record<Day, string> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
}

/** From Monday, as in ISO 8601. */
export const DAYS = Object.keys(DAY_NAMES) as Day[]
