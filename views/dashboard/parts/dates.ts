/** `3 Sept`, for days of this year. In UTC, as all days of the service are. */
export const dayAndMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** `3 Sept 2026`. */
export const fullDate = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** A day as it is read now: without its year if that is this one. */
export function dateOf(at: number, now = Date.now()): string {
  return (new Date(at).getUTCFullYear() === new Date(now).getUTCFullYear() ? dayAndMonth : fullDate).format(at)
}
