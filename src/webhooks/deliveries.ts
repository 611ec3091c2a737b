import { randomBytes } from 'node:crypto'
import { and, desc, eq, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { bundles, outbox, webhooks } from '../../db/schema.ts'
import { keyIn, NumberKey, nextCursor } from '../core/paging.ts'
import { Problem } from '../core/problem.ts'
import { iso } from '../core/time.ts'
import { isGone } from './chats.ts'
import { MAX_ATTEMPTS } from './due.ts'
import type { Deliveries, DeliveryInfo } from './shapes.ts'
import { find, type Managing } from './webhooks.ts'

type Row = typeof outbox.$inferSelect

/** A page of a webhook’s deliveries, newest first. @throws Problem NOT_FOUND, FORBIDDEN. */
export async function list({ store, caller }: Managing, { webhookId, limit, offset, cursor }: Deliveries) {
  const { url } = await find({ store, caller }, webhookId)
  const [before] = keyIn(cursor, NumberKey) ?? []
  const rows = await rowsOf(store)
    .where(and(eq(outbox.webhookId, webhookId), before === undefined ? undefined : lt(outbox.id, before)))
    .orderBy(desc(outbox.id))
    .limit(limit + 1)
    .offset(offset)
  const deliveries = rows.slice(0, limit).map((found) => toDelivery(found, url))
  const hasMore = rows.length > limit
  const more = nextCursor(deliveries, hasMore, ({ id }) => [id])
  const after = cursor === undefined ? undefined : more.nextCursor
  return { deliveries, pagination: { limit, offset }, hasMore, ...more, after }
}

/**
 * Sends a test message. While one is on its way, no second one is created.
 * @param testing with the limit on tests of this webhook.
 * @throws Problem NOT_FOUND, FORBIDDEN, RATE_LIMITED.
 */
export async function test(
  { store, caller, count }: Managing & { count(): unknown },
  webhookId: string,
): Promise<DeliveryInfo> {
  const { url } = await find({ store, caller }, webhookId)
  await count()
  const now = Date.now()
  const messageId = `msg_${randomBytes(16).toString('hex')}`
  const isTest = and(eq(outbox.webhookId, webhookId), eq(outbox.event, 'webhook.test'))
  const isUnderWay = sql`EXISTS (SELECT 1 FROM ${outbox} WHERE ${and(isTest, isNotNull(outbox.dueAt))})`
  // The webhook may have been deleted since it was found.
  const isThere = sql`EXISTS (SELECT 1 FROM ${webhooks} WHERE ${eq(webhooks.id, webhookId)})`
  const [made] = await store.write([
    sql`INSERT INTO ${outbox} (webhook_id, message_id, event, at, due_at) SELECT ${webhookId}, ${messageId}, 'webhook.test', ${now}, ${now} WHERE NOT ${isUnderWay} AND ${isThere}`,
  ])
  if (made?.rowsAffected !== 1) return latest(store, isTest, url)
  const id = Number(made.lastInsertRowid)
  const about = { bundleId: null, proposalId: null, versionNumber: null, receiverId: null, eventId: null }
  const row = { ...UNSENT, ...about, id, webhookId, messageId, event: 'webhook.test' as const, at: now, dueAt: now }
  return toDelivery({ slug: null, row }, url)
}

/**
 * Sends an event again, as a new delivery with the same message id. If it is still waiting, sends it now, but never before
 * an earlier event of its bundle.
 * @throws Problem NOT_FOUND, FORBIDDEN; BAD_REQUEST if the webhook is disabled.
 */
export async function redeliver(
  { store, caller }: Managing,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: number },
): Promise<DeliveryInfo> {
  const { disabledAt, url } = await find({ store, caller }, webhookId)
  const mine = and(eq(outbox.webhookId, webhookId), eq(outbox.id, deliveryId))
  const [asked] = await rowsOf(store).where(mine)
  if (asked === undefined) {
    throw new Problem('NOT_FOUND', 'This webhook has no delivery with this id: list_deliveries has them.', {
      userMessage: 'This delivery is not kept any more.',
    })
  }
  if (disabledAt !== null) {
    throw new Problem('BAD_REQUEST', 'This webhook is disabled: enable it first, which also sends what is waiting.')
  }
  const { messageId, bundleId } = asked.row
  const now = Date.now()
  const isSame = and(eq(outbox.webhookId, webhookId), eq(outbox.messageId, messageId))
  const isWaiting = and(isNull(outbox.sentAt), sql`(${outbox.attempts} = 0 OR ${outbox.dueAt} IS NOT NULL)`)
  const unsent = sql`SELECT 1 FROM ${outbox} AS earlier WHERE earlier.webhook_id = ${webhookId} AND earlier.bundle_id = ${bundleId} AND earlier.sent_at IS NULL`
  const [, made] = await store.write([
    store.db
      .update(outbox)
      .set({ dueAt: now })
      .where(and(isSame, isNotNull(outbox.dueAt), isNull(outbox.lease))),
    // Pressing the button many times creates only one more delivery.
    sql`INSERT INTO ${outbox} (webhook_id, bundle_id, proposal_id, message_id, event, version_number, receiver_id, event_id, at, due_at)
      SELECT webhook_id, bundle_id, proposal_id, message_id, event, version_number, receiver_id, event_id, at, CASE WHEN NOT EXISTS (${unsent}) THEN ${now} END
      FROM ${outbox} WHERE ${mine} AND NOT EXISTS (SELECT 1 FROM ${outbox} WHERE ${and(isSame, isWaiting)}) RETURNING id, due_at`,
  ])
  const [inserted] = made?.rows ?? []
  if (inserted === undefined) return latest(store, isSame, url)
  const { id, due_at: dueAt } = inserted
  const row = { ...asked.row, ...UNSENT, id: Number(id), dueAt: dueAt === null ? null : Number(dueAt) }
  return toDelivery({ slug: asked.slug, row }, url)
}

/** A delivery before it is first sent. */
const UNSENT = { lease: null, attempts: 0, attemptedAt: null, status: null, failure: null, sentAt: null }

/** The newest of the selected deliveries. */
async function latest(store: Store, which: SQL | undefined, url: string): Promise<DeliveryInfo> {
  const [row] = await rowsOf(store).where(which).orderBy(desc(outbox.id)).limit(1)
  if (row === undefined) throw new Problem('NOT_FOUND', 'This webhook has been deleted.')
  return toDelivery(row, url)
}

function rowsOf({ db }: Store) {
  return db.select({ row: outbox, slug: bundles.slug }).from(outbox).leftJoin(bundles, eq(bundles.id, outbox.bundleId))
}

type Found = { row: Row; slug: string | null }

/** @param url of the webhook, by which statuses have their meaning. */
function toDelivery({ row, slug }: Found, url: string): DeliveryInfo {
  const { id, messageId, event, attempts, status, failure, attemptedAt, lease, dueAt, at } = row
  return {
    id,
    messageId,
    event,
    slug,
    state: stateOf(row, url),
    attempts,
    responseStatus: status,
    failure,
    attemptedAt: iso(attemptedAt),
    nextAttemptAt: lease === null ? iso(dueAt) : null,
    createdAt: iso(at),
  }
}

function stateOf({ sentAt, event, attempts, status, dueAt }: Row, url: string): DeliveryInfo['state'] {
  if (sentAt !== null) return 'delivered'
  if (dueAt === null && isGone(url, status)) return 'failed'
  return attempts >= (event === 'webhook.test' ? 1 : MAX_ATTEMPTS) ? 'failed' : 'waiting'
}
