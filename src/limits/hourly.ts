import type { KnownKey } from '../identity/caller.ts'
import type { Bucket, Limit } from './bucket.ts'

export const HOUR_MS = 3_600_000

/** The limit of a key: requests in any hour. */
export function hourly(max: number): Limit {
  return { name: 'key', max, windowMs: HOUR_MS }
}

/** Requests of a key in the last hour. Asking does not count as one. */
export async function usedInLastHour(
  bucket: Bucket,
  { id, rateLimitPerHour }: Pick<KnownKey, 'id' | 'rateLimitPerHour'>,
) {
  return bucket.used(hourly(rateLimitPerHour), String(id))
}
