import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

// The log of what happened, which webhooks tell of; see `0009_events.sql` for the triggers that write it.

/** Events that webhooks tell of: a trigger of `events` writes a row in `outbox` for each webhook that wants one. */
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

/** What a webhook may want: events, or all of them, also those to come. */
export const WANTED_EVENTS = [...WEBHOOK_EVENTS, '*'] as const

/** What an event in `outbox` may be: besides the above, the test that an owner asks for. */
export type SentEvent = (typeof WEBHOOK_EVENTS)[number] | 'webhook.test'

/** Everything that the log of an owner tells of; the part before the dot is its kind. */
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

/** Who may have caused an event; the service itself, if nobody asked for it. */
export const ACTOR_TYPES = ['user', 'key', 'app', 'provider', 'service'] as const
export type ActorType = (typeof ACTOR_TYPES)[number]

/** A field that changed; with its values only if they are small, and secret to nobody who may read it. */
export interface FieldChange {
  field: string
  from?: FieldValue
  to?: FieldValue
}

/** What a field was or is: one value, or a short list of words. */
export type FieldValue = string | number | boolean | null | string[]

/**
 * What happened to what an owner has. Written by triggers, by way of the view `happened`, so that no way of changing something
 * can miss it; its actor comes from `acting`. Names and addresses of people are nowhere in it. There may be many, so no foreign
 * key deletes them with their owner: the sweep does. Of each kind an owner has the newest; a trigger drops the oldest.
 */
export const events = sqliteTable(
  'events',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** Its id outside. */
    publicId: text('public_id').notNull(),
    /** Of a deleted owner, until the sweep erases it. */
    ownerId: integer('owner_id').notNull(),
    kind: text('kind').$type<EventKind>().notNull(),
    type: text('type').$type<EventType>().notNull(),
    actorType: text('actor_type', { enum: ACTOR_TYPES }).notNull(),
    /** The person, or who made the key. */
    actorUserId: text('actor_user_id'),
    actorKeyId: integer('actor_key_id'),
    /** Of events of bundles and proposals; null once the bundle is erased, with `changes`. */
    bundleId: integer('bundle_id'),
    /** The id of what else it is about: a proposal, key, webhook, invitation, person or organisation. */
    target: text('target'),
    /** The version of the bundle that it made. */
    versionNumber: integer('version_number'),
    changes: text('changes', { mode: 'json' }).$type<FieldChange[]>(),
    /** How many events of this kind its owner has had. */
    nth: integer('nth').notNull(),
    at: integer('at').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [
    // With the id, by which SQLite orders equal entries, these are lists, newest or oldest first.
    index('events_kind').on(t.ownerId, t.kind),
    // The person first: who is erased is forgotten in every log.
    index('events_actor').on(t.actorUserId, t.ownerId).where(sql`${t.actorUserId} IS NOT NULL`),
    index('events_target').on(t.target, t.ownerId).where(sql`${t.target} IS NOT NULL`),
    index('events_bundle').on(t.bundleId).where(sql`${t.bundleId} IS NOT NULL`),
    // For the sweep.
    index('events_expires').on(t.expiresAt),
    check('events_actor_type', sql`${t.actorType} IN (${sql.raw(ACTOR_TYPES.map((name) => `'${name}'`).join(', '))})`),
  ],
)

/**
 * Who causes what a transaction writes, for the triggers that log it: one row, which `db/acting.ts` inserts first and deletes
 * last. No other transaction sees it.
 */
export const acting = sqliteTable(
  'acting',
  {
    id: integer('id').primaryKey(),
    type: text('type', { enum: ACTOR_TYPES }).notNull(),
    userId: text('user_id'),
    keyId: integer('key_id'),
    /** What an edit of a bundle changes. */
    changes: text('changes', { mode: 'json' }).$type<FieldChange[]>(),
  },
  (t) => [check('acting_one', sql`${t.id} = 1`)],
)

/** Owners that are deleted, while they have events that the sweep has still to erase. Written by a trigger. */
export const goneOwners = sqliteTable(
  'gone_owners',
  { id: integer('id').primaryKey(), at: integer('at').notNull() },
  (t) => [index('gone_owners_at').on(t.at)],
)
