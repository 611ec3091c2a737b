import { and, eq, gt, type SQL, sql } from 'drizzle-orm'
import { actingAs } from '../../db/acting.ts'
import { brokenConstraint, type Query, type Store } from '../../db/client.ts'
import { providerEntities, providerEvents } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'

export interface WebhookEvent {
  source: 'identity' | 'payment'
  /** The same on every retry. */
  id: string
  type: string
  /** When it happened, in milliseconds since 1970; never in the future. */
  at: number
  data: unknown
}

/** The changes that an event causes. */
export interface Effect {
  /** `kind:id` of what it is about; an event older than the last one about the same entity is ignored. */
  entity: string
  writes: readonly Query[]
  /** Whether it is about anybody or anything known here, if it may be about nobody. */
  concerns?: SQL
  /** Selects the id of the person whose rights in organisations it may end, if it may end any. */
  member?: SQL<string>
}

const PROVIDER = { type: 'provider', userId: null, keyId: null } as const

/** The result of a delivery; all of them answer the sender with success. What concerns nobody is `ignored`. */
export type DeliveryResult = 'applied' | 'duplicate' | 'outdated' | 'ignored'

/**
 * Applies an event exactly once: its id is written in the same transaction. Senders promise no order, so
 * an event older than the last one applied to its entity changes nothing.
 * @throws Problem NOT_FOUND if the account is not known yet; the sender retries.
 */
export async function applyOnce(
  { db, write }: Store,
  { source, id, at }: WebhookEvent,
  { entity, writes, concerns = sql`1` }: Effect,
): Promise<DeliveryResult> {
  const mine = and(eq(providerEntities.source, source), eq(providerEntities.entity, entity))
  const newer = db
    .select({ at: providerEntities.at })
    .from(providerEntities)
    .where(and(mine, gt(providerEntities.at, at)))
  try {
    const apply = () =>
      write([
        db.insert(providerEvents).values({ source, eventId: id, receivedAt: Date.now() }),
        // If a newer event was applied, this is NULL and fails the transaction.
        db
          .insert(providerEntities)
          .values({ source, entity, at: sql`CASE WHEN NOT EXISTS ${newer} THEN ${at} END` })
          .onConflictDoUpdate({ target: [providerEntities.source, providerEntities.entity], set: { at } }),
        // Before the writes, after which nobody may be left.
        sql`SELECT ${concerns} AS concerns`,
        ...writes,
      ])
    const [, , asked] = await actingAs(PROVIDER, apply)
    return asked?.rows[0]?.concerns === 1 ? 'applied' : 'ignored'
  } catch (error) {
    const broken = brokenConstraint(error)
    if (broken?.includes('provider_events')) return 'duplicate'
    if (broken?.includes('provider_entities.at')) return 'outdated'
    if (broken !== null && /member\.user_id|FOREIGN KEY/.test(broken)) {
      throw new Problem('NOT_FOUND', 'This event is about an account that is not known here yet. Send it again later.')
    }
    throw error
  }
}
