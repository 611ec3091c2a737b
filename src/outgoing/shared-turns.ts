import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { outgoingTurns } from '../../db/schema.ts'
import type { Places } from './turns.ts'

// Turns of requests that nobody waits for, which all processes on a store share. Those of a process, of all that it sends, are in
// turns.ts.

/** From one request to a site to the next, whichever process sends it, and whatever for. */
const SITE_MS = 1_000
/** The same for a block of addresses: one may have the sites of very many people. */
const BLOCK_MS = 250
/** A turn that is further away is not waited for. */
const PATIENCE_MS = 15_000

/** The clock, which tests set. Times are milliseconds since 1970. */
export interface Clock {
  now(): number
  until(time: number): Promise<unknown>
}

/** The machine’s own. */
export const CLOCK: Clock = { now: Date.now, until: (time) => sleep(Math.max(0, time - Date.now())) }

/**
 * Reserves the next turn at a site and its addresses, for a request that nobody waits for, and waits for it.
 * @returns false if that is too far away.
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
  // Each from its own last turn: a site that is far behind must not hold up whoever shares its addresses.
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
