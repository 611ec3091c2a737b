import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

// The log of events, from which webhooks are sent; see `0001_triggers.sql` for the triggers that write it.

/** Events that webhooks receive: a trigger on `events` writes a row in `outbox` for each webhook that subscribes to one. */
export const WEBHOOK_EVENTS = [
  'bundle.created',
  'bundle.updated',
  'bundle.deleted',
  'bundle.restored',
  'bundle.claimed',
  'bundle.transferred',
  'bundle.links_broken',
  'proposal.opened',
  'proposal.accepted',
  'proposal.rejected',
] as const

/** What a webhook may subscribe to: single events, or `*` for all, future ones included. */
export const WANTED_EVENTS = [...WEBHOOK_EVENTS, '*'] as const

/** The events in `outbox`: the above, and the test that an owner requests. */
export type SentEvent = (typeof WEBHOOK_EVENTS)[number] | 'webhook.test'

/** Every event in an owner's log; the part before the dot is its kind. */
export const EVENT_TYPES = [
  ...WEBHOOK_EVENTS,
  'proposal.withdrawn',
  'key.created',
  'key.rotated',
  'key.revoked',
  'webhook.created',
  'webhook.updated',
  'webhook.rotated',
  'webhook.deleted',
  'app.connected',
  'app.disconnected',
  'member.invited',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'organization.created',
  'organization.updated',
  'organization.deleted',
  'account.signed_in',
  'account.password_changed',
  'account.email_changed',
  'account.deleted',
  'data.exported',
] as const
export type EventType = (typeof EVENT_TYPES)[number]
export type EventKind = EventType extends `${infer Kind}.${string}` ? Kind : never

/** Who may have caused an event; `service` if nobody requested it. */
export const ACTOR_TYPES = ['user', 'key', 'app', 'provider', 'service'] as const
export type ActorType = (typeof ACTOR_TYPES)[number]

/** A changed field. Has its values only if they are small and every reader of the log may see them. */
export interface FieldChange {
  field: string
  from?: FieldValue
  to?: FieldValue
}

/** The old or new value of a field: a single value, or a short list of words. */
export type FieldValue = string | number | boolean | null | string[]

/**
 * The log of events, by owner. Triggers write it through the view `happened`, so that no way of changing something can miss it;
 * the actor comes from `acting`. It contains no names or addresses of people. The rows may be many, so the sweep deletes them
 * with their owner, not a foreign key. A trigger drops an owner's oldest events of each kind beyond a maximum.
 */
export const events = sqliteTable(
  'events',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** Its id in answers. */
    publicId: text('public_id').notNull(),
    /** May be a deleted owner's, until the sweep erases the row. */
    ownerId: integer('owner_id').notNull(),
    kind: text('kind').$type<EventKind>().notNull(),
    type: text('type').$type<EventType>().notNull(),
    actorType: text('actor_type', { enum: ACTOR_TYPES }).notNull(),
    /** The person, or the creator of the key. */
    actorUserId: text('actor_user_id'),
    actorKeyId: integer('actor_key_id'),
    /** For events about bundles and proposals; null once the bundle is erased, like `changes`. */
    bundleId: integer('bundle_id'),
    /** The id of the event's other subject: a proposal, key, webhook, invitation, person or organisation. */
    target: text('target'),
    /** The version of the bundle that the event created. */
    versionNumber: integer('version_number'),
    changes: text('changes', { mode: 'json' }).$type<FieldChange[]>(),
    /** The ordinal number of this event among its owner's events of this kind. */
    nth: integer('nth').notNull(),
    at: integer('at').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [
    // SQLite orders equal entries by row id, so these indexes list events newest or oldest first.
    index('events_kind').on(t.ownerId, t.kind),
    // The person comes first, because erasing a person clears them from every log.
    index('events_actor').on(t.actorUserId, t.ownerId).where(sql`${t.actorUserId} IS NOT NULL`),
    index('events_target').on(t.target, t.ownerId).where(sql`${t.target} IS NOT NULL`),
    index('events_bundle').on(t.bundleId).where(sql`${t.bundleId} IS NOT NULL`),
    // For the sweep.
    index('events_expires').on(t.expiresAt),
    check('events_actor_type', sql`${t.actorType} IN (${sql.raw(ACTOR_TYPES.map((name) => `'${name}'`).join(', '))})`),
  ],
)

/**
 * Who causes the writes of a transaction, for the triggers that log them: one row, which `db/client.ts` inserts first and deletes
 * last. No other transaction sees it.
 */
export const acting = sqliteTable(
  'acting',
  {
    id: integer('id').primaryKey(),
    type: text('type', { enum: ACTOR_TYPES }).notNull(),
    userId: text('user_id'),
    keyId: integer('key_id'),
    /** The changes of an edited bundle. */
    changes: text('changes', { mode: 'json' }).$type<FieldChange[]>(),
  },
  (t) => [check('acting_one', sql`${t.id} = 1`)],
)

/** Deleted owners whose events the sweep has yet to erase. Written by a trigger. */
export const goneOwners = sqliteTable(
  'gone_owners',
  { id: integer('id').primaryKey(), at: integer('at').notNull() },
  (t) => [index('gone_owners_at').on(t.at)],
)
