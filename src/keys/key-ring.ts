import { timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { and, eq, gt, isNull, or, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { apiKeys, appGrants, member, owners, user } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import { type Loop, repeat } from '../core/scheduling.ts'
import { BASE62, randomBase62, sha256 } from '../core/secrets.ts'
import type { KnownKey, Subject } from '../identity/caller.ts'

declare module '../core/service.ts' {
  interface Service {
    keyRing: KeyRing
  }
}

/**
 * How long a key is trusted after it was read. A revocation or demotion in another process takes effect within this
 * time; at once in this process and in those it notifies (docs/api-keys.md promises it).
 */
const FRESH_MS = 1_000
/** Size of the cache; past it the least recently used key is read again. */
const MAX_CACHED = 10_000
/** Interval between writes of `lastUsedAt`, which may lag by up to a minute. */
const USES_EVERY_MS = 30_000
const NOT_WRITTEN = 'could not write when keys were last used'

interface CachedKey {
  key: KnownKey
  secretHash: Uint8Array
  readAt: number
}

/** Verifies API keys; reads each from the store at most once a second. */
export class KeyRing {
  readonly #cache = new LRUCache<string, CachedKey>({ max: MAX_CACHED })
  /** Counts calls of `forgetHere`, so that a read that began before one is not cached after it. */
  #forgotten = 0
  #used = new Map<number, number>()
  readonly #writing: Loop

  constructor(
    readonly store: Store,
    readonly log: Logger,
    /** Makes the other processes call `forgetHere`; never rejects. */
    readonly notifyOthers: () => Promise<void> = async () => {},
  ) {
    this.#writing = repeat(USES_EVERY_MS, () => this.#writeUses(), log, NOT_WRITTEN)
  }

  /**
   * The key of an Authorization header; null if it is malformed, unknown, revoked or ended, or its minter has left or is
   * disabled. At most one indexed read; none if the key is malformed or cached.
   * @param address the client’s, in plain form; empty if unknown.
   * @throws Problem FORBIDDEN if the key does not work from there.
   */
  async identify(authorization: string, address: string): Promise<KnownKey | null> {
    const key = /^bearer /i.test(authorization) ? await this.keyOf(authorization.slice('bearer '.length).trim()) : null
    if (key === null) return null
    if (key.networks !== null) await refuseFrom(address, key.networks)
    this.#used.set(key.id, Date.now())
    return key
  }

  /** The key with a text, as `identify` finds it, but from any network; does not count as a use. */
  async keyOf(text: string): Promise<KnownKey | null> {
    const token = readKeyToken(text)
    if (token === null) return null
    const cached = this.#cache.get(token.keyPrefix)
    const isFresh = cached !== undefined && performance.now() - cached.readAt < FRESH_MS
    const found = isFresh ? cached : await this.#read(token.keyPrefix)
    // In constant time: timing must not reveal how much of the secret was right.
    if (found === null || !timingSafeEqual(found.secretHash, sha256(token.secret))) return null
    return hasEnded(found.key.expiresAt) ? null : found.key
  }

  /**
   * Drops all cached keys, here and in the other processes: a key was revoked, or memberships changed. Resolves once
   * the others are notified, as far as they can be reached.
   */
  async forget(): Promise<void> {
    this.forgetHere()
    await this.notifyOthers()
  }

  /** Drops all cached keys of this process. */
  forgetHere(): void {
    this.#forgotten += 1
    this.#cache.clear()
  }

  /** Writes the remaining uses. */
  async stop(): Promise<void> {
    await this.#writing.stop()
    await this.#writeUses().catch((error) => this.log.warn({ err: error }, NOT_WRITTEN))
  }

  async #read(keyPrefix: string): Promise<CachedKey | null> {
    const readAt = performance.now()
    const forgotten = this.#forgotten
    const [row] = await this.store.db
      .select({
        key: apiKeys,
        userId: owners.userId,
        organizationId: owners.organizationId,
        role: member.role,
        isMinterVerified: user.emailVerified,
        audience: appGrants.audience,
      })
      .from(apiKeys)
      .innerJoin(owners, eq(owners.id, apiKeys.ownerId))
      .leftJoin(user, eq(user.id, apiKeys.mintedBy))
      .leftJoin(member, and(eq(member.organizationId, owners.organizationId), eq(member.userId, apiKeys.mintedBy)))
      .leftJoin(appGrants, eq(appGrants.keyId, apiKeys.id))
      .where(
        and(
          eq(apiKeys.keyPrefix, keyPrefix),
          isNull(apiKeys.revokedAt),
          isNull(apiKeys.minterLeftAt),
          isNull(user.disabledAt),
          or(isNull(appGrants.keyId), gt(appGrants.expiresAt, Date.now())),
        ),
      )
    if (row === undefined) return this.#drop(keyPrefix)
    const { id, scopes, rateLimitPerHour, expiresAt, allowedNetworks: networks, secretHash, mintedBy } = row.key
    if (hasEnded(expiresAt)) return this.#drop(keyPrefix)
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
      expiresAt,
      networks,
      audience: row.audience,
    }
    const cached = { key, secretHash: new Uint8Array(secretHash), readAt }
    if (forgotten === this.#forgotten) this.#cache.set(keyPrefix, cached)
    return cached
  }

  #drop(keyPrefix: string): null {
    this.#cache.delete(keyPrefix)
    return null
  }

  async #writeUses(): Promise<void> {
    if (this.#used.size === 0) return
    const uses = JSON.stringify([...this.#used])
    this.#used = new Map()
    // The join finds each key by its id; scanning the list once per key blocked the event loop for seconds.
    const write = sql`UPDATE ${apiKeys} SET last_used_at = max(coalesce(last_used_at, 0), used.value ->> 1)
      FROM json_each(${uses}) AS used WHERE ${apiKeys.id} = used.value ->> 0`
    await this.store.write([write])
  }
}

function hasEnded(expiresAt: number | null): boolean {
  return expiresAt !== null && expiresAt <= Date.now()
}

async function refuseFrom(address: string, networks: readonly string[]): Promise<void> {
  // Loaded with the first key that needs it: most processes have none.
  const { isWithin } = await import('../core/networks.ts')
  if (isWithin(networks, address)) return
  const here = address === '' ? 'an unknown address' : address
  throw new Problem('FORBIDDEN', `This API key does not work from ${here}. Use it from its allowedNetworks.`)
}

const PREFIX_LENGTH = 12
const SECRET_LENGTH = 32
const CHECKSUM_LENGTH = 6
const SHAPE = new RegExp(
  `^(oa_[0-9A-Za-z]{${PREFIX_LENGTH}})\\.([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
)

/** How long an app’s key can be renewed after its last renewal. Its text is valid for less time. */
export const RENEWABLE_SECONDS = 30 * 86_400

/** How long a device’s code can be typed in, and then how long its key can be collected. */
export const DEVICE_SECONDS = 600

/** The parts of a key: the public prefix identifies it, the secret authenticates it. */
interface KeyToken {
  keyPrefix: string
  secret: string
}

/** A new key and its text, `<keyPrefix>.<secret>`, whose last six characters are a checksum. */
export function newKeyToken(): KeyToken & { text: string } {
  const keyPrefix = `oa_${randomBase62(PREFIX_LENGTH)}`
  const secret = randomBase62(SECRET_LENGTH)
  return { keyPrefix, secret, text: `${keyPrefix}.${secret}${checksum(keyPrefix, secret)}` }
}

/** Parses a key; null if its format or checksum is wrong, so that a mistyped key costs no read. */
export function readKeyToken(text: string): KeyToken | null {
  const [, keyPrefix = '', secret = '', sum] = SHAPE.exec(text) ?? []
  return sum !== undefined && sum === checksum(keyPrefix, secret) ? { keyPrefix, secret } : null
}

function checksum(keyPrefix: string, secret: string): string {
  let rest = crc32(`${keyPrefix}.${secret}`)
  let text = ''
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit += 1) {
    text = `${BASE62[rest % 62]}${text}`
    rest = Math.floor(rest / 62)
  }
  return text
}
