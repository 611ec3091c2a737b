declare module './service.ts' {
  interface Service {
    /** Counts for metrics. */
    tally: Tally
  }
}
/** Kinds of routes: few and fixed metric labels. */
export type RouteClass =
  | 'launcher'
  | 'event'
  | 'api'
  | 'auth'
  | 'webhook'
  | 'mcp'
  | 'page'
  | 'dashboard'
  | 'static'
  | 'operation'
  | 'refused'

/** Counts of this process since it started, for metrics. Plain numbers, because some are counted on the hot path. */
export class Tally {
  /** Launchers answered from the cache; not in `answers`. */
  cachedLaunchers = 0
  /** Answers by kind of route and status. */
  readonly answers = new Map<RouteClass, Map<number, number>>()
  /** Requests refused by a rate limit, by its name. */
  readonly limited = new Map<string, number>()
  /** Duration observer, in seconds; null when metrics are off. */
  time: ((route: RouteClass, seconds: number) => void) | null = null
  /** Observer of durable transactions: duration in seconds and number of writes; null when metrics are off. */
  commit: ((seconds: number, writes: number) => void) | null = null

  /** Counts an answer. */
  answered(route: RouteClass, status: number): void {
    let byStatus = this.answers.get(route)
    if (byStatus === undefined) this.answers.set(route, (byStatus = new Map()))
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
  }

  /** Counts a request refused by a rate limit. */
  refusedBy(limit: string): void {
    this.limited.set(limit, (this.limited.get(limit) ?? 0) + 1)
  }
}
