import { type } from 'arktype'
import { eq, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { organization, owners, user } from '../../db/schema.ts'
import { entryOf } from '../core/untyped.ts'
import type { Subject } from '../identity/caller.ts'
import { validate } from '../operations/validate.ts'
import type { Plan } from '../plans/caps.ts'
import { ensureOwner, ownerId } from '../plans/owners.ts'
import type { Effect, WebhookEvent } from './deliveries.ts'

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
