import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { apiKeys, bundles, owners, providerEntities, user, webhooks } from '../../db/schema.ts'
import type { WebhookEvent } from './deliveries.ts'

// Queries shared by events about people and about organisations.

export type Db = Store['db']
export type Event = Pick<WebhookEvent, 'type' | 'at' | 'data'>

/** Soft-deletes the bundles of an owner. */
export function deleteBundles(db: Db, owner: SQL): Query[] {
  const ownerIds = db.select({ id: owners.id }).from(owners).where(owner)
  return [
    db
      .update(bundles)
      .set({ deletedAt: Date.now() })
      .where(and(sql`${bundles.ownerId} IN ${ownerIds}`, isNull(bundles.deletedAt))),
  ]
}

export function deleteWebhooks(db: Db, owner: SQL): Query {
  const ownerIds = db.select({ id: owners.id }).from(owners).where(owner)
  return db.delete(webhooks).where(sql`${webhooks.ownerId} IN ${ownerIds}`)
}

/** Revokes the keys that match a condition. */
export function revokeKeys(db: Db, which: SQL): Query {
  return db
    .update(apiKeys)
    .set({ revokedAt: Date.now() })
    .where(and(which, isNull(apiKeys.revokedAt)))
}

/** The entity of an event, as stored in `provider_entities`. */
export function entityOf(kind: 'user' | 'organization' | 'membership', id: string): string {
  return `${kind}:${id}`
}

/** The condition of an entity's row. */
export function isEntity(entity: string) {
  return and(eq(providerEntities.source, 'identity'), eq(providerEntities.entity, entity))
}

/** The account that the provider's person is linked to, as a subquery. */
export function linked(db: Db, entity: string) {
  return db.select({ id: providerEntities.userId }).from(providerEntities).where(isEntity(entity))
}

/**
 * The same by whatever an event contains: the provider's id, ours, or an address.
 * @param email verified by the provider; null if not.
 */
export function personIs(db: Db, id: string | undefined, email: string | null): SQL<string> {
  const byLink = linked(db, entityOf('user', id ?? email ?? ''))
  const byId = db
    .select({ id: user.id })
    .from(user)
    .where(eq(user.id, id ?? ''))
  const byEmail = db
    .select({ id: user.id })
    .from(user)
    .where(eq(user.email, email ?? ''))
  return sql<string>`coalesce(${byLink}, ${byId}, ${byEmail})`
}
