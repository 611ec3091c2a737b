import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { count } from '../core/words.ts'
import type { KnownKey, SignedIn } from '../identity/caller.ts'
import type { Bucket, Decision, Limit } from './bucket.ts'
import { countsOf, networkCounts, takeAll } from './counts.ts'

/**
 * Counts a write or a read, if the call is one, against the limits of a person, over all their sessions.
 * @throws Problem RATE_LIMITED.
 */
export async function countForPerson(
  { bucket, limits }: Pick<Service, 'bucket' | 'limits'>,
  what: 'writes' | 'reads' | null,
  userId: string,
) {
  if (what !== null && limits[what].length > 0)
    passed(await takeAll(bucket, countsOf(limits[what], userId)), 'from your account')
}

/**
 * Counts a caller's write or read, if the call is one. Keys have limits of their own; one without any shares its person's
 * writes per hour, but may use them up as fast as it can.
 * @throws Problem RATE_LIMITED.
 */
export async function countForCaller(
  { bucket, limits }: Pick<Service, 'bucket' | 'limits'>,
  what: 'writes' | 'reads' | null,
  caller: SignedIn,
) {
  if (caller.kind === 'session') return countForPerson({ bucket, limits }, what, caller.userId)
  if (what !== 'writes' || caller.key.rateLimitPerHour > 0) return
  const writes = limits.writes.filter(({ windowMs }) => windowMs === HOUR_MS)
  return countForPerson({ bucket, limits: { ...limits, writes } }, what, caller.userId)
}

/**
 * Counts a request against a limit per client address.
 * @param network of the client, from `network`.
 * @param purpose counts different uses of one limit separately.
 * @throws Problem RATE_LIMITED.
 */
export function countForAddress(
  { bucket, limits }: Pick<Service, 'bucket' | 'limits'>,
  limit: 'address' | 'report' | 'signIn' | 'tokens' | 'reading',
  network: string,
  purpose = '',
): Decision | Promise<Decision> {
  const taken = takeAll(bucket, networkCounts(limits[limit], network, purpose))
  const whose = 'from your network'
  return taken instanceof Promise ? taken.then((decision) => passed(decision, whose)) : passed(taken, whose)
}

/**
 * Counts one request against a limit.
 * @param whose ends the sentence "Too many requests …".
 * @throws Problem RATE_LIMITED.
 */
export function countRequest(bucket: Bucket, limit: Limit, key: string, whose: string): Decision | Promise<Decision> {
  const taken = bucket.take(limit, key)
  return taken instanceof Promise ? taken.then((decision) => passed(decision, whose)) : passed(taken, whose)
}

function passed(decision: Decision, whose: string): Decision {
  if (decision.allowed) return decision
  const { resetSeconds } = decision
  throw new Problem('RATE_LIMITED', `Too many requests ${whose}. Try again in ${count(resetSeconds, 'second')}.`, {
    retryAfterSeconds: resetSeconds,
  })
}

/**
 * Counts one request of a key, whatever its outcome.
 * @returns the rate limit headers of the IETF draft.
 * @throws Problem RATE_LIMITED, with the same headers.
 */
export async function countForKey(
  { id, rateLimitPerHour: max }: KnownKey,
  { bucket }: Service,
): Promise<Record<string, string>> {
  if (max === 0) return {}
  const policy = { 'ratelimit-policy': `"perhr";q=${max};w=3600` }
  try {
    const { remaining, resetSeconds } = await countRequest(bucket, hourly(max), String(id), 'with this key')
    return { ...policy, ratelimit: `"perhr";r=${remaining};t=${resetSeconds}` }
  } catch (error) {
    if (error instanceof Problem)
      Object.assign(error.headers, policy, { ratelimit: `"perhr";r=0;t=${error.retryAfterSeconds}` })
    throw error
  }
}

/**
 * Uncounts a request of a key that read what its client had already, while there are few of them: those beyond the limit on
 * reading stay counted.
 * @param headers what `countForKey` returned for it, in whatever the answer has besides.
 * @returns the headers with one request more left.
 */
export async function giveBackForKey(
  { id, rateLimitPerHour: max }: KnownKey,
  { ratelimit, ...headers }: Record<string, string>,
  { bucket, limits }: Pick<Service, 'bucket' | 'limits'>,
): Promise<Record<string, string>> {
  if (ratelimit === undefined) return headers
  if (!(await bucket.take(limits.reading, `unchanged ${id}`)).allowed) return { ...headers, ratelimit }
  await bucket.giveBack(hourly(max), String(id))
  return { ...headers, ratelimit: ratelimit.replace(/(?<=;r=)\d+/, (left) => String(Number(left) + 1)) }
}

const HOUR_MS = 3_600_000

/** The limit of a key: requests in any hour. */
function hourly(max: number): Limit {
  return { name: 'key', max, windowMs: HOUR_MS }
}

/** Requests of a key in the last hour. Asking does not count as one. */
export async function usedInLastHour(
  bucket: Bucket,
  { id, rateLimitPerHour }: Pick<KnownKey, 'id' | 'rateLimitPerHour'>,
) {
  return bucket.used(hourly(rateLimitPerHour), String(id))
}
