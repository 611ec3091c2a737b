import { randomUUID } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { checkedHosts, checkedLinks } from '../../db/schema.ts'
import { type Clock, TURN_MS, takeTurn } from '../outgoing/turns.ts'
import type { Hosts } from './look.ts'

/** Longer than a look may take: after this, the process that looks is taken to be dead. */
const LEASE_MS = 300_000
const ROBOTS_KEPT_MS = 86_400_000

/** Hosts as all processes on a store share them: one of them looks at a host at a time, and a host gets a request a second. */
export class SharedHosts {
  readonly #mark = randomUUID()

  constructor(
    readonly store: Pick<Store, 'db' | 'write'>,
    readonly clock: Clock,
  ) {}

  /** Takes some hosts of which a link is due, for as long as a look may take. Each has its first turn. */
  async take(most: number): Promise<string[]> {
    const now = this.clock.now()
    const due = sql`SELECT ${checkedHosts.host} FROM ${checkedHosts} WHERE ${checkedHosts.dueAt} <= ${now} AND ${checkedHosts.nextAt} <= ${now} ORDER BY ${checkedHosts.dueAt} LIMIT ${most}`
    // Nothing is written most of the time.
    if ((await this.store.db.select({ host: sql`host` }).from(sql`(${due})`)).length === 0) return []
    const taken = { dueAt: now + LEASE_MS, nextAt: now + TURN_MS, usedAt: now, lease: this.#mark }
    const update = this.store.db.update(checkedHosts).set(taken).where(sql`${checkedHosts.host} IN (${due})`)
    const [result] = await this.store.write([update.returning({ host: checkedHosts.host })])
    return (result?.rows ?? []).map(({ host }) => String(host))
  }

  /** The write that gives a host back, to be looked at again when its next link is due. */
  release(host: string) {
    const next = sql`(SELECT min(${checkedLinks.dueAt}) FROM ${checkedLinks} WHERE ${checkedLinks.host} = ${host})`
    return this.store.db
      .update(checkedHosts)
      .set({ dueAt: next, lease: null })
      .where(and(eq(checkedHosts.host, host), eq(checkedHosts.lease, this.#mark)))
  }

  /** Gives all hosts back at once, whose looks others begin anew. */
  async releaseAll(): Promise<void> {
    const given = { dueAt: this.clock.now(), lease: null }
    await this.store.write([this.store.db.update(checkedHosts).set(given).where(eq(checkedHosts.lease, this.#mark))])
  }

  /** What a look at a link of a host that was taken needs of it and of those that it is led to. */
  forLookAt(taken: string): Hosts {
    let hasTurn = true
    return {
      turn: async (host) => {
        if (host !== taken || !hasTurn) return takeTurn(this.store, host, this.clock)
        hasTurn = false
        return true
      },
      robotsOf: async (authority) => {
        const [row] = await this.store.db
          .select({ robots: checkedHosts.robots, at: checkedHosts.robotsAt })
          .from(checkedHosts)
          .where(eq(checkedHosts.host, authority))
        return row?.at != null && row.at > this.clock.now() - ROBOTS_KEPT_MS ? row.robots : null
      },
      keepRobots: async (authority, rules) => {
        const now = this.clock.now()
        const kept = { robots: [...rules], robotsAt: now, usedAt: now }
        const row = this.store.db.insert(checkedHosts).values({ host: authority, ...kept })
        await this.store.write([row.onConflictDoUpdate({ target: checkedHosts.host, set: kept })])
      },
    }
  }
}
