import { eq, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { session, user, verification } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import { linksOf } from '../identity/proof.ts'

// An operator may keep a person out without deleting what is theirs. Their sessions end, every way of signing in is
// refused (`refuseDisabled`), and neither a session (sessions.ts) nor a key (keys/key-ring.ts) of theirs is read.

/** Disables an account: in every process within a second. Doing it again changes nothing. */
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

/** Enables it again: keys work as before, and its owner can sign in. */
export async function enable({ db, write }: Store, userId: string): Promise<void> {
  await write([db.update(user).set({ disabledAt: null }).where(eq(user.id, userId))])
}

/** The error for someone who has shown who they are, and is kept out. */
export function accountDisabled(): Problem {
  return new Problem(
    'ACCOUNT_DISABLED',
    'This account is disabled. Ask the administrator of this service to enable it again.',
  )
}

/**
 * Refuses a session for a disabled account. Only asked after a password or link was right, so it tells nobody else that
 * the account exists.
 * @throws Problem ACCOUNT_DISABLED.
 */
export async function refuseDisabled({ db }: Store, userId: string): Promise<void> {
  const [found] = await db.select({ disabledAt: user.disabledAt }).from(user).where(eq(user.id, userId))
  if (found !== undefined && found.disabledAt !== null) throw accountDisabled()
}
