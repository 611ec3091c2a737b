import { tellOfNew } from '../accounts/webhook-makers.ts'
import { keyIn, nextCursor, nextPage, Part, TimeKey } from '../core/paging.ts'
import { signedIn } from '../identity/caller.ts'
import { countRequest } from '../limits/rate-limits.ts'
import { type Context, implement } from '../operations/operation.ts'
import { formatHint } from './chats.ts'
import * as deliveries from './deliveries.ts'
import * as shapes from './shapes.ts'
import * as webhooks from './webhooks.ts'

/** POST /api/me/webhooks. */
export const createWebhook = implement('create_webhook', {
  summary: 'Have a URL told about events; its secret is shown only once',
  description: 'POSTs each event to `url`, signed (Standard Webhooks) by `secret`, shown only now.',
  status: 201,
  input: shapes.NewWebhook,
  example: { url: 'https://example.com/hooks/openall', events: ['bundle.created', 'bundle.updated'] },
  output: shapes.CreatedWebhook,
  errors: ['FORBIDDEN', 'PLAN_LIMIT'],
  async run(input, { service, caller, commit }) {
    const { store, config } = service
    const maker = signedIn(caller)
    const created = await webhooks.create(input, { store, config, caller: maker, commit })
    await tellOfNew((await service.accounts()).accountMails, maker, created.webhook.url)
    return created
  },
})

/** GET /api/me/webhooks. */
export const listWebhooks = implement('list_webhooks', {
  summary: 'List your webhooks',
  description: 'Without their secrets.',
  input: Part,
  output: shapes.WebhookList,
  errors: ['FORBIDDEN'],
  present: ({ webhooks: found, ...more }: { webhooks: shapes.ListedWebhook[]; nextCursor?: string }) => ({
    webhooks: found.map(webhooks.toPublic),
    ...more,
  }),
  async run({ limit = Number.POSITIVE_INFINITY, cursor }, context) {
    const key = keyIn(cursor, TimeKey)
    const keyOf = ({ createdAt, id }: shapes.ListedWebhook) => [Date.parse(createdAt), id] as const
    // Filtered in memory, because there are few.
    const found = (await webhooks.list(managing(context))).filter((one) => key === null || isAfter(keyOf(one), key))
    const page = found.slice(0, limit)
    return { webhooks: page, ...nextCursor(page, found.length > limit, keyOf) }
  },
})

/** PATCH /api/me/webhooks/:webhookId. */
export const updateWebhook = implement('update_webhook', {
  summary: 'Change, disable or enable a webhook',
  description: '`enabled: true` also sends failed events; events while disabled are never sent.',
  input: shapes.WebhookEdit,
  example: { webhookId: 'wh_4fGk2bNq8ZxT7mQa', enabled: true },
  output: shapes.ChangedWebhook,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async run(input, context) {
    const webhook = await webhooks.update(input, { ...managing(context), config: context.service.config })
    const warning = (input.url ?? input.format) === undefined ? null : formatHint(webhook)
    return { webhook, ...(warning === null ? {} : { warning }) }
  },
})

/** POST /api/me/webhooks/:webhookId/rotate. */
export const rotateWebhookSecret = implement('rotate_webhook_secret', {
  summary: 'Give a webhook a new secret, shown only once',
  description: 'For 24 hours the old secret signs too.',
  input: shapes.OneWebhook,
  output: shapes.RotatedWebhook,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  run: ({ webhookId }, context) =>
    webhooks.rotateSecret({ ...managing(context), config: context.service.config, commit: context.commit }, webhookId),
})

/** DELETE /api/me/webhooks/:webhookId. */
export const deleteWebhook = implement('delete_webhook', {
  summary: 'Delete a webhook, for good',
  description: 'Erases its deliveries too. To pause it: update_webhook.',
  input: shapes.OneWebhook,
  output: shapes.DeletedWebhook,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  run: ({ webhookId }, context) => webhooks.remove(managing(context), webhookId),
})

/** POST /api/me/webhooks/:webhookId/test. */
export const testWebhook = implement('test_webhook', {
  summary: 'Send a test message',
  description: 'Sends it once; list_deliveries says how it went.',
  again: 'sends another test message',
  input: shapes.OneWebhook,
  output: shapes.OneDeliveryAnswer,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async run({ webhookId }, context) {
    const { bucket, limits } = context.service
    const count = () => countRequest(bucket, limits.testing, webhookId, 'to test this webhook')
    return { delivery: await deliveries.test({ ...managing(context), count }, webhookId) }
  },
})

/** GET /api/me/webhooks/:webhookId/deliveries. */
export const listDeliveries = implement('list_deliveries', {
  summary: 'List the deliveries of a webhook and their results',
  description: 'Of the last 14 days, newest first.',
  input: shapes.Deliveries,
  output: shapes.DeliveryList,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  present: ({ after: _, ...page }: Awaited<ReturnType<typeof deliveries.list>>) => page,
  next: nextPage,
  run: (input, context) => deliveries.list(managing(context), input),
})

/** POST /api/me/webhooks/:webhookId/deliveries/:deliveryId/redeliver. */
export const redeliver = implement('redeliver', {
  summary: 'Send an event again',
  description: 'Under the same message id.',
  again: 'sends the event once more, under the same message id',
  input: shapes.OneDelivery,
  output: shapes.OneDeliveryAnswer,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  run: async (input, context) => ({ delivery: await deliveries.redeliver(managing(context), input) }),
})

function isAfter([at, id]: readonly [number, string], [lastAt, last]: readonly [number, string]): boolean {
  return at === lastAt ? id > last : at > lastAt
}

function managing({ service: { store }, caller }: Context) {
  return { store, caller: signedIn(caller) }
}
