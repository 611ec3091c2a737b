const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** After which time a failed delivery is sent again. */
const RETRIES_MS = [5_000, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS]

/** After this many, a webhook is disabled. */
export const MAX_ATTEMPTS = RETRIES_MS.length + 1

/** How long to wait after a number of failed attempts; null: give up. */
export function waitAfter(attempts: number): number | null {
  return RETRIES_MS[attempts - 1] ?? null
}
