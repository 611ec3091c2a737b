import type { KnownKey } from '../identity/caller.ts'
import type { Bucket, Limit } from '../limits/bucket.ts'

const HOUR_MS = 3_600_000

/** The bucket of keys with this limit: so many requests in any hour (spec 8). */
export function hourly(max: number): Limit {
  return { name: 'key', max, windowMs: HOUR_MS }
}

/** How many requests a key has sent in the last hour, of those that count. Asking is not one of them. */
export async function usedLately(bucket: Bucket, { id, rateLimitPerHour }: Pick<KnownKey, 'id' | 'rateLimitPerHour'>) {
  return bucket.used(hourly(rateLimitPerHour), String(id))
}
