import { and, eq, isNotNull, isNull, lt, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { outbox, type owners, webhooks } from '../../db/schema.ts'
import type { Posted } from '../outgoing/request.ts'

// Decides when events are due. Loaded at startup, unlike the code that only sends them or changes webhooks.

/** An event with its webhook. */
export interface Leased {
  row: typeof outbox.$inferSelect
  webhook: Pick<
    typeof webhooks.$inferSelect,
    'id' | 'url' | 'format' | 'secret' | 'oldSecret' | 'oldSecretUntil' | 'ownerId'
  >
  /** The owner of the webhook. */
  owner: Pick<typeof owners.$inferSelect, 'userId' | 'organizationId'>
}

/**
 * How many events this process sends at a time: in all, for one owner's webhooks and for one webhook, so that slow receivers do
 * not hold up others.
 */
const MAX_SENDING = 64
const MAX_OF_OWNER = 8
const MAX_TO_ONE = 4

/**
 * The ids of events that may be sent now: a few per webhook, found by skipping from webhook to webhook in an index; owners take
 * turns.
 * @param sending the webhook of each event that is being sent, by the event’s id.
 * @param resting owners whose webhooks get nothing now.
 */
export async function dueEvents(
  { db }: Pick<Store, 'db'>,
  sending: ReadonlyMap<number, Leased['webhook']>,
  resting: readonly number[],
): Promise<number[]> {
  const busy = JSON.stringify(Array.from(sending.values(), ({ id }) => id))
  const busyOwners = JSON.stringify(Array.from(sending.values(), ({ ownerId }) => ownerId))
  const next = sql`SELECT min(webhook_id) FROM ${outbox} WHERE due_at IS NOT NULL`
  const due = sql`
    WITH RECURSIVE waiting(webhook_id) AS (
      ${next}
      UNION ALL
      SELECT (${next} AND webhook_id > waiting.webhook_id) FROM waiting WHERE waiting.webhook_id IS NOT NULL
    ), of_webhooks AS (
      SELECT outbox.id, outbox.due_at, outbox.webhook_id, row_number() OVER (PARTITION BY outbox.webhook_id ORDER BY outbox.due_at)
        + (SELECT count(*) FROM json_each(${busy}) WHERE value = outbox.webhook_id) AS place
      FROM waiting JOIN ${outbox} ON outbox.id IN (
        SELECT own.id FROM ${outbox} AS own WHERE own.webhook_id = waiting.webhook_id AND own.due_at <= ${Date.now()}
        ORDER BY own.due_at LIMIT ${MAX_TO_ONE}
      )
    ), of_owners AS (
      SELECT of_webhooks.id, due_at, row_number() OVER (PARTITION BY owner_id ORDER BY due_at)
        + (SELECT count(*) FROM json_each(${busyOwners}) WHERE value = owner_id) AS place
      FROM of_webhooks JOIN ${webhooks} ON webhooks.id = webhook_id WHERE place <= ${MAX_TO_ONE}
        AND owner_id NOT IN (SELECT value FROM json_each(${JSON.stringify(resting)}))
    )
    SELECT id FROM of_owners WHERE place <= ${MAX_OF_OWNER}
    ORDER BY place, due_at LIMIT ${MAX_SENDING - sending.size}`
  const rows = await db.select({ id: sql<number>`id` }).from(sql`(${due})`)
  return rows.map(({ id }) => id).filter((id) => !sending.has(id))
}

/** Parks the unsent events of a disabled webhook. Events that are being sent now may still arrive. */
export function park(db: Store['db'], webhookId: string): Query {
  const isDisabled = sql`EXISTS (SELECT 1 FROM ${webhooks} WHERE ${webhooks.id} = ${webhookId} AND ${webhooks.disabledAt} IS NOT NULL)`
  return db
    .update(outbox)
    .set({ dueAt: null, lease: null })
    .where(and(eq(outbox.webhookId, webhookId), isNotNull(outbox.dueAt), isDisabled))
}

/** Delays the waiting events of a webhook until at least a given time. */
export function hold(db: Store['db'], webhookId: string, until: number): Query {
  return db
    .update(outbox)
    .set({ dueAt: until })
    .where(and(eq(outbox.webhookId, webhookId), lt(outbox.dueAt, until), isNull(outbox.lease)))
}

/** Makes the oldest unsent event of each bundle due, with all its retries. */
export function resume(db: Store['db'], webhookId: string): Query {
  const heads = sql`SELECT min(id) FROM ${outbox} WHERE webhook_id = ${webhookId} AND sent_at IS NULL AND bundle_id IS NOT NULL GROUP BY bundle_id`
  return db
    .update(outbox)
    .set({ dueAt: Date.now(), attempts: 0 })
    .where(and(sql`${outbox.id} IN (${heads})`, isNull(outbox.lease)))
}

/** The status by which a receiver says that it wants no more events (Standard Webhooks). */
export const GONE = 410

const MINUTE_MS = 60_000

const HOUR_MS = 60 * MINUTE_MS

/** Delays after each failed delivery. */
const RETRIES_MS = [5_000, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS]

/** After this many attempts, a webhook is disabled. */
export const MAX_ATTEMPTS = RETRIES_MS.length + 1

/** The delay after a number of failed attempts; null: give up. */
export function waitAfter(attempts: number): number | null {
  return RETRIES_MS[attempts - 1] ?? null
}

/** The longest delay that a receiver may request. */
const MAX_ASKED_MS = 6 * HOUR_MS

/**
 * The delay that a busy receiver requests, in milliseconds: by `Retry-After`, which is seconds or a date (RFC 9110, 10.2.3), or
 * by `retry_after` in the body, as Discord does, in seconds. The longer counts; 0 if it requests none.
 */
export function waitAsked({ status, headers, text }: Posted, now: number): number {
  if (status !== 429 && status !== 503) return 0
  const header = headers['retry-after'] ?? ''
  const ms = /^\d+(?:\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Math.ceil(Math.min(Math.max(ms || 0, secondsIn(text) * 1000, 0), MAX_ASKED_MS))
}

function secondsIn(text: string): number {
  try {
    const { retry_after: seconds } = (JSON.parse(text) ?? {}) as { retry_after?: unknown }
    return typeof seconds === 'number' ? seconds : 0
  } catch {
    return 0
  }
}
