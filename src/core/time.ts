import { lazy } from './lazy.ts'

export const DAY_MS = 86_400_000

// Lazy, because the launcher's page loads this file at startup, and the first use loads 4 MB of ICU.
const date = lazy(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }))

/** A time for pages and mails, in UTC: `1 December 2026, 09:00 UTC`; with seconds unless they are zero. */
export function exactTime(at: number | string): string {
  const [, minute, second] = /T(\d\d:\d\d)(:\d\d)/.exec(new Date(at).toISOString()) ?? []
  return `${date().format(new Date(at))}, ${minute}${second === ':00' ? '' : second} UTC`
}

/** A time truncated to the minute, for people to whom seconds mean nothing. */
export function minuteOf(at: number | string | Date): number {
  return Math.floor(new Date(at).getTime() / 60_000) * 60_000
}

/** A time as the API formats it: ISO 8601, UTC, with milliseconds. */
export function iso(time: number): string
export function iso(time: number | null): string | null
export function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

/** An ISO 8601 time with a UTC offset. */
export const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Whether a text is a valid ISO 8601 time with an offset. Runtimes disagree about 30 February. */
export function isInstant(text: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] =
    INSTANT.exec(text)
      ?.slice(1)
      .map((digits) => Number(digits ?? 0)) ?? []
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
  return isDay && hour < 24 && minute < 60 && second < 60
}
