import { type } from 'arktype'
import { WANTED_EVENTS, WEBHOOK_EVENTS } from '../../db/schema.ts'
import { BOUNDS } from '../bundles/bounds.ts'
import { Cursor, isOnePlace } from '../core/cursor.ts'
import { lazy } from '../core/lazy.ts'
import { OFFSET, Pagination } from '../core/paging.ts'
import { refuse, Time } from '../core/shape.ts'
import { Url } from '../core/text-shapes.ts'

const Events = type
  .enumerated(...WANTED_EVENTS)
  .array()
  .atLeastLength(1)
  .atMostLength(WANTED_EVENTS.length)

/** The body of POST /api/me/webhooks. */
export const NewWebhook = type({ url: Url, events: Events, '+': 'reject' })

export type NewWebhook = typeof NewWebhook.infer

/** The body of PATCH /api/me/webhooks/:webhookId, with the id of its path. */
export const WebhookEdit = type({
  webhookId: 'string',
  'url?': Url,
  'events?': Events,
  'enabled?': 'boolean',
  '+': 'reject',
}).narrow((edit, ctx) => Object.keys(edit).length > 1 || refuse(ctx, { code: 'no_change' }))

export type WebhookEdit = typeof WebhookEdit.infer

/** The webhook in a path. */
export const OneWebhook = type({ webhookId: 'string', '+': 'reject' })

/** The query of GET /api/me/webhooks/:webhookId/deliveries. */
export const Deliveries = type({
  webhookId: 'string',
  limit: `1 <= number.integer <= ${BOUNDS.page} = 20`,
  offset: OFFSET,
  'cursor?': Cursor,
  '+': 'reject',
}).narrow(isOnePlace)

export type Deliveries = typeof Deliveries.infer

/** The delivery in a path. */
export const OneDelivery = type({
  webhookId: 'string',
  deliveryId: '1 <= number.integer <= 999999999999999',
  '+': 'reject',
})

/** A webhook in answers, without its secret. */
export const WebhookInfo = lazy(() =>
  type({
    id: 'string',
    url: 'string',
    events: type.enumerated(...WANTED_EVENTS).array(),
    enabled: 'boolean',
    disabledAt: Time().or('null'),
    disabledBy: "'owner' | 'failures' | 'gone' | null",
    createdAt: Time(),
    createdBy: 'string | null',
    droppedAt: Time().or('null'),
    oldSecretEndsAt: Time().or('null'),
    '+': 'reject',
  }).configure({ named: 'Webhook' }, 'self'),
)

export type WebhookInfo = ReturnType<typeof WebhookInfo>['infer']

/** A webhook as lists and pages have it. */
export interface ListedWebhook extends WebhookInfo {
  /** Who made it; null once their account is deleted. */
  maker: { name: string; email: string; isAdmin: boolean } | null
}

/** The answer of POST /api/me/webhooks: only this and that of a rotation have a secret. */
export const CreatedWebhook = lazy(() =>
  type({ webhook: WebhookInfo(), secret: 'string', warning: 'string', '+': 'reject' }),
)

export type CreatedWebhook = ReturnType<typeof CreatedWebhook>['infer']

export const RotatedWebhook = lazy(() => type({ webhook: WebhookInfo(), secret: 'string', '+': 'reject' }))

export type RotatedWebhook = ReturnType<typeof RotatedWebhook>['infer']

export const WebhookList = lazy(() => type({ webhooks: WebhookInfo().array(), 'nextCursor?': 'string', '+': 'reject' }))

export const ChangedWebhook = lazy(() => type({ webhook: WebhookInfo(), 'warning?': 'string', '+': 'reject' }))

export const DeletedWebhook = lazy(() => type({ webhookId: 'string', deletedAt: Time(), '+': 'reject' }))

/** A delivery in answers. What the receiver answered is not among it, save the status. */
export const DeliveryInfo = lazy(() =>
  type({
    id: 'number.integer >= 1',
    messageId: 'string',
    event: type.enumerated(...WEBHOOK_EVENTS, 'webhook.test'),
    slug: 'string | null',
    state: "'waiting' | 'delivered' | 'failed'",
    attempts: 'number.integer >= 0',
    responseStatus: 'number.integer | null',
    failure: 'string | null',
    attemptedAt: Time().or('null'),
    nextAttemptAt: Time().or('null'),
    createdAt: Time(),
    '+': 'reject',
  }).configure({ named: 'Delivery' }, 'self'),
)

export type DeliveryInfo = ReturnType<typeof DeliveryInfo>['infer']

export const DeliveryList = lazy(() =>
  type({
    deliveries: DeliveryInfo().array(),
    pagination: Pagination(),
    hasMore: 'boolean',
    'nextCursor?': 'string',
    '+': 'reject',
  }),
)

export const OneDeliveryAnswer = lazy(() => type({ delivery: DeliveryInfo(), '+': 'reject' }))
