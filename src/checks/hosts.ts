import { randomUUID } from 'node:crypto'
import { and, eq, gt, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { checkedHosts, checkedLinks, robots } from '../../db/schema.ts'
import { type Clock, takeTurn } from '../outgoing/shared-turns.ts'
import type { Hosts } from './look.ts'

/** Longer than a look may take: after this, the process that looks is taken to be dead. */
const LEASE_MS = 300_000
const ROBOTS_KEPT_MS = 86_400_000
/** What `robots.txt` files say to the looks of one owner: beyond this, the oldest are read anew when they are needed. */
const MAX_ROBOTS = 2_000
const MAX_ROBOTS_BYTES = 2 ** 20
/** What a row takes besides its rules. */
const ROW_BYTES = 100
/** Of what is too much, forgotten in one write. */
const FORGOTTEN_AT_ONCE = 50

/** Hosts as all processes on a store share them: one of them looks at a host at a time. */
export class SharedHosts {
  readonly #mark = randomUUID()

  constructor(
    readonly store: Pick<Store, 'db' | 'write'>,
    readonly clock: Clock,
  ) {}

  /** Takes some hosts of which a link is due, for as long as a look may take. */
  async take(most: number): Promise<string[]> {
    const now = this.clock.now()
    const due = sql`SELECT ${checkedHosts.host} FROM ${checkedHosts} WHERE ${checkedHosts.dueAt} <= ${now} ORDER BY ${checkedHosts.dueAt} LIMIT ${most}`
    // Nothing is written most of the time.
    if ((await this.store.db.select({ host: sql`host` }).from(sql`(${due})`)).length === 0) return []
    const taken = { dueAt: now + LEASE_MS, lease: this.#mark }
    const update = this.store.db.update(checkedHosts).set(taken).where(sql`${checkedHosts.host} IN (${due})`)
    const [result] = await this.store.write([update.returning({ host: checkedHosts.host })])
    return (result?.rows ?? []).map(({ host }) => String(host))
  }

  /** The writes that give a host back, to be looked at again when its next link is due, but not before a time. */
  release(host: string, notBefore: number): Query[] {
    const mine = and(eq(checkedHosts.host, host), eq(checkedHosts.lease, this.#mark))
    const next = sql`(SELECT min(${checkedLinks.dueAt}) FROM ${checkedLinks} WHERE ${checkedLinks.host} = ${host})`
    return [
      this.store.db.delete(checkedHosts).where(and(mine, sql`${next} IS NULL`)),
      this.store.db
        .update(checkedHosts)
        .set({ dueAt: sql`max(${next}, ${notBefore})`, lease: null })
        .where(mine),
    ]
  }

  /** Gives all hosts back at once, whose looks others begin anew. */
  async releaseAll(): Promise<void> {
    const given = { dueAt: this.clock.now(), lease: null }
    await this.store.write([this.store.db.update(checkedHosts).set(given).where(eq(checkedHosts.lease, this.#mark))])
  }

  /** What looks at an owner’s links need of hosts. */
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

/** The write that forgets what an owner has too much of, oldest first. */
function tooMuchOf(ownerId: number): Query {
  return sql`DELETE FROM ${robots} WHERE rowid IN (
    SELECT id FROM (
      SELECT rowid AS id, row_number() OVER newest AS place, sum(bytes) OVER newest AS total FROM ${robots} WHERE owner_id = ${ownerId}
      WINDOW newest AS (ORDER BY at DESC, rowid DESC ROWS UNBOUNDED PRECEDING)
    ) WHERE place > ${MAX_ROBOTS} OR total > ${MAX_ROBOTS_BYTES} LIMIT ${FORGOTTEN_AT_ONCE})`
}
