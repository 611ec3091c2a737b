import type { Config } from '../config/config.ts'
import { widerNetwork } from '../limits/network.ts'
import type { Bucket, Decision, Limit } from './bucket.ts'

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

/** Which limits there are; none where a setting is 0. */
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
    /** Tokens of apps, per client address: devices ask for theirs until somebody has decided, and services about all they get. */
    tokens: { name: 'tokens', ...addressLimit, max: addressLimit.max * 4 },
    /** Reading without a credential, per client address; long texts in forms, per signed-in user. */
    reading: { name: 'reading', max: 120, windowMs: 60_000 },
    /** Links that are looked at, per user; per client address without a credential. */
    inspecting: { name: 'inspecting', max: 60, windowMs: 60_000 },
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

/** How much more a wider network may do: it may belong to one customer of a provider, or to many. */
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
