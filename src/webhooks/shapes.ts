import { type } from 'arktype'
import { WANTED_EVENTS, WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '../../db/schema.ts'
import { BOUNDS } from '../bundles/content/content.ts'
import { CreatedAt, DeletedAt, StoreNow } from '../core/fields.ts'
import { lazy } from '../core/lazy.ts'
import { Cursor, HasMore, isOnePlace, limitOf, NextCursor, Offset, Pagination } from '../core/paging.ts'
import { checked, object, refuse, says, Time } from '../core/shape.ts'
import { Url } from '../core/text-shapes.ts'

const EVENTS = ['Events to send; `*` for all.', ['bundle.created', 'bundle.updated']] as const
const Events = says(
  type
    .enumerated(...WANTED_EVENTS)
    .array()
    .atLeastLength(1)
    .atMostLength(WANTED_EVENTS.length),
  ...EVENTS,
)

const Format = says(type.enumerated(...WEBHOOK_FORMATS), 'Signed events, or a chat’s messages.', 'standard')

const WebhookId = says('string', 'An id from list_webhooks.', 'wh_4fGk2bNq8ZxT7mQa')
const ENABLED = ['Whether it gets events.', true] as const
const EXAMPLE_URL = 'https://example.com/hooks/openall'

/** The body of POST /api/me/webhooks. */
export const NewWebhook = object({
  url: says(Url, 'A public address.', EXAMPLE_URL),
  format: Format.default('standard'),
  events: Events,
})

export type NewWebhook = typeof NewWebhook.infer

const edited = object({
  webhookId: WebhookId,
  'url?': says(Url, 'Where to send events from now on.', EXAMPLE_URL),
  'format?': Format,
  'events?': Events,
  'enabled?': says('boolean', ...ENABLED),
})

/** The body of PATCH /api/me/webhooks/:webhookId, with the id of its path. */
export const WebhookEdit = checked(
  edited,
  edited.narrow((edit, ctx) => Object.keys(edit).length > 1 || refuse(ctx, { code: 'no_change' })),
)

export type WebhookEdit = typeof WebhookEdit.infer

/** The webhook in a path. */
export const OneWebhook = object({ webhookId: WebhookId })

const page = object({ webhookId: WebhookId, limit: limitOf(BOUNDS.page, 20), offset: Offset, 'cursor?': Cursor })

/** The query of GET /api/me/webhooks/:webhookId/deliveries. */
export const Deliveries = checked(page, page.narrow(isOnePlace))

export type Deliveries = typeof Deliveries.infer

/** The delivery in a path. */
export const OneDelivery = object({
  webhookId: WebhookId,
  deliveryId: says('1 <= number.integer <= 999999999999999', 'The delivery’s id, from list_deliveries.', 12),
})

/** A webhook in answers, without its secret. */
export const WebhookInfo = lazy(() =>
  object(
    {
      id: says('string', 'Identifies the webhook.', 'wh_4fGk2bNq8ZxT7mQa'),
      url: says('string', 'Where events are sent.', EXAMPLE_URL),
      format: Format,
      events: says(type.enumerated(...WANTED_EVENTS).array(), ...EVENTS),
      enabled: says('boolean', ...ENABLED),
      disabledAt: says(Time().or('null'), 'When it was disabled; null if it is enabled.', null),
      disabledBy: says(
        "'owner' | 'failures' | 'gone' | null",
        'Who disabled it: its owner, or the service after a day of `failures` or as the receiver is `gone` (410).',
        null,
      ),
      createdAt: CreatedAt(),
      createdBy: says('string | null', 'Who created it; null once the account is deleted.', 'u_19xk'),
      droppedAt: says(
        Time().or('null'),
        'When a waiting event was last dropped, because 10 000 waited; null if never.',
        null,
      ),
      oldSecretEndsAt: says(
        Time().or('null'),
        'Until when the secret before the last rotation signs too; null if it does not.',
        null,
      ),
    },
    'Webhook',
  ),
)

export type WebhookInfo = ReturnType<typeof WebhookInfo>['infer']

/** A webhook in lists and on pages. */
export interface ListedWebhook extends WebhookInfo {
  /** Its creator; null once their account is deleted. */
  maker: { name: string; email: string; isAdmin: boolean } | null
}

const keyWithoutSecret = lazy(() => says(WebhookInfo(), 'The webhook, without its secret.'))
const Secret = says('string', 'The key of the signatures. Shown only once.', 'whsec_q3fGkQ9xT2mWz…')

/** The answer of POST /api/me/webhooks: only this and that of a rotation have a secret. */
export const CreatedWebhook = lazy(() => object({ webhook: keyWithoutSecret(), secret: Secret, warning: StoreNow }))

export type CreatedWebhook = ReturnType<typeof CreatedWebhook>['infer']

export const RotatedWebhook = lazy(() => object({ webhook: keyWithoutSecret(), secret: Secret }))

export type RotatedWebhook = ReturnType<typeof RotatedWebhook>['infer']

export const WebhookList = lazy(() =>
  object({
    webhooks: says(WebhookInfo().array(), 'The webhooks, oldest first, without their secrets.'),
    'nextCursor?': NextCursor,
  }),
)

export const ChangedWebhook = lazy(() =>
  object({
    webhook: keyWithoutSecret(),
    'warning?': says(
      'string',
      'Why the receiver may refuse the format.',
      'Slack takes messages in a format of its own, and refuses signed events: set the format to slack.',
    ),
  }),
)

export const DeletedWebhook = lazy(() => object({ webhookId: WebhookId, deletedAt: DeletedAt() }))

/** A delivery in answers. It has the status of the receiver's answer, but nothing else of it. */
export const DeliveryInfo = lazy(() =>
  object(
    {
      id: says('number.integer >= 1', 'Identifies the delivery.', 12),
      messageId: says(
        'string',
        'The `webhook-id` that the receiver gets: the same each time the event is sent.',
        'msg_5f2c…',
      ),
      event: says(type.enumerated(...WEBHOOK_EVENTS, 'webhook.test'), 'What happened.', 'bundle.updated'),
      slug: says('string | null', 'The bundle; null for a test.', 'launch-day'),
      state: says("'waiting' | 'delivered' | 'failed'", '`failed`: it is not sent again by itself.', 'delivered'),
      attempts: says('number.integer >= 0', 'How often it was sent.', 1),
      responseStatus: says('number.integer | null', 'The status of the last answer; null if there was none.', 200),
      failure: says('string | null', 'Why the last attempt failed; null if it did not.', null),
      attemptedAt: says(Time().or('null'), 'When it was last sent; null if never.', '2026-11-20T09:30:01.000Z'),
      nextAttemptAt: says(
        Time().or('null'),
        'When it will be sent; null if it will not, or waits for an earlier event.',
        null,
      ),
      createdAt: says(Time(), 'When it happened.', '2026-11-20T09:30:00.000Z'),
    },
    'Delivery',
  ),
)

export type DeliveryInfo = ReturnType<typeof DeliveryInfo>['infer']

export const DeliveryList = lazy(() =>
  object({
    deliveries: says(DeliveryInfo().array(), 'The deliveries, newest first.'),
    pagination: Pagination(),
    hasMore: HasMore,
    'nextCursor?': NextCursor,
  }),
)

export const OneDeliveryAnswer = lazy(() => object({ delivery: says(DeliveryInfo(), 'The delivery.') }))
