import { type SQL, sql } from 'drizzle-orm'
import { brokenConstraint, type Query, type Store } from '../../db/client.ts'
import { apiKeys } from '../../db/schema.ts'
import { sha256 } from '../core/hash.ts'
import { isWithin } from '../core/networks.ts'
import { Problem } from '../core/problem.ts'
import { iso } from '../core/time.ts'
import type { KnownKey, SignedIn } from '../identity/caller.ts'
import { allows, keptScopes, type Scope } from '../identity/roles.ts'
import type { Commit } from '../operations/idempotency.ts'
import { ensureOwner } from '../plans/owners.ts'
import { eraseEnded } from './caps.ts'
import { toApiKey } from './present.ts'
import { newKeyToken } from './token.ts'

/** What a new key is given. */
interface GivenKey {
  name: string
  scopes: readonly Scope[]
  rateLimitPerHour: number
  /** In milliseconds since 1970; null for never. */
  expiresAt: number | null
  /** Null for any. */
  allowedNetworks: string[] | null
}

/** Who makes a key, and for whom. */
export interface Minter extends Pick<SignedIn, 'subject' | 'role' | 'userId' | 'scopes'> {
  /** The key that they use, if they use one. */
  key?: Pick<KnownKey, 'expiresAt' | 'networks'>
}

interface Making {
  store: Store
  caller: Minter
  /** Writes the key together with its answer, for idempotency. */
  commit: Commit
  /** What is written before it. @param id the key’s. */
  before?(id: number): Query[]
  /** Its owner; NULL, which the column refuses, if it may not be made after all. */
  owner(id: number): SQL
  /** Says why the owner was NULL. @throws Problem. */
  refused(): Promise<void>
  /** What the answer warns of besides. */
  warning?: string
}

/**
 * Makes a key. Only this answer holds its text.
 * @throws Problem FORBIDDEN for a key that may do more than the key that makes it; what `refused` throws.
 */
export async function makeKey(given: GivenKey, making: Making) {
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
