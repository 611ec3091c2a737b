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
 * Counts requests in a sliding window per limit and key. Every store counts in steps of a thousandth of the
 * window, each of which expires a window after its latest request: never more than `max` pass in any window, an answer may
 * refuse up to one step too long, and `resetSeconds` never exceeds the window. Refused requests are not counted, which keeps
 * it true.
 */
export interface Bucket {
  take(limit: Limit, key: string): Decision | Promise<Decision>
  /** Requests counted at this moment. Asking does not count. */
  used(limit: Limit, key: string): number | Promise<number>
  /** Uncounts the latest request, if it turned out not to be what the limit is for. */
  giveBack(limit: Limit, key: string): void | Promise<void>
}

/** Steps per window. */
export const STEPS = 1000
