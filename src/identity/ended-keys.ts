import { sql } from 'drizzle-orm'
import { apiKeys, appGrants } from '../../db/schema.ts'

/** The SQL condition for a key that has ended. An app’s key also ends if it is not collected or renewed in time. */
export function hasEnded() {
  const now = Date.now()
  const isOver = sql`EXISTS (SELECT 1 FROM ${appGrants} WHERE ${appGrants.keyId} = ${apiKeys.id} AND ${appGrants.endsAt} < ${now})`
  return sql`(${apiKeys.revokedAt} IS NOT NULL OR ${apiKeys.minterLeftAt} IS NOT NULL OR coalesce(${apiKeys.expiresAt} <= ${now}, false) OR ${isOver})`
}
