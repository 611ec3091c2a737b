import { and, desc, eq, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'
import { brokenConstraint, type Store } from '../../db/client.ts'
import { apiKeys, appGrants } from '../../db/schema.ts'
import { sha256 } from '../core/hash.ts'
import { Problem } from '../core/problem.ts'
import { iso } from '../core/time.ts'
import { yieldToEventLoop } from '../core/yield-to-event-loop.ts'
import type { SignedIn, Subject } from '../identity/caller.ts'
import { keptScopes, requireRole } from '../identity/roles.ts'
import type { Commit } from '../operations/idempotency.ts'
import { ensureOwner, ownerId } from '../plans/owners.ts'
import { eraseEnded, ownerOfNewKey, refuseFull } from './caps.ts'
import type { KeyInfo, NewKey } from './shapes.ts'
import { newKeyToken } from './token.ts'

function toApiKey(
  key: Omit<typeof apiKeys.$inferSelect, 'secretHash' | 'ownerId' | 'mintedBy' | 'minterLeftAt'>,
  subject: Subject,
  grant: Pick<typeof appGrants.$inferSelect, 'host' | 'endsAt'> | null = null,
): KeyInfo {
  const { id, name, scopes, keyPrefix, rateLimitPerHour, createdAt, lastUsedAt, revokedAt } = key
  return {
    id,
    name,
    scope: subject.type,
    scopes,
    keyPrefix,
    rateLimitPerHour,
    createdAt: iso(createdAt),
    lastUsedAt: iso(lastUsedAt),
    revokedAt: iso(revokedAt),
    ...(grant === null ? {} : { app: { name, host: grant.host, endsAt: iso(grant.endsAt) } }),
  }
}

type Minter = Pick<SignedIn, 'subject' | 'role' | 'userId'>

/**
 * Mints a key for the acting subject. Only this answer holds its text.
 * @param commit writes the key together with its answer, for idempotency.
 * @throws Problem FORBIDDEN for a member of an organisation who is not an admin; PLAN_LIMIT.
 */
export async function mint(
  { name, scopes, rateLimitPerHour }: NewKey,
  { store, caller, commit }: { store: Store; caller: Minter; commit: Commit },
) {
  requireRole(caller.role, 'admin')
  for (;;) {
    const { answer, writes } = await newKey({ name, scopes, rateLimitPerHour }, store.db, caller)
    try {
      await commit(writes, answer)
      return answer
    } catch (error) {
      const broken = brokenConstraint(error)
      if (broken?.includes('api_keys.owner_id')) await refuseFull(store, caller.subject)
      // Another key took the id first: try the next one.
      if (!broken?.includes('api_keys.id')) throw error
    }
  }
}

async function newKey({ name, scopes, rateLimitPerHour }: NewKey, db: Store['db'], caller: Minter) {
  const { keyPrefix, secret, text } = newKeyToken()
  // The id is chosen here because the answer is stored in the transaction that inserts the key.
  const [row] = await db.select({ last: sql<number>`seq` }).from(sql`sqlite_sequence`).where(sql`name = 'api_keys'`)
  const key = {
    id: (row?.last ?? 0) + 1,
    name,
    scopes: keptScopes(scopes),
    keyPrefix,
    rateLimitPerHour,
    createdAt: Date.now(),
    lastUsedAt: null,
    revokedAt: null,
  }
  const answer = {
    apiKey: toApiKey(key, caller.subject),
    rawKey: text,
    warning: 'rawKey is shown only this once: store it where you keep secrets.',
  }
  const insert = db
    .insert(apiKeys)
    .values({ ...key, ownerId: ownerOfNewKey(caller.subject), mintedBy: caller.userId, secretHash: sha256(secret) })
  return { answer, writes: [ensureOwner(caller.subject), eraseEnded(db, caller.subject), insert] }
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

/** Keys read at a time: revoked ones are kept, so there may be very many. */
const AT_ONCE = 1000

/** A key as the API shows it. */
export function toKeyInfo({ minterLeftAt: _, ...key }: ListedKey): KeyInfo {
  return key
}

/** The message on pages for an unknown key, or another subject's. */
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
  if (row === undefined) throw new Problem('NOT_FOUND', `You have no key with the id ${id}.`, { userMessage: NO_KEY })
  return toApiKey(row.key, subject, row.grant)
}
