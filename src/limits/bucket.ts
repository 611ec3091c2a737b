/** So many requests in any window of this length. */
export interface Limit {
  /** Tells the buckets of one limit from those of another. */
  name: string
  max: number
  windowMs: number
}

/** What a bucket says of one request. */
export interface Decision {
  allowed: boolean
  /** How many more would pass now. */
  remaining: number
  /** Whole seconds, at least 1, until the oldest request that counts leaves the window; where refused, one passes then. */
  resetSeconds: number
}

/**
 * Where requests are counted, a sliding window for each key of each limit (spec 8). Every store counts in steps of a
 * thousandth of the window: at most `max` pass in any window, and an answer errs only towards refusing, by at most
 * two steps. Refused requests are not counted, so that `resetSeconds` stays true.
 */
export interface Bucket {
  take(limit: Limit, key: string): Decision | Promise<Decision>
  /** How many requests count at this moment; asking is not one of them. */
  used(limit: Limit, key: string): number | Promise<number>
  /** Takes back the latest request that counts: one that turned out not to be what the limit is for. */
  giveBack(limit: Limit, key: string): void | Promise<void>
}

/** How many steps a window is counted in. */
export const STEPS = 1000

/** When a request of a step no longer counts, in steps: a whole window after its step has ended, and one for rounding. */
export const STEPS_UNTIL_FREE = STEPS + 2
