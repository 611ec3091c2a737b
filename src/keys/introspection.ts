import { and, eq } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import type { Audience } from '../../db/rights.ts'
import { apiKeys, appGrants } from '../../db/schema.ts'
import type { KnownKey, Subject } from '../identity/caller.ts'
import type { Scope } from '../identity/roles.ts'
import { ownerId } from '../plans/owners.ts'
import { grantOfRefreshToken } from './grants.ts'
import type { KeyRing } from './key-ring.ts'

/** What a token that works is good for. */
export interface WorkingToken {
  kind: 'access' | 'refresh'
  keyId: number
  /** Who made it. */
  userId: string
  scopes: readonly Scope[]
  /** Null for a key, which is valid everywhere. */
  audience: Audience | null
  /** In milliseconds since 1970. */
  createdAt: number
  /** Null for never. */
  expiresAt: number | null
}

/** A token of a subject, if it works: a key, or what an app has or renews it with. Looking does not use it. */
export async function workingToken(
  { store, keyRing }: { store: Store; keyRing: KeyRing },
  token: string,
  subject: Subject,
): Promise<WorkingToken | null> {
  const key = await keyRing.keyOf(token)
  if (key !== null) return about(store, 'access', key, subject)
  const grant = await grantOfRefreshToken(store, token)
  return grant && about(store, 'refresh', { id: grant.keyId, scopes: grant.scopes, audience: grant.audience }, subject)
}

async function about(
  { db }: Store,
  kind: WorkingToken['kind'],
  { id, scopes, audience }: Pick<KnownKey, 'id' | 'scopes' | 'audience'>,
  subject: Subject,
): Promise<WorkingToken | null> {
  const [row] = await db
    .select({
      userId: apiKeys.mintedBy,
      createdAt: apiKeys.createdAt,
      keyEndsAt: apiKeys.expiresAt,
      expiresAt: appGrants.expiresAt,
      endsAt: appGrants.endsAt,
    })
    .from(apiKeys)
    .leftJoin(appGrants, eq(appGrants.keyId, apiKeys.id))
    .where(and(eq(apiKeys.id, id), eq(apiKeys.ownerId, ownerId(subject))))
  if (row === undefined) return null
  const { userId, createdAt } = row
  const expiresAt = kind === 'refresh' ? row.endsAt : (row.expiresAt ?? row.keyEndsAt)
  return { kind, keyId: id, userId, scopes, audience, createdAt, expiresAt }
}
