import { type } from 'arktype'
import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import { actingAs, brokenConstraint, type Query, type Store } from '../../db/client.ts'
import {
  apiKeys,
  bundles,
  organization,
  owners,
  providerEntities,
  providerEvents,
  user,
  webhooks,
} from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'
import { entryOf } from '../core/untyped.ts'
import type { Subject } from '../identity/caller.ts'
import { validate } from '../operations/validate.ts'
import { ensureOwner, ownerId, type Plan } from '../plans/owners.ts'

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

/** What an event means for a subscription: its status decides, or it has ended. */
const EVENTS: Record<string, 'current' | 'ended'> = {
  'subscription.active': 'current',
  'subscription.updated': 'current',
  'subscription.canceled': 'ended',
  'subscription.revoked': 'ended',
  'customer.subscription.created': 'current',
  'customer.subscription.updated': 'current',
  'customer.subscription.deleted': 'ended',
}

/** Statuses without a valid payment. A late payment keeps the plan. */
const UNPAID = new Set(['incomplete', 'incomplete_expired', 'canceled', 'unpaid', 'paused', 'revoked'])

/** The fields of a subscription that are read; Stripe wraps it in `object`. */
const Subscription = type({
  'status?': 'string | null',
  'metadata?': type({ 'subject?': 'string | null', 'plan?': "'free' | 'pro' | null" }).or('null'),
})
const Data = type({ object: Subscription }).pipe(({ object }) => object)

/**
 * The plan change that an event causes: the plan named in the metadata, else pro; free once the subscription is over. A
 * downgrade deletes nothing.
 * @returns null for an event type that is not handled.
 * @throws Problem BAD_REQUEST for malformed data.
 */
export function paymentEffect(db: Store['db'], { type: name, data }: WebhookEvent): Effect | null {
  const event = entryOf(EVENTS, name)
  if (event === undefined) return null
  const isStripe = name.startsWith('customer.')
  const { status, metadata } = validate<typeof Subscription.infer>(isStripe ? Data : Subscription, data)
  const subject = readSubject(metadata?.subject ?? '')
  if (subject === null) return null
  const isPaid = event === 'current' && !UNPAID.has(status ?? 'active')
  const plan = isPaid ? (metadata?.plan ?? 'pro') : 'free'
  // An upgrade for an unknown account fails, so that the sender retries; a downgrade has nothing to do.
  const known = plan === 'free' ? [] : [requireOwner(subject)]
  const writes = [...known, ...setPlan(db, subject, plan)]
  return { entity: metadata?.subject ?? '', concerns: isKnown(subject), writes }
}

/** Sets the plan of a subject; does nothing if the account does not exist. */
export function setPlan(db: Store['db'], subject: Subject, plan: Plan) {
  return [
    ensureOwner(subject),
    db
      .update(owners)
      .set({ plan })
      .where(eq(owners.id, ownerId(subject))),
  ]
}

/** Parses `user:<id>` or `organization:<id>`; null for anything else. */
export function readSubject(text: string): Subject | null {
  const [, type, id = ''] = /^(user|organization):(\S{1,255})$/.exec(text) ?? []
  if (type === 'user') return { type, userId: id }
  return type === 'organization' ? { type, organizationId: id } : null
}

function isKnown(subject: Subject) {
  return subject.type === 'user'
    ? sql`EXISTS (SELECT 1 FROM ${user} WHERE ${user.id} = ${subject.userId})`
    : sql`EXISTS (SELECT 1 FROM ${organization} WHERE ${organization.id} = ${subject.organizationId})`
}

/** The same, but violates a foreign key, and so fails the transaction, if the account is gone. */
function requireOwner(subject: Subject) {
  const isUser = subject.type === 'user'
  const column = sql.raw(isUser ? 'user_id' : 'organization_id')
  const id = isUser ? subject.userId : subject.organizationId
  return sql`INSERT INTO ${owners} (${column}) VALUES (${id}) ON CONFLICT DO NOTHING`
}
