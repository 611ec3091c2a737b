import { type } from 'arktype'
import { eq } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { owners } from '../../db/schema.ts'
import type { Effect, WebhookEvent } from '../core/deliveries.ts'
import { validate } from '../core/validate.ts'
import type { Subject } from '../identity/caller.ts'
import type { Plan } from './caps.ts'
import { demandOwner, ensureOwner, ownerId } from './owners.ts'

/** What an event says of a subscription: that it is as its status says, or that it is over (decisions 9). */
const EVENTS: Record<string, 'standing' | 'over'> = {
  'subscription.active': 'standing',
  'subscription.updated': 'standing',
  'subscription.canceled': 'over',
  'subscription.revoked': 'over',
  'customer.subscription.created': 'standing',
  'customer.subscription.updated': 'standing',
  'customer.subscription.deleted': 'over',
}

/** Statuses in which nothing is being paid for; while a payment is late the plan stands. */
const UNPAID = new Set(['incomplete', 'incomplete_expired', 'canceled', 'unpaid', 'paused', 'revoked'])

/** A subscription, as far as it is read; Stripe's stands in `object`. */
const Subscription = type({
  'status?': 'string | null',
  'metadata?': type({ 'subject?': 'string | null', 'plan?': "'free' | 'pro' | null" }).or('null'),
})
const Data = type({ object: Subscription }).pipe(({ object }) => object)

/**
 * The plan that an event gives a subject: the one that the subscription's metadata names, else pro, and free once it is
 * over. Nothing is deleted on the way back to free.
 * @returns null for an event that means nothing here.
 * @throws Problem BAD_REQUEST for one that cannot be read.
 */
export function paymentEffect(db: Store['db'], { type: name, data }: WebhookEvent): Effect | null {
  const event = EVENTS[name]
  if (event === undefined) return null
  const isStripe = name.startsWith('customer.')
  const { status, metadata } = validate<typeof Subscription.infer>(isStripe ? Data : Subscription, data)
  const subject = readSubject(metadata?.subject ?? '')
  if (subject === null) return null
  const isPaid = event === 'standing' && !UNPAID.has(status ?? 'active')
  const plan = isPaid ? (metadata?.plan ?? 'pro') : 'free'
  // A plan for somebody not known yet is told again later; one that ends for them has ended.
  const known = plan === 'free' ? [] : [demandOwner(subject)]
  return { entity: metadata?.subject ?? '', writes: [...known, ...setPlan(db, subject, plan)] }
}

/** Gives a subject a plan; one that has no account is given none. */
export function setPlan(db: Store['db'], subject: Subject, plan: Plan) {
  return [
    ensureOwner(subject),
    db
      .update(owners)
      .set({ plan })
      .where(eq(owners.id, ownerId(subject))),
  ]
}

/** A subject written as `user:<id>` or `organization:<id>`, or null. */
export function readSubject(text: string): Subject | null {
  const [, type, id = ''] = /^(user|organization):(\S{1,255})$/.exec(text) ?? []
  if (type === 'user') return { type, userId: id }
  return type === 'organization' ? { type, organizationId: id } : null
}
