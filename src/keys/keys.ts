import { and, desc, eq, isNotNull, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import { brokenConstraint, type Query, type Store } from '../../db/client.ts'
import { apiKeys, appGrants } from '../../db/schema.ts'
import { isWithin } from '../core/networks.ts'
import { Problem } from '../core/problem.ts'
import { yieldToEventLoop } from '../core/scheduling.ts'
import { sha256 } from '../core/secrets.ts'
import { iso } from '../core/time.ts'
import { count } from '../core/words.ts'
import {
  allows,
  type KnownKey,
  keptScopes,
  requireRole,
  type Scope,
  type SignedIn,
  type Subject,
} from '../identity/caller.ts'
import { hasEnded } from '../identity/ended-keys.ts'
import type { Commit } from '../operations/idempotency.ts'
import { ensureOwner, ownerId } from '../plans/owners.ts'
import { eraseEnded, isFull, MAX_WORKING, ownerOfNewKey, refuseFull } from './caps.ts'
import { newKeyToken } from './key-ring.ts'
import type { KeyInfo, KeyRotation, NewKey } from './shapes.ts'

/**
 * Mints a key for the acting subject. Only this answer contains its text. A key made with another key has that key’s end and
 * networks, unless an earlier end or narrower networks are sent.
 * @param commit writes the key together with its answer, for idempotency.
 * @throws Problem FORBIDDEN for a member of an organisation who is not an admin, and for a key with fewer rights; PLAN_LIMIT.
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

/** A key with the fields that only the dashboard shows. */
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
  // Leaves out keys that their app never collected.
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

/** The error for an unknown key, or another subject's. */
function noKey(id: number): Problem {
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

/** The properties of a new key. */
interface GivenKey {
  name: string
  scopes: readonly Scope[]
  rateLimitPerHour: number
  /** In milliseconds since 1970; null for never. */
  expiresAt: number | null
  /** Null for any. */
  allowedNetworks: string[] | null
}

/** The maker of a key, and the subject that it is for. */
export interface Minter extends Pick<SignedIn, 'subject' | 'role' | 'userId' | 'scopes'> {
  /** The key that they use, if they use one. */
  key?: Pick<KnownKey, 'expiresAt' | 'networks'>
}

interface Making {
  store: Store
  caller: Minter
  /** Writes the key together with its answer, for idempotency. */
  commit: Commit
  /** Writes that precede it. @param id the new key’s. */
  before?(id: number): Query[]
  /** Its owner; NULL, which the column refuses, if it may not be made after all. */
  owner(id: number): SQL
  /** Throws the reason for a NULL owner. @throws Problem. */
  refused(): Promise<void>
  /** An addition to the answer’s warning. */
  warning?: string
}

/**
 * Makes a key. Only this answer holds its text.
 * @throws Problem FORBIDDEN for a key that may do more than the key that makes it; whatever `refused` throws.
 */
async function makeKey(given: GivenKey, making: Making) {
  const { store, caller, commit, owner, before = () => [], refused } = making
  refuseBeyond(given, caller)
  for (;;) {
    const { id, answer, insert } = await newKey(given, making)
    try {
      await commit(
        [ensureOwner(caller.subject), eraseEnded(store.db, caller.subject), ...before(id), insert(owner(id))],
        answer,
      )
      return answer
    } catch (error) {
      const broken = brokenConstraint(error)
      if (broken?.includes('api_keys.owner_id')) await refused()
      // Another key took the id first: try the next one.
      if (!broken?.includes('api_keys.id')) throw error
    }
  }
}

async function newKey({ scopes, ...given }: GivenKey, { store: { db }, caller, warning = '' }: Making) {
  const { keyPrefix, secret, text } = newKeyToken()
  // The id is chosen here because the answer is stored in the transaction that inserts the key.
  const [row] = await db.select({ last: sql<number>`seq` }).from(sql`sqlite_sequence`).where(sql`name = 'api_keys'`)
  const key = {
    id: (row?.last ?? 0) + 1,
    ...given,
    scopes: keptScopes(scopes),
    keyPrefix,
    createdAt: Date.now(),
    lastUsedAt: null,
    revokedAt: null,
    replacedBy: null,
  }
  const answer = {
    apiKey: toApiKey(key, caller.subject),
    rawKey: text,
    warning: `rawKey is shown only this once: store it where you keep secrets.${warning}`,
  }
  const insert = (owner: SQL) =>
    db.insert(apiKeys).values({ ...key, ownerId: owner, mintedBy: caller.userId, secretHash: sha256(secret) })
  return { id: key.id, answer, insert }
}

/** Refuses a key that would outlast the key that makes it, or may do more. @throws Problem FORBIDDEN. */
function refuseBeyond({ scopes, expiresAt, allowedNetworks }: GivenKey, caller: Minter): void {
  const beyond = scopes.find((scope) => !allows(caller.scopes, scope))
  if (beyond !== undefined) throw tooMuch(`Your key has no scope ${beyond}, so it can make no key that has it.`)
  if (caller.key === undefined) return
  const { expiresAt: end, networks } = caller.key
  if (end !== null && (expiresAt ?? Number.POSITIVE_INFINITY) > end) {
    throw tooMuch(`Your key ends at ${iso(end)}, so it can make no key that ends later: send an expiresAt until then.`)
  }
  if (networks !== null && !(allowedNetworks?.every((network) => isWithin(networks, network)) ?? false)) {
    const own = networks.join(', ')
    throw tooMuch(`Your key works from ${own} only, so it can make no key for elsewhere: send allowedNetworks within.`)
  }
}

function tooMuch(message: string): Problem {
  return new Problem('FORBIDDEN', message)
}

/** The columns of a key that answers show. */
type ShownKey = Omit<typeof apiKeys.$inferSelect, 'secretHash' | 'ownerId' | 'mintedBy' | 'minterLeftAt' | 'endToldAt'>

/** A key as the API shows it, without its secret. @param grant the app’s grant, for an app’s key. */
function toApiKey(
  key: ShownKey,
  subject: Subject,
  grant: Pick<typeof appGrants.$inferSelect, 'host' | 'endsAt'> | null = null,
): KeyInfo {
  const { id, name, scopes, keyPrefix, rateLimitPerHour, createdAt, lastUsedAt, revokedAt } = key
  const { expiresAt, allowedNetworks, replacedBy } = key
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
    ...(expiresAt === null ? {} : { expiresAt: iso(expiresAt) }),
    ...(allowedNetworks === null ? {} : { allowedNetworks }),
    ...(replacedBy === null ? {} : { replacedBy }),
    ...(grant === null ? {} : { app: { name, host: grant.host, endsAt: iso(grant.endsAt) } }),
  }
}

const HOUR_MS = 3_600_000

/** The cap on rotation: rotated keys that still work count too, so there may be as many of them again. */
const MAX_WITH_ROTATED = 2 * MAX_WORKING

/**
 * Replaces a key of the acting subject, which ends after the hours of grace. The new one has the same name, scopes, limit,
 * networks and, unless another is sent, end; it acts with the role of the person who rotates it. Of concurrent rotations and
 * revocations, those that come too late change nothing.
 * @throws Problem NOT_FOUND; KEY_NOT_ROTATABLE for one that has ended, was rotated, or is an app’s; FORBIDDEN for a member of
 * an organisation who is not an admin, and for a key with fewer rights; PLAN_LIMIT.
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
