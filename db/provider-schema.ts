import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { user } from './identity-schema.ts'

/** Events of identity and payment providers already applied, written in the same transaction as their effect. */
export const providerEvents = sqliteTable(
  'provider_events',
  {
    source: text('source', { enum: ['identity', 'payment'] }).notNull(),
    eventId: text('event_id').notNull(),
    receivedAt: integer('received_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.source, t.eventId] }),
    index('provider_events_received').on(t.receivedAt),
    check('provider_events_source', sql`${t.source} IN ('identity', 'payment')`),
  ],
)

/**
 * The provider's newest event about each person, membership and subscription, so that a late event undoes nothing, and the local
 * account of each of the identity provider’s people.
 */
export const providerEntities = sqliteTable(
  'provider_entities',
  {
    source: text('source', { enum: ['identity', 'payment'] }).notNull(),
    /** Kind and the sender's own id, such as `user:user_2x`. */
    entity: text('entity').notNull(),
    /** When the newest event happened, by the sender’s clock. */
    at: integer('at').notNull(),
    userId: text('user_id').references(() => user.id, { onDelete: 'set null' }),
  },
  (t) => [
    primaryKey({ columns: [t.source, t.entity] }),
    // For the sweep, which keeps rows of existing accounts.
    index('provider_entities_unlinked').on(t.at).where(sql`${t.userId} IS NULL`),
    index('provider_entities_user').on(t.userId).where(sql`${t.userId} IS NOT NULL`),
    check('provider_entities_source', sql`${t.source} IN ('identity', 'payment')`),
  ],
)
