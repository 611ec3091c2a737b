/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { formatFor } from '../../../src/webhooks/chats.ts'
import * as operations from '../../../src/webhooks/operations.ts'
import type { ListedWebhook, WebhookInfo } from '../../../src/webhooks/shapes.ts'
import { NO_WEBHOOK } from '../../../src/webhooks/webhooks.ts'
import { withFlash } from '../../parts/messages.ts'
import { formErrors, missingProof } from '../parts/form.tsx'
import { forAdmins, type Outcome, resultOrProblem, run, runOnce, type Screen, type Visit } from '../parts/screens.tsx'
import { WebhooksView } from './view.tsx'
import { DeleteWebhookView, RotateWebhookView, WebhookView } from './webhook.tsx'
import { type WebhookForm, WebhookFormView, WebhookMadeView } from './webhook-form.tsx'
import { hostOf } from './words.ts'

const LIST = routes.webhooks.list.path
const SECTION = { section: 'webhooks' } as const
/** Deliveries per page. */
const PAGE = 20

const WHY = {
  unconfirmed: 'A webhook sends your bundles elsewhere',
  old: 'A webhook sends your bundles elsewhere, so this needs a sign-in from the last 24 hours.',
}

const adminsOnly = forAdmins('webhooks', {
  title: 'Webhooks',
  may: 'manage webhooks',
  why: 'An organisation’s webhooks receive all of its bundles.',
  ask: 'ask an admin',
})

/** The acting subject's webhooks. */
export const webhookScreens: readonly Screen[] = [
  {
    path: LIST,
    get: adminsOnly(async (visit) => {
      const { webhooks } = await run(visit, operations.listWebhooks, {})
      return { ...SECTION, title: 'Webhooks', view: <WebhooksView site={visit.site} webhooks={webhooks} /> }
    }),
  },
  {
    path: routes.webhooks.new.path,
    get: adminsOnly(async (visit) => {
      const form = { url: '', format: '', events: ['bundle.created', 'bundle.updated', 'bundle.deleted'], errors: {} }
      return newWebhook(visit, form, randomUUID())
    }),
    async post(visit, sent) {
      const idempotencyKey = sent.get('idempotencyKey') ?? ''
      const typed = { url: sent.get('url') ?? '', format: sent.get('format') ?? '', events: sent.getAll('events') }
      const input = { ...typed, format: typed.format || proposedFor(typed.url) }
      const made = await resultOrProblem(() => runOnce(visit, operations.createWebhook, input, idempotencyKey))
      if (made instanceof Problem) {
        return newWebhook(visit, { ...typed, errors: errorsOf(made) }, idempotencyKey, made)
      }
      if (made === null) return { to: withFlash(LIST, 'webhookMadeBefore') }
      const { id: webhookId, format } = made.webhook
      // Its secret is for nothing, so there is none to copy.
      if (format !== 'standard') {
        return { to: withFlash(routes.webhooks.webhook.href({ webhookId }), 'webhookMade') }
      }
      return { ...SECTION, title: 'Webhook created', view: <WebhookMadeView made={made} /> }
    },
  },
  {
    path: routes.webhooks.webhook.path,
    get: adminsOnly(async (visit) => {
      const webhook = await webhookOf(visit)
      const offset = Math.max(0, Math.trunc(Number(visit.query.get('offset'))) || 0)
      const input = { webhookId: webhook.id, limit: PAGE, offset: Math.min(offset, 1_000_000) }
      const { deliveries, hasMore } = await run(visit, operations.listDeliveries, input)
      const page = { deliveries, hasMore, limit: PAGE, offset: input.offset }
      return { ...SECTION, title: hostOf(webhook), view: <WebhookView site={visit.site} webhook={webhook} {...page} /> }
    }),
  },
  {
    path: routes.webhooks.edit.path,
    get: adminsOnly(async (visit) => {
      const { url, format, events, id } = await webhookOf(visit)
      return edit(visit, id, { url, format, events, errors: {} })
    }),
    async post(visit, sent) {
      const typed = { url: sent.get('url') ?? '', events: sent.getAll('events') }
      const format = sent.get('format')
      const input = { webhookId: idOf(visit), ...typed, ...(format === null ? {} : { format }) }
      const changed = await resultOrProblem(() => run(visit, operations.updateWebhook, input))
      if (!(changed instanceof Problem))
        return { to: withFlash(routes.webhooks.webhook.href({ webhookId: changed.webhook.id }), 'webhookSaved') }
      return edit(visit, input.webhookId, { ...typed, format: format ?? '', errors: errorsOf(changed) }, changed)
    },
  },
  {
    path: routes.webhooks.state.path,
    async post(visit, sent) {
      const enabled = sent.get('enabled') === 'true'
      const { webhook } = await run(visit, operations.updateWebhook, { webhookId: idOf(visit), enabled })
      return {
        to: withFlash(
          routes.webhooks.webhook.href({ webhookId: webhook.id }),
          enabled ? 'webhookEnabled' : 'webhookDisabled',
        ),
      }
    },
  },
  {
    path: routes.webhooks.test.path,
    async post(visit) {
      await run(visit, operations.testWebhook, { webhookId: idOf(visit) })
      return { to: withFlash(routes.webhooks.webhook.href({ webhookId: idOf(visit) }), 'testSent') }
    },
  },
  {
    path: routes.webhooks.redeliver.path,
    async post(visit) {
      const deliveryId = Number(visit.params.deliveryId)
      await run(visit, operations.redeliver, { webhookId: idOf(visit), deliveryId })
      return { to: withFlash(routes.webhooks.webhook.href({ webhookId: idOf(visit) }), 'redelivered') }
    },
  },
  {
    path: routes.webhooks.rotate.path,
    get: adminsOnly(async (visit) => {
      const webhook = await webhookOf(visit)
      const missing = missingProof(
        visit.site,
        'New secret',
        routes.webhooks.rotate.href({ webhookId: webhook.id }),
        WHY,
      )
      return { ...SECTION, title: 'New secret', view: missing ?? <RotateWebhookView webhook={webhook} /> }
    }),
    async post(visit) {
      const made = await run(visit, operations.rotateWebhookSecret, { webhookId: idOf(visit) })
      return { ...SECTION, title: 'Secret changed', view: <WebhookMadeView made={made} /> }
    },
  },
  {
    path: routes.webhooks.delete.path,
    get: adminsOnly(async (visit) => {
      const webhook = await webhookOf(visit)
      return { ...SECTION, title: 'Delete webhook', view: <DeleteWebhookView webhook={webhook} /> }
    }),
    async post(visit) {
      await run(visit, operations.deleteWebhook, { webhookId: idOf(visit) })
      return { to: withFlash(LIST, 'webhookDeleted') }
    },
  },
]

/** The format that an address asks for; signed events if it is none, which the operation refuses. */
function proposedFor(url: string): WebhookInfo['format'] {
  return URL.canParse(url) ? formatFor(url) : 'standard'
}

function idOf({ params }: Visit): string {
  return params.webhookId ?? ''
}

async function webhookOf(visit: Visit): Promise<ListedWebhook> {
  const { webhooks } = await run(visit, operations.listWebhooks, {})
  const webhook = webhooks.find(({ id }) => id === idOf(visit))
  if (webhook === undefined) throw new Problem('NOT_FOUND', NO_WEBHOOK)
  return webhook
}

function newWebhook({ site }: Visit, form: WebhookForm, idempotencyKey: string, problem?: Problem): Outcome {
  const title = 'Create webhook'
  const missing = problem === undefined ? missingProof(site, title, `${LIST}/new`, WHY) : null
  const { acting } = site.user
  const lede = acting === null ? 'For the bundles in your personal workspace.' : `For the bundles of ${acting.name}.`
  const page = { title, lede, action: `${LIST}/new`, button: title, back: LIST, hidden: { idempotencyKey }, form }
  return { ...SECTION, title, view: missing ?? <WebhookFormView {...page} isNew />, problem }
}

function edit({ site }: Visit, id: string, form: WebhookForm, problem?: Problem): Outcome {
  const title = 'Edit webhook'
  const address = `${LIST}/${encodeURIComponent(id)}`
  const missing = problem === undefined ? missingProof(site, title, `${address}/edit`, WHY) : null
  const lede = 'Its secret stays the same. A new URL gets what is still waiting.'
  const page = { title, lede, action: `${address}/edit`, button: 'Save', back: address, form }
  return { ...SECTION, title, view: missing ?? <WebhookFormView {...page} isNew={false} />, problem }
}

function errorsOf(problem: Problem): WebhookForm['errors'] {
  const errors = formErrors(problem, ['url', 'format', 'events'])
  return errors.events === undefined ? errors : { ...errors, events: 'Choose at least one event.' }
}
