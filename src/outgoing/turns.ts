import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'

// Turns of all requests to URLs that somebody names, in this process, whatever they are for: who names a site must not make us flood
// it, nor one address by many names. What is sent in the background takes those of shared-turns.ts first.

/** Where a request goes, as turns are counted. */
export interface Places {
  /** The host, whatever its port. Which hosts are of one site is not known: mostly they share addresses. */
  site: string
  /** The /24 or /64 of each address. */
  blocks: readonly string[]
}

/** How fast requests may follow one another: at once so many, then one in so many milliseconds. */
interface Pace {
  readonly burst: number
  readonly everyMs: number
}

/** At a site: the 25 links of a bundle begin within half a second. */
const SITE: Pace = { burst: 20, everyMs: 100 }
/** At a block of addresses, which may have the sites of very many people. */
const BLOCK: Pace = { burst: 40, everyMs: 50 }

/** What an account causes within a minute, all together: a turn more is refused, and an answer is cut off. */
const MAX_REQUESTS = 600
const MAX_BYTES = 16 * 2 ** 20
const MINUTE_MS = 60_000

/** Of places and accounts that are remembered: more are none within the minute. */
const MAX_KEPT = 20_000

/** Why a request was not sent: its site has had too many, or its account has. */
export class NoTurn extends Error {
  constructor(readonly whose: 'site' | 'account') {
    super(`too many requests to this site, or of this account: ${whose}`)
  }
}

/** The clock, which tests set. */
interface Clock {
  /** In milliseconds, monotonic. */
  now(): number
  wait(ms: number): Promise<unknown>
}

/** What an account has caused since its minute began. */
interface Sum {
  requests: number
  bytes: number
}

/** Turns in one process. */
export class Turns {
  /** When each place will have had its pace without a burst. */
  readonly #next = new LRUCache<string, number>({ max: MAX_KEPT })
  readonly #sums: LRUCache<string, Sum>

  constructor(readonly clock: Clock = { now: () => performance.now(), wait: sleep }) {
    this.#sums = new LRUCache({ max: MAX_KEPT, ttl: MINUTE_MS, ttlResolution: 0, perf: clock })
  }

  /**
   * Waits for the turn of a request.
   * @param account that causes it; null for nobody’s.
   * @param patienceMs a turn that is further away is not waited for, and uses nothing up.
   * @throws NoTurn.
   */
  async take({ site, blocks }: Places, account: string | null, patienceMs: number): Promise<void> {
    const now = this.clock.now()
    const places = [[site, SITE] as const, ...blocks.map((block) => [block, BLOCK] as const)]
    const beginsAt = places.map(([place, { burst, everyMs }]) => this.#nextOf(place, now) - (burst - 1) * everyMs)
    const waitMs = Math.max(0, ...beginsAt.map((at) => at - now))
    if (waitMs > patienceMs) throw new NoTurn('site')
    if (account !== null) this.#count(account)
    // Each from its own last turn: a site that is far behind must not hold up whoever shares its addresses.
    for (const [place, { everyMs }] of places) this.#next.set(place, this.#nextOf(place, now) + everyMs)
    if (waitMs > 0) await this.clock.wait(waitMs)
  }

  /** Counts what was received for an account. @returns whether it may have more. */
  receive(account: string | null, bytes: number): boolean {
    if (account === null) return true
    const sum = this.#sumOf(account)
    sum.bytes += bytes
    return sum.bytes <= MAX_BYTES
  }

  #nextOf(place: string, now: number): number {
    return Math.max(this.#next.get(place) ?? 0, now)
  }

  #count(account: string): void {
    const sum = this.#sumOf(account)
    if (sum.requests >= MAX_REQUESTS || sum.bytes >= MAX_BYTES) throw new NoTurn('account')
    sum.requests += 1
  }

  #sumOf(account: string): Sum {
    const known = this.#sums.get(account)
    if (known !== undefined) return known
    const sum = { requests: 0, bytes: 0 }
    this.#sums.set(account, sum)
    return sum
  }
}
