import { and, desc, eq, isNotNull, isNull, lt, or } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { apiKeys, appGrants } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import { iso } from '../core/time.ts'
import { yieldToEventLoop } from '../core/yield-to-event-loop.ts'
import type { SignedIn } from '../identity/caller.ts'
import { requireRole } from '../identity/roles.ts'
import type { Commit } from '../operations/idempotency.ts'
import { ownerId } from '../plans/owners.ts'
import { ownerOfNewKey, refuseFull } from './caps.ts'
import { type Minter, makeKey } from './new-key.ts'
import { toApiKey } from './present.ts'
import type { KeyInfo, NewKey } from './shapes.ts'

/**
 * Mints a key for the acting subject. Only this answer holds its text. One that a key makes ends with that key, and works
 * from its networks, unless it is to end sooner or work from fewer.
 * @param commit writes the key together with its answer, for idempotency.
 * @throws Problem FORBIDDEN for a member of an organisation who is not an admin, and for a key that may do less; PLAN_LIMIT.
 */
export async function mint(
  { name, scopes, rateLimitPerHour, expiresAt, allowedNetworks }: NewKey,
  { store, caller, commit }: { store: Store; caller: Minter; commit: Commit },
) {
  requireRole(caller.role, 'admin')
  const own = caller.key ?? { expiresAt: null, networks: null }
  const given = {
    name,
    scopes,
    rateLimitPerHour,
    expiresAt: expiresAt === undefined ? own.expiresAt : Date.parse(expiresAt),
    allowedNetworks: allowedNetworks ?? (own.networks && [...own.networks]),
  }
  const refused = () => refuseFull(store, caller.subject)
  return makeKey(given, { store, caller, commit, owner: () => ownerOfNewKey(caller.subject), refused })
}

/** A key with what only the dashboard shows. */
export type ListedKey = KeyInfo & {
  /** When its minter left the organisation, which ends the key for good; null if they have not. */
  minterLeftAt: string | null
}

/**
 * All keys of the acting subject, newest first, revoked ones and those of apps included.
 * @throws Problem FORBIDDEN for a member of an organisation who is not an admin.
 */
export async function list(
  { db }: Store,
  { subject, role }: Pick<SignedIn, 'subject' | 'role'>,
  { before: first, limit }: { before?: number | undefined; limit: number } = { limit: Number.POSITIVE_INFINITY },
): Promise<ListedKey[]> {
  requireRole(role, 'admin')
  // An app that never collected its key has none.
  const isCollected = or(isNull(appGrants.keyId), isNotNull(appGrants.codeUsedAt))
  const keys: ListedKey[] = []
  for (;;) {
    const since = performance.now()
    const before = keys.at(-1)?.id ?? first
    const atOnce = Math.min(AT_ONCE, limit - keys.length)
    const rows = await db
      .select({ key: apiKeys, grant: appGrants })
      .from(apiKeys)
      .leftJoin(appGrants, eq(appGrants.keyId, apiKeys.id))
      .where(
        and(
          eq(apiKeys.ownerId, ownerId(subject)),
          isCollected,
          before === undefined ? undefined : lt(apiKeys.id, before),
        ),
      )
      .orderBy(desc(apiKeys.id))
      .limit(atOnce)
    for (const { key, grant } of rows) {
      keys.push({ ...toApiKey(key, subject, grant), minterLeftAt: iso(key.minterLeftAt) })
    }
    if (rows.length < atOnce || keys.length >= limit) return keys
    await yieldToEventLoop(since)
  }
}

/** Keys read at a time: stores from before there was a bound may have very many revoked ones. */
const AT_ONCE = 1000

/** A key as the API shows it. */
export function toKeyInfo({ minterLeftAt: _, ...key }: ListedKey): KeyInfo {
  return key
}

/** The refusal of an unknown key, or another subject's. */
export function noKey(id: number): Problem {
  return new Problem('NOT_FOUND', `You have no key with the id ${id}.`, { userMessage: NO_KEY })
}

/** The message on pages for such a key. */
export const NO_KEY = 'This API key doesn’t exist, or it belongs to another account.'

/**
 * Revokes a key of the acting subject; revoking it again changes nothing.
 * @throws Problem NOT_FOUND; FORBIDDEN for a member of an organisation who is not an admin.
 */
export async function revoke({ db, write }: Store, { subject, role }: SignedIn, id: number): Promise<KeyInfo> {
  requireRole(role, 'admin')
  const mine = and(eq(apiKeys.id, id), eq(apiKeys.ownerId, ownerId(subject)))
  await write([
    db
      .update(apiKeys)
      .set({ revokedAt: Date.now() })
      .where(and(mine, isNull(apiKeys.revokedAt))),
  ])
  const [row] = await db
    .select({ key: apiKeys, grant: appGrants })
    .from(apiKeys)
    .leftJoin(appGrants, eq(appGrants.keyId, apiKeys.id))
    .where(mine)
  if (row === undefined) throw noKey(id)
  return toApiKey(row.key, subject, row.grant)
}
