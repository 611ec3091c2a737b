import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Store } from '../../db/client.ts'
import { outgoingTurns } from '../../db/schema.ts'

// Turns of all requests to URLs from users, in this process and for any purpose: a person who names a site must not make the
// service flood it, nor flood one address through many names. Background requests first take a turn by `takeTurn`.

/** The destination of a request, for counting turns. */
export interface Places {
  /** The host, whatever its port. Which hosts belong to one site is unknown, but they usually share addresses. */
  site: string
  /** The /24 or /64 of each address. */
  blocks: readonly string[]
}

/** The pace of requests: a number at once, then one per interval in milliseconds. */
interface Pace {
  readonly burst: number
  readonly everyMs: number
}

/** For a site: the 25 links of a bundle begin within half a second. */
const SITE: Pace = { burst: 20, everyMs: 100 }
/** For a block of addresses, which may have the sites of very many people. */
const BLOCK: Pace = { burst: 40, everyMs: 50 }

/** An account's maximum per minute: a further turn is refused, and an answer is cut off. */
const MAX_REQUESTS = 600
const MAX_BYTES = 16 * 2 ** 20
const MINUTE_MS = 60_000

/** Maximum places and accounts that are remembered; there are not more within a minute. */
const MAX_KEPT = 20_000

/** Why a request was not sent: too many went to its site, or came from its account. */
export class NoTurn extends Error {
  constructor(readonly whose: 'site' | 'account') {
    super(`too many requests to this site, or of this account: ${whose}`)
  }
}

/** The clock, which tests set. */
interface MonotonicClock {
  /** In milliseconds, monotonic. */
  now(): number
  wait(ms: number): Promise<unknown>
}

/** An account’s use since its minute began. */
interface Sum {
  requests: number
  bytes: number
}

/** Turns in one process. */
export class Turns {
  /** For each place, the time at which its turns so far would end at its pace without a burst. */
  readonly #next = new LRUCache<string, number>({ max: MAX_KEPT })
  readonly #sums: LRUCache<string, Sum>

  constructor(readonly clock: MonotonicClock = { now: () => performance.now(), wait: sleep }) {
    this.#sums = new LRUCache({ max: MAX_KEPT, ttl: MINUTE_MS, ttlResolution: 0, perf: clock })
  }

  /**
   * Waits for the turn of a request.
   * @param account that causes it; null for none.
   * @param patienceMs a turn that is further away is refused, and uses nothing up.
   * @throws NoTurn.
   */
  async take({ site, blocks }: Places, account: string | null, patienceMs: number): Promise<void> {
    const now = this.clock.now()
    const places = [[site, SITE] as const, ...blocks.map((block) => [block, BLOCK] as const)]
    const beginsAt = places.map(([place, { burst, everyMs }]) => this.#nextOf(place, now) - (burst - 1) * everyMs)
    const waitMs = Math.max(0, ...beginsAt.map((at) => at - now))
    if (waitMs > patienceMs) throw new NoTurn('site')
    if (account !== null) this.#count(account)
    // Each place counts from its own last turn: a site that is far behind must not hold up others at its addresses.
    for (const [place, { everyMs }] of places) this.#next.set(place, this.#nextOf(place, now) + everyMs)
    if (waitMs > 0) await this.clock.wait(waitMs)
  }

  /** Counts bytes received for an account. @returns whether it may receive more. */
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

// Turns of background requests, which all processes on a store share. The class above counts all requests of one process.

/** Interval between two requests to a site, from any process and for any purpose. */
const SITE_MS = 1_000
/** Interval for a block of addresses, which may have the sites of very many people. */
const BLOCK_MS = 250
/** A turn that is further away is refused. */
const PATIENCE_MS = 15_000

/** The clock, which tests set. Times are milliseconds since 1970. */
export interface Clock {
  now(): number
  until(time: number): Promise<unknown>
}

/** The machine’s own. */
export const CLOCK: Clock = { now: Date.now, until: (time) => sleep(Math.max(0, time - Date.now())) }

/**
 * Reserves the next turn at a site and its addresses for a background request, and waits for it.
 * @returns false if it is too far away.
 */
export async function takeTurn(
  { write }: Pick<Store, 'write'>,
  { site, blocks }: Places,
  clock: Clock,
): Promise<boolean> {
  const now = clock.now()
  const places = [[site, SITE_MS], ...blocks.map((block) => [block, BLOCK_MS])]
  const given = sql`(SELECT value ->> 0 AS place, value ->> 1 AS every FROM json_each(${JSON.stringify(places)}))`
  const next = sql`(SELECT next_at FROM ${outgoingTurns} WHERE ${outgoingTurns.place} = given.place)`
  // Each place counts from its own last turn: a site that is far behind must not hold up others at its addresses.
  const [reserved] = await write([
    sql`INSERT INTO ${outgoingTurns} (place, next_at)
      SELECT given.place, max(coalesce(${next}, 0), ${now}) + every FROM ${given} AS given
      WHERE NOT EXISTS (SELECT 1 FROM ${given} AS given WHERE ${next} > ${now + PATIENCE_MS})
      ON CONFLICT (place) DO UPDATE SET next_at = excluded.next_at RETURNING place, next_at`,
  ])
  const turns = reserved?.rows ?? []
  if (turns.length === 0) return false
  await clock.until(
    Math.max(...turns.map(({ place, next_at }) => Number(next_at) - (place === site ? SITE_MS : BLOCK_MS))),
  )
  return true
}
