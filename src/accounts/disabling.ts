import { eq, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { session, user, verification } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import { linksOf } from '../identity/proof.ts'

// An operator may lock a person out without deleting their data. Their sessions end, every way of signing in is refused
// (`refuseDisabled`), and their sessions (identity/sessions.ts) and keys (keys/key-ring.ts) are not accepted.

/** Disables an account, in every process within a second. Repeating it changes nothing. */
export async function disable({ db, write }: Store, userId: string): Promise<void> {
  await write([
    db
      .update(user)
      .set({ disabledAt: sql`coalesce(${user.disabledAt}, ${Date.now()})` })
      .where(eq(user.id, userId)),
    db.delete(session).where(eq(session.userId, userId)),
    db.delete(verification).where(linksOf(sql`${userId}`)),
  ])
}

/** Enables an account again: its keys work as before, and its owner can sign in. */
export async function enable({ db, write }: Store, userId: string): Promise<void> {
  await write([db.update(user).set({ disabledAt: null }).where(eq(user.id, userId))])
}

/** The error for a person who has proved their identity but whose account is disabled. */
export function accountDisabled(): Problem {
  return new Problem(
    'ACCOUNT_DISABLED',
    'This account is disabled. Ask the administrator of this service to enable it again.',
  )
}

/**
 * Refuses a session for a disabled account. Only called after a correct password or link, so it reveals the account to nobody
 * else.
 * @throws Problem ACCOUNT_DISABLED.
 */
export async function refuseDisabled({ db }: Store, userId: string): Promise<void> {
  const [found] = await db.select({ disabledAt: user.disabledAt }).from(user).where(eq(user.id, userId))
  if (found !== undefined && found.disabledAt !== null) throw accountDisabled()
}
