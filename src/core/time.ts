/** A time as the API formats it: ISO 8601, UTC, with milliseconds. */
export function iso(time: number): string
export function iso(time: number | null): string | null
export function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
