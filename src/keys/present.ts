import type { apiKeys, appGrants } from '../../db/schema.ts'
import { iso } from '../core/time.ts'
import type { Subject } from '../identity/caller.ts'
import type { KeyInfo } from './shapes.ts'

/** What a key’s row has that answers show. */
type ShownKey = Omit<typeof apiKeys.$inferSelect, 'secretHash' | 'ownerId' | 'mintedBy' | 'minterLeftAt' | 'endToldAt'>

/** A key as the API shows it, without its secret. @param grant what the app has whose key it is. */
export function toApiKey(
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
