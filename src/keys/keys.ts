import { timingSafeEqual } from 'node:crypto'
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { brokenConstraint, type Store } from '../../db/client.ts'
import { apiKeys, member, owners, user } from '../../db/schema.ts'
import type { Commit } from '../core/idempotency.ts'
import { Problem } from '../core/problem.ts'
import { iso } from '../core/time.ts'
import type { KnownKey, SignedIn, Subject } from '../identity/caller.ts'
import { requireRole } from '../identity/roles.ts'
import { ensureOwner, ownerId } from '../plans/owners.ts'
import type { NewKey, ShownKey } from './shapes.ts'
import { hashSecret, newKeyToken, readKeyToken } from './token.ts'

/**
 * How long a key that was read is taken for what it was: a revocation or demotion in another process takes
 * effect within this time, in this process, and in those that are told of it, at once (docs/api-keys.md states it).
 */
const FRESH_MS = 1_000
/** Keys that are kept so; past it the one unused for longest is read again. */
const MAX_KEPT = 10_000
/** How often uses are written (decisions 3: `lastUsedAt` may lag by up to a minute). */
const USES_EVERY_MS = 30_000

interface Kept {
  key: KnownKey
  secretHash: Uint8Array
  readAt: number
}

/** Tells keys from texts that look like one; reads each key at most once a second. */
export class KeyRing {
  readonly #kept = new LRUCache<string, Kept>({ max: MAX_KEPT })
  /** Counts the calls of `forget`: what was asked before one must not be kept after it. */
  #forgotten = 0
  #used = new Map<number, number>()
  readonly #timer: ReturnType<typeof setInterval>

  constructor(
    readonly store: Store,
    readonly log: Logger,
    /** Has the other processes call `forgetHere`; never rejects. */
    readonly tellOthers: () => Promise<void> = async () => {},
  ) {
    this.#timer = setInterval(() => this.#writeUses(), USES_EVERY_MS)
  }

  /**
   * The key behind an Authorization header, or null for one that is mistyped, unknown, revoked, or of a member
   * who has left. At most one indexed read, none for a mistyped key or one read just now.
   */
  async identify(authorization: string): Promise<KnownKey | null> {
    const token = /^bearer /i.test(authorization) ? readKeyToken(authorization.slice('bearer '.length).trim()) : null
    if (token === null) return null
    const kept = this.#kept.get(token.keyPrefix)
    const isFresh = kept !== undefined && performance.now() - kept.readAt < FRESH_MS
    const found = isFresh ? kept : await this.#read(token.keyPrefix)
    // Constant time, so that the answer's timing does not tell how much of a secret was right.
    if (found === null || !timingSafeEqual(found.secretHash, hashSecret(token.secret))) return null
    this.#used.set(found.key.id, Date.now())
    return found.key
  }

  /**
   * Has every key read anew, here and in the other processes: one was revoked, or the members of an organisation have
   * changed. Resolves once the others were told, as far as they can be.
   */
  async forget(): Promise<void> {
    this.forgetHere()
    await this.tellOthers()
  }

  /** Has every key read anew in this process. */
  forgetHere(): void {
    this.#forgotten += 1
    this.#kept.clear()
  }

  /** The last write of uses. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#writeUses()
  }

  async #read(keyPrefix: string): Promise<Kept | null> {
    const readAt = performance.now()
    const forgotten = this.#forgotten
    const [row] = await this.store.db
      .select({
        key: apiKeys,
        userId: owners.userId,
        organizationId: owners.organizationId,
        role: member.role,
        isMinterVerified: user.emailVerified,
      })
      .from(apiKeys)
      .innerJoin(owners, eq(owners.id, apiKeys.ownerId))
      .leftJoin(user, eq(user.id, apiKeys.mintedBy))
      .leftJoin(member, and(eq(member.organizationId, owners.organizationId), eq(member.userId, apiKeys.mintedBy)))
      .where(and(eq(apiKeys.keyPrefix, keyPrefix), isNull(apiKeys.revokedAt), isNull(apiKeys.minterLeftAt)))
    if (row === undefined) return this.#drop(keyPrefix)
    const { id, scopes, rateLimitPerHour, secretHash, mintedBy } = row.key
    const subject: Subject | null =
      row.userId !== null
        ? { type: 'user', userId: row.userId }
        : row.organizationId !== null && row.role !== null
          ? { type: 'organization', organizationId: row.organizationId }
          : null
    if (subject === null) return this.#drop(keyPrefix)
    const isMinterVerified = row.isMinterVerified ?? false
    const key = {
      id,
      userId: mintedBy,
      subject,
      role: row.role ?? 'admin',
      scopes,
      isMinterVerified,
      rateLimitPerHour,
    }
    const kept = { key, secretHash: new Uint8Array(secretHash), readAt }
    if (forgotten === this.#forgotten) this.#kept.set(keyPrefix, kept)
    return kept
  }

  #drop(keyPrefix: string): null {
    this.#kept.delete(keyPrefix)
    return null
  }

  async #writeUses(): Promise<void> {
    if (this.#used.size === 0) return
    const uses = JSON.stringify([...this.#used])
    this.#used = new Map()
    // Joined, so that each key is found by its id; a look through the list for each key held the process for seconds.
    const write = sql`UPDATE ${apiKeys} SET last_used_at = max(coalesce(last_used_at, 0), used.value ->> 1)
      FROM json_each(${uses}) AS used WHERE ${apiKeys.id} = used.value ->> 0`
    await this.store.write([write]).catch((error) => this.log.warn({ err: error }, 'uses of keys were not written'))
  }
}

function toApiKey(
  key: Omit<typeof apiKeys.$inferSelect, 'secretHash' | 'ownerId' | 'mintedBy' | 'minterLeftAt'>,
  subject: Subject,
): ShownKey {
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
  }
}

/**
 * Makes a key for the acting subject (spec 4.10); its text is in the answer and nowhere else.
 * @param commit writes the key with its answer, for a call with an idempotency key.
 * @throws Problem FORBIDDEN for an organisation's member who is no admin.
 */
export async function mint(
  { name, scopes, rateLimitPerHour }: NewKey,
  { store: { db }, caller, commit }: { store: Store; caller: SignedIn; commit: Commit },
) {
  requireRole(caller.role, 'admin')
  for (;;) {
    const { answer, writes } = await newKey({ name, scopes, rateLimitPerHour }, db, caller)
    try {
      await commit(writes, answer)
      return answer
    } catch (error) {
      // Another key was faster to the id.
      if (!brokenConstraint(error)?.includes('api_keys.id')) throw error
    }
  }
}

async function newKey({ name, scopes, rateLimitPerHour }: NewKey, db: Store['db'], caller: SignedIn) {
  const { keyPrefix, secret, text } = newKeyToken()
  // The id is chosen here, so that the answer can be stored in the transaction that makes the key.
  const [row] = await db.all<{ last: number }>(sql`SELECT seq AS last FROM sqlite_sequence WHERE name = 'api_keys'`)
  const key = {
    id: (row?.last ?? 0) + 1,
    name,
    scopes: [...new Set(scopes)],
    keyPrefix,
    rateLimitPerHour,
    createdAt: Date.now(),
    lastUsedAt: null,
    revokedAt: null,
  }
  const answer = {
    apiKey: toApiKey(key, caller.subject),
    rawKey: text,
    warning: 'rawKey is shown only this once: keep it where secrets are kept.',
  }
  const insert = db
    .insert(apiKeys)
    .values({ ...key, ownerId: ownerId(caller.subject), mintedBy: caller.userId, secretHash: hashSecret(secret) })
  return { answer, writes: [ensureOwner(caller.subject), insert] }
}

/** A key with what the dashboard tells of it beside the specification's fields. */
export type ListedKey = ShownKey & {
  /** When its minter left the organisation, which ended it for good; null where they have not. */
  minterLeftAt: string | null
}

/**
 * Every key of the acting subject, newest first, revoked ones too (spec 4.11).
 * @throws Problem FORBIDDEN for an organisation's member who is no admin.
 */
export async function list({ db }: Store, { subject, role }: Pick<SignedIn, 'subject' | 'role'>): Promise<ListedKey[]> {
  requireRole(role, 'admin')
  const rows = await db
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.ownerId, ownerId(subject)))
    .orderBy(desc(apiKeys.id))
  return rows.map((row) => ({ ...toApiKey(row, subject), minterLeftAt: iso(row.minterLeftAt) }))
}

/** A key as the API shows it. */
export function toShown({ minterLeftAt: _, ...key }: ListedKey): ShownKey {
  return key
}

/**
 * Revokes a key of the acting subject; one that is revoked stays so (spec 4.12).
 * @throws Problem NOT_FOUND; FORBIDDEN for an organisation's member who is no admin.
 */
export async function revoke({ db, write }: Store, { subject, role }: SignedIn, id: number): Promise<ShownKey> {
  requireRole(role, 'admin')
  const mine = and(eq(apiKeys.id, id), eq(apiKeys.ownerId, ownerId(subject)))
  await write([
    db
      .update(apiKeys)
      .set({ revokedAt: Date.now() })
      .where(and(mine, isNull(apiKeys.revokedAt))),
  ])
  const [row] = await db.select().from(apiKeys).where(mine)
  if (row === undefined) throw new Problem('NOT_FOUND', `You have no key with the id ${id}.`)
  return toApiKey(row, subject)
}
