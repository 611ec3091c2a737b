import { sql } from 'drizzle-orm'
import { apiKeys, appGrants } from '../../db/schema.ts'

/** Whether a key has ended: also one whose app never collected it, or came no more. */
export function hasEnded() {
  const now = Date.now()
  const isOver = sql`EXISTS (SELECT 1 FROM ${appGrants} WHERE ${appGrants.keyId} = ${apiKeys.id} AND ${appGrants.endsAt} < ${now})`
  return sql`(${apiKeys.revokedAt} IS NOT NULL OR ${apiKeys.minterLeftAt} IS NOT NULL OR coalesce(${apiKeys.expiresAt} <= ${now}, false) OR ${isOver})`
}
