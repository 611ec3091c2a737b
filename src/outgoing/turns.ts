import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { checkedHosts } from '../../db/schema.ts'

/** From one request to a host to the next, whichever process sends it, and whatever for. */
export const TURN_MS = 1_000
/** A turn that is further away is not waited for. */
const PATIENCE_MS = 15_000

/** The clock, which tests set. Times are milliseconds since 1970. */
export interface Clock {
  now(): number
  until(time: number): Promise<unknown>
}

/** The machine’s own. */
export const CLOCK: Clock = { now: Date.now, until: (time) => sleep(Math.max(0, time - Date.now())) }

/** The host of a URL, as turns are counted: whatever its port, or a dot at its end, it is one. */
export function hostOfTurns({ hostname }: URL): string {
  return hostname.replace(/\.$/, '')
}

/**
 * Reserves the next turn of a host, for a request that nobody waits for, and waits for it.
 * @param host as `hostOfTurns` has it.
 * @returns false if that is too far away.
 */
export async function takeTurn({ write }: Pick<Store, 'write'>, host: string, clock: Clock): Promise<boolean> {
  const now = clock.now()
  const [reserved] = await write([
    sql`INSERT INTO ${checkedHosts} (host, next_at, used_at) VALUES (${host}, ${now + TURN_MS}, ${now})
      ON CONFLICT (host) DO UPDATE SET next_at = max(next_at, ${now}) + ${TURN_MS}, used_at = ${now}
      WHERE next_at <= ${now + PATIENCE_MS} RETURNING next_at`,
  ])
  const nextAt = reserved?.rows[0]?.next_at
  if (nextAt === undefined) return false
  await clock.until(Number(nextAt) - TURN_MS)
  return true
}
