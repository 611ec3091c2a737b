import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { apiKeys, appGrants } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import { count } from '../core/words.ts'
import { hasEnded } from '../identity/ended-keys.ts'
import { requireRole } from '../identity/roles.ts'
import { ownerId } from '../plans/owners.ts'
import { isFull, MAX_WORKING, refuseFull } from './caps.ts'
import { noKey } from './keys.ts'
import { type Minter, makeKey } from './new-key.ts'
import type { KeyRotation } from './shapes.ts'

const HOUR_MS = 3_600_000

/** Those that were rotated and still work count too, so that there may be as many of them again. */
const MAX_WITH_ROTATED = 2 * MAX_WORKING

/**
 * Makes a key in the place of one of the acting subject, which ends after the hours of grace. The new one has the same name,
 * scopes, limit, networks and, unless another is sent, end; it acts with the role of who rotates it. Of several rotations
 * and a revocation at once, those that come too late change nothing.
 * @throws Problem NOT_FOUND; KEY_NOT_ROTATABLE for one that has ended, was rotated, or is an app’s; FORBIDDEN for a member
 * of an organisation who is not an admin, and for a key that may do less; PLAN_LIMIT.
 */
export async function rotate({ id, graceHours, expiresAt }: KeyRotation, store: Store, caller: Minter) {
  const { db, write } = store
  const { name, scopes, rateLimitPerHour, expiresAt: end, allowedNetworks } = await rotatable(store, caller, id)
  const oldEnd = Date.now() + graceHours * HOUR_MS
  const until = end === null ? oldEnd : Math.min(end, oldEnd)
  const given = {
    name,
    scopes,
    rateLimitPerHour,
    expiresAt: expiresAt === undefined ? end : Date.parse(expiresAt),
    allowedNetworks,
  }
  const mine = and(eq(apiKeys.id, id), eq(apiKeys.ownerId, ownerId(caller.subject)))
  // Set by the write before it, unless the key ended meanwhile.
  const isRotated = (newId: number) =>
    sql`EXISTS (SELECT 1 FROM ${apiKeys} WHERE ${mine} AND ${apiKeys.replacedBy} = ${newId})`
  return makeKey(given, {
    store,
    caller,
    commit: (writes) => write(writes),
    before: (newId) => [
      db
        .update(apiKeys)
        .set({ replacedBy: newId, expiresAt: until, endToldAt: Date.now() })
        .where(and(mine, isNull(apiKeys.replacedBy), sql`NOT ${hasEnded()}`)),
    ],
    owner: (newId) =>
      sql`CASE WHEN ${isRotated(newId)} AND NOT ${isFull(caller.subject, MAX_WITH_ROTATED)} THEN ${ownerId(caller.subject)} END`,
    async refused() {
      await rotatable(store, caller, id)
      await refuseFull(store, caller.subject, MAX_WITH_ROTATED)
    },
    warning: graceHours === 0 ? ' The old key has ended.' : ` The old key ends within ${count(graceHours, 'hour')}.`,
  })
}

/** A key of the acting subject that may be rotated now. @throws Problem. */
async function rotatable({ db }: Store, { subject, role }: Minter, id: number) {
  requireRole(role, 'admin')
  const [row] = await db
    .select({ key: apiKeys, app: appGrants.keyId, hasEnded: sql<number>`${hasEnded()}` })
    .from(apiKeys)
    .leftJoin(appGrants, eq(appGrants.keyId, apiKeys.id))
    .where(and(eq(apiKeys.id, id), eq(apiKeys.ownerId, ownerId(subject))))
  if (row === undefined) throw noKey(id)
  const { replacedBy } = row.key
  if (replacedBy !== null)
    throw notRotatable(
      `Key ${id} was rotated already: rotate key ${replacedBy}, which took its place.`,
      'This API key was rotated already.',
    )
  if (row.app !== null)
    throw notRotatable(
      `Key ${id} is an app’s, which renews it by itself: to end it, revoke it.`,
      'Apps renew their keys by themselves.',
    )
  if (row.hasEnded === 1)
    throw notRotatable(`Key ${id} has ended: create another.`, 'This API key has ended. Create another.')
  return row.key
}

function notRotatable(message: string, userMessage: string): Problem {
  return new Problem('KEY_NOT_ROTATABLE', message, { userMessage })
}
