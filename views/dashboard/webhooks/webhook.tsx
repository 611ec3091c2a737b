/** @jsxImportSource @kitajs/html */

import { routes } from '../../../src/core/routes.ts'
import { exactTime, minuteOf } from '../../../src/core/time.ts'
import { asSentence } from '../../../src/core/words.ts'
import type { DeliveryInfo, ListedWebhook } from '../../../src/webhooks/shapes.ts'
import { Each } from '../../parts/layout.tsx'
import { Confirm } from '../parts/form.tsx'
import { Pager } from '../parts/lists.tsx'
import { Form } from '../parts/panel.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'
import { type DashboardSite, Head } from '../parts/shell.tsx'
import { FormatHint, MadeBy, State } from './view.tsx'
import { EVENTS, eventName, formatName, hostOf } from './words.ts'

interface WebhookProps {
  site: DashboardSite
  webhook: ListedWebhook
  deliveries: DeliveryInfo[]
  offset: number
  limit: number
  hasMore: boolean
}

/** A webhook with its deliveries. */
export function WebhookView({ site, webhook, deliveries, offset, limit, hasMore }: WebhookProps): JSX.Element {
  const address = routes.webhooks.webhook.href({ webhookId: webhook.id })
  const page = (at: number) => `${address}?offset=${at}`
  return (
    <>
      <Head title={hostOf(webhook)} lede={webhook.url}>
        <Form action={`${address}/test`} button="Send a test message" />
      </Head>
      <FormatHint of={webhook} />
      <About site={site} webhook={webhook} address={address} />
      <section aria-labelledby="deliveries">
        <h2 id="deliveries">Deliveries</h2>
        {deliveries.length === 0 ? (
          <p class="hint">
            Nothing has been sent in the last 14 days. Send a test message to see that your receiver works.
          </p>
        ) : (
          <ul class="rows even">
            <Each of={deliveries} show={(delivery) => <DeliveryRow delivery={delivery} webhook={webhook} />} />
          </ul>
        )}
        {(offset > 0 || hasMore) && (
          <Pager
            text={`${offset + 1} to ${offset + deliveries.length}`}
            previous={offset > 0 ? page(Math.max(0, offset - limit)) : null}
            next={hasMore ? page(offset + limit) : null}
            names={{ previous: 'Newer', next: 'Older' }}
          />
        )}
      </section>
    </>
  )
}

/** The properties of a webhook, each with its actions. */
function About({ site, webhook, address }: Pick<WebhookProps, 'site' | 'webhook'> & { address: string }): JSX.Element {
  const { format, events, enabled, disabledBy, droppedAt, oldSecretEndsAt, createdAt, maker } = webhook
  return (
    <dl class="panel particulars">
      <div>
        <dt>State</dt>
        <dd>
          <State of={disabledBy} />
          <p class="hint" safe>
            {STATES[disabledBy ?? 'enabled']}
          </p>
          {droppedAt !== null && (
            <p class="hint">
              <span class="signal bad">Events dropped</span> Last <RelativeTime at={Date.parse(droppedAt)} />: more than
              10 000 were waiting, so the oldest went. Read your bundles to catch up.
            </p>
          )}
        </dd>
        <dd>
          <Form
            action={`${address}/state`}
            hidden={{ enabled: String(!enabled) }}
            button={enabled ? 'Disable' : 'Enable'}
            look={enabled ? 'quiet' : 'primary'}
          />
        </dd>
      </div>
      <div>
        <dt>Events</dt>
        <dd class="tags">
          <Each
            of={events}
            show={(event) => (
              <span class="tag" safe>
                {EVENTS[event]}
              </span>
            )}
          />
        </dd>
        <dd>
          <a class="quiet" href={`${address}/edit`}>
            Edit
          </a>
        </dd>
      </div>
      <div>
        <dt>Format</dt>
        <dd safe>{formatName(format)}</dd>
        <dd>
          <a class="quiet" href={`${address}/edit`} aria-label="Edit the format">
            Edit
          </a>
        </dd>
      </div>
      <div>
        <dt>Signing secret</dt>
        <dd class="hint" safe>
          {format !== 'standard'
            ? 'Messages to chats aren’t signed.'
            : oldSecretEndsAt === null
              ? 'Shown once, when it was made.'
              : `Deliveries are also signed with the secret before this one, until ${exactTime(minuteOf(oldSecretEndsAt))}.`}
        </dd>
        <dd>
          <a class="quiet" href={`${address}/rotate`}>
            New secret
          </a>
        </dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>
          <RelativeTime at={Date.parse(createdAt)} /> <MadeBy site={site} maker={maker} />
        </dd>
        <dd>
          <a class="quiet" href={`${address}/delete`}>
            Delete
          </a>
        </dd>
      </div>
    </dl>
  )
}

const STATES = {
  enabled: 'Failed deliveries are retried for a day. Then the webhook is disabled, and you get an email.',
  owner: 'What happens now isn’t kept for it. Deliveries that were waiting are sent when you enable it.',
  failures:
    'Deliveries failed for more than a day. Enable it once your receiver works: what failed is sent again, in order. What happens until then isn’t kept for it.',
  gone: 'Your receiver answered that it’s gone for good, so nothing more is sent to it. If that was a mistake, enable it: what failed is sent again, in order. What happens until then isn’t kept for it.',
}

function DeliveryRow({ delivery, webhook }: { delivery: DeliveryInfo; webhook: ListedWebhook }): JSX.Element {
  const { id, event, slug, createdAt, attempts } = delivery
  return (
    <li class="row">
      <div class="what">
        <span class="name" safe>
          {eventName(event)}
        </span>
        {slug !== null && (
          <a class="hint where" href={routes.bundle.edit.href({ slug })} safe>
            {slug}
          </a>
        )}
      </div>
      <div class="facts hint">
        <span>
          <Outcome delivery={delivery} />
        </span>
        <span>{attempts > 1 ? `${attempts} attempts` : ''}</span>
        <span>
          <RelativeTime at={Date.parse(createdAt)} />
        </span>
      </div>
      {webhook.enabled ? (
        <Form
          action={routes.webhooks.redeliver.href({ webhookId: webhook.id, deliveryId: id })}
          button="Send again"
          look="quiet"
          label={`Send again: ${eventName(event)} ${slug ?? ''}`}
        />
      ) : (
        ''
      )}
    </li>
  )
}

/** The result of a delivery, or why it is pending. */
function Outcome({ delivery }: { delivery: DeliveryInfo }): JSX.Element {
  const { state, responseStatus, failure, nextAttemptAt } = delivery
  if (state === 'delivered') return <span class="signal" safe>{`Delivered, ${responseStatus}`}</span>
  const why = failure === null ? '' : <span safe>{asSentence(failure)}</span>
  if (state === 'failed') {
    return (
      <>
        <span class="signal bad">Failed</span> {why}
      </>
    )
  }
  const wait = nextAttemptAt === null ? null : Date.parse(nextAttemptAt) - Date.now()
  const when = wait === null || wait < 60_000 ? 'Waiting' : `Next attempt in ${waiting(wait)}`
  return (
    <>
      <span class={['signal', failure === null ? 'off' : 'bad']} safe>
        {when}
      </span>{' '}
      {why}
    </>
  )
}

function waiting(ms: number): string {
  const minutes = Math.ceil(ms / 60_000)
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} hours`
}

/** Asks before a webhook gets a new secret. */
export function RotateWebhookView({ webhook }: { webhook: ListedWebhook }): JSX.Element {
  return (
    <Confirm
      title={`Give the webhook to ${hostOf(webhook)} a new secret?`}
      action={routes.webhooks.rotate.href({ webhookId: webhook.id })}
      button="Create new secret"
      back={routes.webhooks.webhook.href({ webhookId: webhook.id })}
    >
      <p>
        For 24 hours, deliveries are signed with both secrets, so nothing is refused while you change your receiver. A
        secret from an earlier change stops at once.
      </p>
    </Confirm>
  )
}

/** Asks before a webhook is deleted. */
export function DeleteWebhookView({ webhook }: { webhook: ListedWebhook }): JSX.Element {
  return (
    <Confirm
      title={`Delete the webhook to ${hostOf(webhook)}?`}
      action={routes.webhooks.delete.href({ webhookId: webhook.id })}
      button="Delete webhook"
      back={routes.webhooks.webhook.href({ webhookId: webhook.id })}
    >
      <p>Nothing more is sent to it, and the list of its deliveries is deleted. You can’t undo this.</p>
    </Confirm>
  )
}
