import { and, eq, gt, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { LeasedQueue } from '../../db/queue.ts'
import { checkedHosts, checkedLinks, robots } from '../../db/schema.ts'
import { type Clock, takeTurn } from '../outgoing/turns.ts'
import type { Hosts } from './probe.ts'

/** Longer than a probe may take: after this, the checking process counts as dead. */
const LEASE_MS = 300_000
const ROBOTS_KEPT_MS = 86_400_000
/** How many hosts’ `robots.txt` rules are kept for the probes of one owner: older ones are read again when needed. */
const MAX_ROBOTS = 2_000
const MAX_ROBOTS_BYTES = 2 ** 20
/** The size of a row without its rules. */
const ROW_BYTES = 100
/** How many rows beyond the limits one write deletes. */
const FORGOTTEN_AT_ONCE = 50

/** The hosts that all processes on a store share: only one process checks a host at a time. */
export class SharedHosts {
  readonly queue: LeasedQueue<string>

  constructor(
    readonly store: Pick<Store, 'db' | 'write'>,
    readonly clock: Clock,
  ) {
    this.queue = new LeasedQueue(store, { table: checkedHosts, key: checkedHosts.host, leaseMs: LEASE_MS, clock })
  }

  /** The writes that release a host, to be checked again when its next link is due, but not before the given time. */
  release(host: string, notBefore: number): Query[] {
    const isMine = this.queue.isMine(host)
    const next = sql`(SELECT min(${checkedLinks.dueAt}) FROM ${checkedLinks} WHERE ${checkedLinks.host} = ${host})`
    return [
      this.store.db.delete(checkedHosts).where(and(isMine, sql`${next} IS NULL`)),
      this.store.db
        .update(checkedHosts)
        .set({ dueAt: sql`max(${next}, ${notBefore})`, lease: null })
        .where(isMine),
    ]
  }

  /** The access to hosts for checks of an owner’s links. */
  forLooksOf(ownerId: number): Hosts {
    const { store, clock } = this
    return {
      turn: (places) => takeTurn(store, places, clock),
      async robotsOf(authority) {
        const isFresh = gt(robots.at, clock.now() - ROBOTS_KEPT_MS)
        const [row] = await store.db
          .select({ rules: robots.rules })
          .from(robots)
          .where(and(eq(robots.authority, authority), isFresh))
        return row?.rules ?? null
      },
      async keepRobots(authority, rules) {
        const bytes = Buffer.byteLength(authority + JSON.stringify(rules)) + ROW_BYTES
        const kept = { ownerId, rules: [...rules], bytes, at: clock.now() }
        const row = store.db.insert(robots).values({ authority, ...kept })
        await store.write([row.onConflictDoUpdate({ target: robots.authority, set: kept }), tooMuchOf(ownerId)])
      },
    }
  }
}

/** The write that deletes an owner’s rules beyond the limits, oldest first. */
function tooMuchOf(ownerId: number): Query {
  return sql`DELETE FROM ${robots} WHERE rowid IN (
    SELECT id FROM (
      SELECT rowid AS id, row_number() OVER newest AS place, sum(bytes) OVER newest AS total FROM ${robots} WHERE owner_id = ${ownerId}
      WINDOW newest AS (ORDER BY at DESC, rowid DESC ROWS UNBOUNDED PRECEDING)
    ) WHERE place > ${MAX_ROBOTS} OR total > ${MAX_ROBOTS_BYTES} LIMIT ${FORGOTTEN_AT_ONCE})`
}
