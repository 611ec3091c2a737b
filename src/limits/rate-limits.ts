import type { Config } from '../config/config.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { count } from '../core/words.ts'
import type { KnownKey, SignedIn } from '../identity/caller.ts'

declare module '../core/service.ts' {
  interface Service {
    /** Counts requests for rate limits. */
    bucket: Bucket
  }
}
/** A limit: `max` requests in any window. */
export interface Limit {
  /** Distinguishes the counters of different limits. */
  name: string
  max: number
  windowMs: number
}

/** The outcome of counting one request. */
export interface Decision {
  allowed: boolean
  /** Requests that would still pass now. */
  remaining: number
  /**
   * Whole seconds, at least 1, until the oldest counted request leaves the window; after a refusal, until the next one
   * passes.
   */
  resetSeconds: number
}

/**
 * Counts requests in a sliding window per limit and key. Every store counts in steps of a thousandth of the window; a step
 * expires one window after its latest request. So at most `max` requests pass in any window, a refusal may last up to one step
 * too long, and `resetSeconds` never exceeds the window. Refused requests are not counted, or it would not hold.
 */
export interface Bucket {
  take(limit: Limit, key: string): Decision | Promise<Decision>
  /** Requests counted at this moment. Reading does not count. */
  used(limit: Limit, key: string): number | Promise<number>
  /** Uncounts the latest request, if it turns out that the limit is not meant for it. */
  giveBack(limit: Limit, key: string): void | Promise<void>
}

/** Steps per window. */
export const STEPS = 1000

declare module '../core/service.ts' {
  interface Service {
    limits: ReturnType<typeof limitsOf>
  }
}

/** One request, counted by one of several limits. */
export interface Count {
  limit: Limit
  key: string
}

/** Limits on one thing over growing windows, so that persistent callers are slowed down more and more. */
export function tiers(name: string, bounds: readonly (readonly [max: number, windowMs: number])[]): Limit[] {
  return bounds.map(([max, windowMs]) => ({ name: `${name}-${windowMs / 1000}s`, max, windowMs }))
}

/** The limits; none for writes or reads where the setting is 0. */
export function limitsOf({
  addressLimit,
  writesPer,
  readsPerMinute,
}: Pick<Config, 'addressLimit' | 'writesPer' | 'readsPerMinute'>) {
  const writes: Limit[] = [
    { name: 'writes-minute', max: writesPer.minute, windowMs: 60_000 },
    { name: 'writes-hour', max: writesPer.hour, windowMs: 3_600_000 },
  ]
  const reads: Limit[] = [{ name: 'reads-minute', max: readsPerMinute, windowMs: 60_000 }]
  return {
    /** Anonymous creates, and all clicks, per client address. */
    address: { name: 'address', ...addressLimit },
    /** Reports of bundles, per client address. */
    report: { name: 'report', max: 5, windowMs: 3_600_000 },
    /** Sign-in, sign-up and whatever sends mail, per client address and purpose. */
    signIn: { name: 'sign-in', ...addressLimit },
    /**
     * Requests for and about tokens of apps, per client address: devices poll until somebody decides, and services check every
     * token.
     */
    tokens: { name: 'tokens', ...addressLimit, max: addressLimit.max * 4 },
    /** Reading without a credential, per client address; long texts in forms, per signed-in user. */
    reading: { name: 'reading', max: 120, windowMs: 60_000 },
    /** Inspected links, per user; per client address without a credential. */
    inspecting: { name: 'inspecting', max: 60, windowMs: 60_000 },
    /** Test messages, per webhook. */
    testing: { name: 'testing', max: 20, windowMs: 600_000 },
    /** Writes of one user over all sessions. */
    writes: writes.filter(({ max }) => max > 0),
    /** Reads, likewise. */
    reads: reads.filter(({ max }) => max > 0),
  }
}

/** One request, counted by several limits under one key. */
export function countsOf(limits: readonly Limit[], key: string): Count[] {
  return limits.map((limit) => ({ limit, key }))
}

/** The factor by which a wider network may do more: it may belong to one customer of a provider, or to many. */
const WIDER = 8

/**
 * Counts a request for its network and, for IPv6, also for the wider one: the owner of a /48 has 65536 /64s.
 * @param network from `network`.
 * @param purpose counts different uses of one limit separately.
 */
export function networkCounts(limit: Limit, network: string, purpose = ''): Count[] {
  const own = { limit, key: purpose + network }
  const wider = widerNetwork(network)
  if (wider === network) return [own]
  return [own, { limit: { ...limit, name: `${limit.name}-wider`, max: limit.max * WIDER }, key: purpose + wider }]
}

/**
 * Counts a request against several limits, or against none if one of them refuses, so that `resetSeconds` holds for all
 * of them. Synchronous if the bucket is.
 */
export function takeAll(bucket: Bucket, counts: readonly Count[]): Decision | Promise<Decision> {
  const [first] = counts
  // A shortcut for the usual case: the lists below would make a click 10 % slower.
  if (first !== undefined && counts.length === 1) return bucket.take(first.limit, first.key)
  const taken = counts.map(({ limit, key }) => bucket.take(limit, key))
  return areResolved(taken)
    ? combine(bucket, counts, taken)
    : Promise.all(taken).then((all) => combine(bucket, counts, all))
}

function combine(bucket: Bucket, counts: readonly Count[], decisions: readonly Decision[]) {
  const refused = decisions.filter(({ allowed }) => !allowed)
  const decision = {
    allowed: refused.length === 0,
    remaining: Math.min(...decisions.map(({ remaining }) => remaining)),
    resetSeconds: Math.max(...(refused.length > 0 ? refused : decisions).map(({ resetSeconds }) => resetSeconds)),
  }
  if (decision.allowed || refused.length === counts.length) return decision
  const undone = giveAllBack(
    bucket,
    counts.filter((_, index) => decisions[index]?.allowed),
  )
  return undone instanceof Promise ? undone.then(() => decision) : decision
}

/** Uncounts a request that was counted by `takeAll`. */
export function giveAllBack(bucket: Bucket, counts: readonly Count[]): void | Promise<void> {
  const given = counts.map(({ limit, key }) => bucket.giveBack(limit, key))
  if (!areResolved(given)) return Promise.all(given).then(() => {})
}

function areResolved<T>(answers: readonly (T | Promise<T>)[]): answers is readonly T[] {
  return !answers.some((answer) => answer instanceof Promise)
}

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
 * Counts a caller's write or read, if the call is one. Keys have their own limits; one without any shares its person's writes
 * per hour, but not per minute.
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
 * Uncounts a request of a key whose answer has not changed. Such requests beyond the limit on reading stay counted.
 * @param headers of the answer, with those that `countForKey` returned for it.
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

/** Requests of a key in the last hour. Reading does not count as one. */
export async function usedInLastHour(
  bucket: Bucket,
  { id, rateLimitPerHour }: Pick<KnownKey, 'id' | 'rateLimitPerHour'>,
) {
  return bucket.used(hourly(rateLimitPerHour), String(id))
}

/**
 * The network under which limits count a client address: IPv4 as it is, IPv6 by its /64, which is what one customer gets.
 * Expects the address in plain form.
 */
export function network(address: string): string {
  return address.includes(':') ? prefix(address, 4) : address
}

/** The wider network of an address: IPv4 as it is, IPv6 by its /48, the most that one site gets. */
export function widerNetwork(address: string): string {
  return address.includes(':') ? prefix(address, 3) : address
}

/** The first `count` groups of an IPv6 address or network. */
function prefix(address: string, count: number): string {
  const [head = '', tail] = address.replace(/\/\d+$/, '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length)
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...after]
  const first = all.slice(0, count).map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
  return `${first.join(':')}::/${count * 16}`
}
