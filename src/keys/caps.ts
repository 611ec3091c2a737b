import { and, eq, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { apiKeys, appRefreshTokens } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import type { Subject } from '../identity/caller.ts'
import { hasEnded } from '../identity/ended-keys.ts'
import { ownerId } from '../plans/owners.ts'

// Caps on a subject’s keys, including those of apps.

/** Active keys of a subject at a time. */
export const MAX_WORKING = 100
/** The newest ended keys, which are still listed. */
const MAX_ENDED = 100
/** Refresh tokens kept for one app: a renewal every half hour makes 1440 in the 30 days that they are kept. */
const MAX_TOKENS = 1500
/** How long the answer to a used refresh token is kept: longer than it is repeated. */
const ANSWERS_KEPT_MS = 60_000

/** The SQL condition for a subject with at least `most` active keys. */
export function isFull(subject: Subject, most = MAX_WORKING) {
  const working = sql`SELECT count(*) FROM ${apiKeys} WHERE ${apiKeys.ownerId} = ${ownerId(subject)} AND NOT ${hasEnded()}`
  return sql<number>`(${working}) >= ${most}`
}

/** The owner of a new key: NULL, which the column refuses, if the subject has too many. */
export function ownerOfNewKey(subject: Subject) {
  return sql<number>`CASE WHEN NOT ${isFull(subject)} THEN ${ownerId(subject)} END`
}

/** Erases a subject's oldest ended keys beyond those that are listed. */
export function eraseEnded(db: Store['db'], subject: Subject): Query {
  const isOwn = eq(apiKeys.ownerId, ownerId(subject))
  const oldest = sql`SELECT ${apiKeys.id} FROM ${apiKeys} WHERE ${and(isOwn, hasEnded())} ORDER BY ${apiKeys.id} DESC LIMIT -1 OFFSET ${MAX_ENDED}`
  return db.delete(apiKeys).where(sql`${apiKeys.id} IN (${oldest})`)
}

/**
 * Refuses a subject that has too many keys now. The insert checks again.
 * @throws Problem PLAN_LIMIT.
 */
export async function refuseFull({ db }: Store, subject: Subject, most = MAX_WORKING): Promise<void> {
  const [row] = await db.select({ full: isFull(subject, most) }).from(sql`(SELECT 1)`)
  if (row?.full !== 1) return
  throw new Problem(
    'PLAN_LIMIT',
    `At most ${most} keys and connected apps may work at a time: revoke one that is not needed any more.`,
  )
}

/** Forgets old answers to an app's used refresh tokens, and ends an app that has too many tokens. */
export function boundTokens(db: Store['db'], keyId: number, now: number): Query[] {
  const isOwn = eq(appRefreshTokens.keyId, keyId)
  return [
    db
      .update(appRefreshTokens)
      .set({ answer: null })
      .where(
        and(
          isOwn,
          sql`${appRefreshTokens.usedAt} < ${now - ANSWERS_KEPT_MS} AND ${appRefreshTokens.answer} IS NOT NULL`,
        ),
      ),
    db
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(
        and(
          eq(apiKeys.id, keyId),
          sql`${apiKeys.revokedAt} IS NULL AND (SELECT count(*) FROM ${appRefreshTokens} WHERE ${isOwn}) > ${MAX_TOKENS}`,
        ),
      ),
  ]
}
