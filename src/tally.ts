/** Kinds of addresses, so that a count of requests has few and fixed labels. */
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

/** What this process has counted of itself since it started; plain numbers, for some of it is counted on the hot path. */
export class Tally {
  /** Launchers answered from memory, which are counted nowhere else. */
  keptLaunchers = 0
  /** Answers by class and status. */
  readonly answers = new Map<RouteClass, Map<number, number>>()
  /** Requests refused by a limit, by its name. */
  readonly limited = new Map<string, number>()
  /** Told how long each answer took that the router gave, in seconds; null where nobody asks. */
  time: ((route: RouteClass, seconds: number) => void) | null = null

  /** Counts an answer. */
  answered(route: RouteClass, status: number): void {
    let byStatus = this.answers.get(route)
    if (byStatus === undefined) this.answers.set(route, (byStatus = new Map()))
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
  }

  /** Counts a request that a limit refused. */
  refusedBy(limit: string): void {
    this.limited.set(limit, (this.limited.get(limit) ?? 0) + 1)
  }
}
