import { and, eq, gt, sql } from 'drizzle-orm'
import { brokenConstraint, type Query, type Store } from '../../db/client.ts'
import { webhookDeliveries, webhookEntities } from '../../db/schema.ts'
import { Problem } from './problem.ts'

/** An event that a sender of webhooks has told of; its signature was verified. */
export interface WebhookEvent {
  source: 'identity' | 'payment'
  /** The same however often it is sent. */
  id: string
  type: string
  /** When it happened, in milliseconds since 1970; not later than now. */
  at: number
  data: unknown
}

/** What an event makes of the store. */
export interface Effect {
  /** Whom or what it is about, as `kind:id`: a later event about the same is not undone by an earlier one. */
  entity: string
  writes: readonly Query[]
}

/** What became of a delivery; each of them is a success for the sender. */
export type Outcome = 'applied' | 'duplicate' | 'outdated' | 'ignored'

/**
 * Lets an event take effect once: its id is written in the transaction of the effect (decisions 9). An event that is
 * older than one that took effect on the same entity changes nothing, for senders promise no order.
 * @throws Problem NOT_FOUND where it is about an account that is not known yet; the sender tries again.
 */
export async function applyOnce(
  { db, write }: Store,
  { source, id, at }: WebhookEvent,
  { entity, writes }: Effect,
): Promise<Outcome> {
  const mine = and(eq(webhookEntities.source, source), eq(webhookEntities.entity, entity))
  const newer = db
    .select({ at: webhookEntities.at })
    .from(webhookEntities)
    .where(and(mine, gt(webhookEntities.at, at)))
  try {
    await write([
      db.insert(webhookDeliveries).values({ source, deliveryId: id, receivedAt: Date.now() }),
      // Breaks NOT NULL where a newer event was faster, and the transaction with it.
      db
        .insert(webhookEntities)
        .values({ source, entity, at: sql`CASE WHEN NOT EXISTS ${newer} THEN ${at} END` })
        .onConflictDoUpdate({ target: [webhookEntities.source, webhookEntities.entity], set: { at } }),
      ...writes,
    ])
    return 'applied'
  } catch (error) {
    const broken = brokenConstraint(error)
    if (broken?.includes('webhook_deliveries')) return 'duplicate'
    if (broken?.includes('webhook_entities.at')) return 'outdated'
    if (broken !== null && /member\.user_id|FOREIGN KEY/.test(broken)) {
      throw new Problem('NOT_FOUND', 'This event is about an account that is not known here yet. Send it again later.')
    }
    throw error
  }
}
