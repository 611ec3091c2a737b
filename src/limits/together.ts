import { widerNetwork } from '../limits/network.ts'
import type { Bucket, Decision, Limit } from './bucket.ts'

/** One request as one of several limits counts it. */
export interface Count {
  limit: Limit
  key: string
}

/** Limits on one thing that grow stricter the longer the window: who goes on is slowed down more and more. */
export function tiers(name: string, bounds: readonly (readonly [max: number, windowMs: number])[]): Limit[] {
  return bounds.map(([max, windowMs]) => ({ name: `${name}-${windowMs / 1000}s`, max, windowMs }))
}

/** The same request counted by several limits. */
export function countsOf(limits: readonly Limit[], key: string): Count[] {
  return limits.map((limit) => ({ limit, key }))
}

/** How many times what one network may do a wider one may, which many customers of a provider share, or one has whole. */
const WIDER = 8

/**
 * A client's request as the limit on its network counts it and, for an IPv6 client, that on its wider network: whoever has a
 * /48 has 65536 of the /64 that others have one of.
 * @param network as `network` gives it.
 * @param purpose tells buckets of one limit apart.
 */
export function networkCounts(limit: Limit, network: string, purpose = ''): Count[] {
  const own = { limit, key: purpose + network }
  const wider = widerNetwork(network)
  if (wider === network) return [own]
  return [own, { limit: { ...limit, name: `${limit.name}-wider`, max: limit.max * WIDER }, key: purpose + wider }]
}

/**
 * Counts a request against all of several limits, or, where any of them refuses, against none, so that `resetSeconds` stays
 * true: after it all of them let one through. Answers in the same turn where the bucket does.
 */
export function takeAll(bucket: Bucket, counts: readonly Count[]): Decision | Promise<Decision> {
  const [first] = counts
  // As it is for nearly everybody; the lists below would cost a click on Open all a tenth of its time.
  if (first !== undefined && counts.length === 1) return bucket.take(first.limit, first.key)
  const taken = counts.map(({ limit, key }) => bucket.take(limit, key))
  return areThere(taken) ? settle(bucket, counts, taken) : Promise.all(taken).then((all) => settle(bucket, counts, all))
}

function settle(bucket: Bucket, counts: readonly Count[], decisions: readonly Decision[]) {
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

/** Takes back a request that was counted against all of them. */
export function giveAllBack(bucket: Bucket, counts: readonly Count[]): void | Promise<void> {
  const given = counts.map(({ limit, key }) => bucket.giveBack(limit, key))
  if (!areThere(given)) return Promise.all(given).then(() => {})
}

function areThere<T>(answers: readonly (T | Promise<T>)[]): answers is readonly T[] {
  return !answers.some((answer) => answer instanceof Promise)
}
