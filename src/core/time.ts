import { lazy } from './lazy.ts'

// Lazy, because the launcher's page loads this file at the start, and the first use loads 4 MB of ICU.
const date = lazy(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }))

/** A time as pages and mails say it, in UTC: `1 December 2026, 09:00 UTC`; with seconds unless there are none. */
export function exactTime(at: number | string): string {
  const [, minute, second] = /T(\d\d:\d\d)(:\d\d)/.exec(new Date(at).toISOString()) ?? []
  return `${date().format(new Date(at))}, ${minute}${second === ':00' ? '' : second} UTC`
}

/** The minute that a time is in, where its seconds say nothing to people. */
export function minuteOf(at: number | string | Date): number {
  return Math.floor(new Date(at).getTime() / 60_000) * 60_000
}

/** A time as the API formats it: ISO 8601, UTC, with milliseconds. */
export function iso(time: number): string
export function iso(time: number | null): string | null
export function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
