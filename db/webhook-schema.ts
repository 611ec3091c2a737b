import { sql } from 'drizzle-orm'
import { blob, check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { json } from './columns.ts'
import type { SentEvent, WANTED_EVENTS } from './event-schema.ts'
import { owners } from './owner-schema.ts'

/** Stands for the user id of a deleted account. */
export const NOBODY = ''

/** What a webhook sends: signed events (Standard Webhooks), or messages in the form of a chat. */
export const WEBHOOK_FORMATS = ['standard', 'slack', 'discord', 'teams', 'ntfy'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

/** Addresses that receive an owner's events. */
export const webhooks = sqliteTable(
  'webhooks',
  {
    id: text('id').primaryKey(),
    ownerId: integer('owner_id')
      .notNull()
      .references(() => owners.id, { onDelete: 'cascade' }),
    /** Who created it; `NOBODY` once their account is deleted. */
    createdBy: text('created_by').notNull(),
    url: text('url').notNull(),
    format: text('format', { enum: WEBHOOK_FORMATS }).notNull().default('standard'),
    events: json<(typeof WANTED_EVENTS)[number][]>('events').notNull(),
    /** The signing secret, sealed with the service’s secret. */
    secret: blob('secret', { mode: 'buffer' }).notNull(),
    /** The secret before the last rotation, also sealed, and until when messages are signed with it too. */
    oldSecret: blob('old_secret', { mode: 'buffer' }),
    oldSecretUntil: integer('old_secret_until'),
    /** When a waiting event was last dropped because there were too many; null if never. Set by a trigger. */
    droppedAt: integer('dropped_at'),
    createdAt: integer('created_at').notNull(),
    /** When it was disabled; null while it is enabled. */
    disabledAt: integer('disabled_at'),
    /** Who disabled it: its owner, or the service, after the last retry or because the receiver is gone. */
    disabledBy: text('disabled_by', { enum: ['owner', 'failures', 'gone'] }),
  },
  (t) => [
    // Every write to a bundle looks up its owner's webhooks.
    index('webhooks_owner').on(t.ownerId),
    index('webhooks_creator').on(t.createdBy),
    // For the sweep.
    index('webhooks_old_secret').on(t.oldSecretUntil).where(sql`${t.oldSecretUntil} IS NOT NULL`),
    check('webhooks_events', sql`json_valid(${t.events}) AND json_array_length(${t.events}) >= 1`),
    check('webhooks_disabled', sql`(${t.disabledAt} IS NULL) = (${t.disabledBy} IS NULL)`),
  ],
)

/**
 * Deleted webhooks whose events the sweep has yet to erase. Written by a trigger. There may be 100 000 events, so no foreign key
 * deletes them with their webhook, bundle or proposal.
 */
export const goneWebhooks = sqliteTable(
  'gone_webhooks',
  { id: text('id').primaryKey(), at: integer('at').notNull() },
  (t) => [index('gone_webhooks_at').on(t.at)],
)

/**
 * Events to send, and the results of sending them. Of each webhook's events, triggers keep the newest 10 000 unsent and 1 000
 * sent ones. Of a bundle's unsent events, only the oldest may have `dueAt`: triggers set the next one’s when it is sent or
 * deleted. So each webhook gets a bundle’s events in order.
 */
export const outbox = sqliteTable(
  'outbox',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** May be a deleted webhook's, until the sweep erases the row. */
    webhookId: text('webhook_id').notNull(),
    /** Null for a test. */
    bundleId: integer('bundle_id'),
    /** The proposal that the event is about, which may be erased; null for other events. */
    proposalId: text('proposal_id'),
    /** Tells receivers that two deliveries are of the same event. */
    messageId: text('message_id').notNull(),
    event: text('event').$type<SentEvent>().notNull(),
    /** The version of the bundle that the event is about; null if it is about a proposal. */
    versionNumber: integer('version_number'),
    /** The bundle's new owner after a transfer; null for all other events. */
    receiverId: integer('receiver_id'),
    /** The event in `events`, which may be erased first; null for a test, and for events from before `events` existed. */
    eventId: integer('event_id'),
    /** When it happened. */
    at: integer('at').notNull(),
    /** When to send it; null if it was sent, or waits for an earlier event or for its webhook to be enabled. */
    dueAt: integer('due_at'),
    /** The sending process’s mark, while it sends; `dueAt` is then when another process may take over. */
    lease: text('lease'),
    attempts: integer('attempts').notNull().default(0),
    attemptedAt: integer('attempted_at'),
    /** The HTTP status of the last attempt, if there was an answer. */
    status: integer('status'),
    /** Why the last attempt failed, if it did. */
    failure: text('failure'),
    sentAt: integer('sent_at'),
  },
  (t) => [
    index('outbox_webhook').on(t.webhookId),
    // For finding the oldest and counting each kind.
    index('outbox_waiting').on(t.webhookId).where(sql`${t.sentAt} IS NULL`),
    index('outbox_finished').on(t.webhookId).where(sql`${t.sentAt} IS NOT NULL`),
    index('outbox_bundle').on(t.bundleId).where(sql`${t.bundleId} IS NOT NULL`),
    index('outbox_proposal').on(t.proposalId).where(sql`${t.proposalId} IS NOT NULL`),
    index('outbox_unsent').on(t.webhookId, t.bundleId).where(sql`${t.sentAt} IS NULL`),
    index('outbox_due').on(t.webhookId, t.dueAt).where(sql`${t.dueAt} IS NOT NULL`),
    // For the sweep.
    index('outbox_at').on(t.at),
  ],
)
