/** @jsxImportSource @kitajs/html */

import { routes } from '../../../src/core/routes.ts'
import { formatHint } from '../../../src/webhooks/chats.ts'
import type { ListedWebhook } from '../../../src/webhooks/shapes.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { personName, Tile } from '../../parts/tile.tsx'
import { Sample } from '../parts/lists.tsx'
import { type DashboardSite, Empty, Head } from '../parts/shell.tsx'
import { EVENTS, hostOf } from './words.ts'

const NEW = routes.webhooks.new.href()

/** The acting subject's webhooks. */
export function WebhooksView({ site, webhooks }: { site: DashboardSite; webhooks: ListedWebhook[] }): JSX.Element {
  if (webhooks.length === 0) {
    return (
      <>
        <Head title="Webhooks" />
        <Empty
          heading="Tell your own tools what happens here"
          text="A webhook sends a signed message to a web address of yours whenever a bundle is created, edited or deleted, and to Slack, Discord, Teams or ntfy a sentence: to tell a team, start a build, or keep a copy. Nothing about viewers is ever sent."
        >
          <p class="actions">
            <AddWebhook />
            <a class="button" href={routes.docs.guide.href({ guide: 'webhooks' })} hx-boost="false">
              Read how it works
            </a>
          </p>
        </Empty>
        <SampleWebhooks site={site} />
      </>
    )
  }
  return (
    <>
      <Head title="Webhooks" lede="Tell your own tools what happens to your bundles.">
        <AddWebhook />
      </Head>
      <ul class="rows even">
        <Each of={webhooks} show={(webhook) => <WebhookRow site={site} webhook={webhook} />} />
      </ul>
    </>
  )
}

function AddWebhook(): JSX.Element {
  return (
    <a class="button primary" href={NEW}>
      <Icon name="plus" />
      Create webhook
    </a>
  )
}

function WebhookRow({ site, webhook }: { site: DashboardSite; webhook: ListedWebhook }): JSX.Element {
  const { id, url, events, disabledBy, droppedAt } = webhook
  return (
    <li class="row">
      <div class="what">
        <Tile url={url} />
        <a class="name" href={routes.webhooks.webhook.href({ webhookId: id })}>
          <bdi safe>{hostOf(webhook)}</bdi>
        </a>
        <span class="hint where" safe>
          {url}
        </span>
      </div>
      <div class="facts hint">
        <span safe>{wantedBy(events)}</span>
        <span>
          <MadeBy site={site} maker={webhook.maker} />
        </span>
        <span>
          {droppedAt !== null && <span class="signal bad">Events dropped</span>} <State of={disabledBy} />
        </span>
      </div>
    </li>
  )
}

/** The author of an organisation's webhook, and whether they are still an admin; nothing in a personal workspace. */
export function MadeBy({ site, maker }: { site: DashboardSite; maker: ListedWebhook['maker'] }): JSX.Element {
  if (site.user.acting === null) return ''
  if (maker === null) return <span class="bad">Created by a deleted account</span>
  return (
    <>
      <span title={attribute(maker.email)}>
        {'by '}
        <bdi safe>{personName(maker)}</bdi>
      </span>
      {!maker.isAdmin && <span class="bad"> No longer an admin</span>}
    </>
  )
}

/** Why the receiver may refuse the format; nothing if it fits. */
export function FormatHint({ of }: { of: Pick<ListedWebhook, 'url' | 'format'> }): JSX.Element {
  const hint = formatHint(of)
  return hint === null ? (
    ''
  ) : (
    <p class="hint" safe>
      {hint}
    </p>
  )
}

/** Whether a webhook receives events, and why not. */
export function State({ of }: { of: ListedWebhook['disabledBy'] }): JSX.Element {
  if (of === null) return <span class="signal">Enabled</span>
  if (of === 'owner') return <span class="signal off">Disabled</span>
  return <span class="signal bad">{of === 'gone' ? 'Disabled: receiver gone' : 'Disabled after failures'}</span>
}

/** The events of a webhook in a few words. */
function wantedBy([first, ...rest]: ListedWebhook['events']): string {
  if (first === undefined) return ''
  return rest.length === 0 ? EVENTS[first] : `${EVENTS[first]} and ${rest.length} more`
}

/** A sample of the page, shown until there are webhooks. */
function SampleWebhooks({ site }: { site: DashboardSite }): JSX.Element {
  const webhook = (url: string, events: ListedWebhook['events'], disabledBy: ListedWebhook['disabledBy'] = null) => ({
    id: 'sample',
    url,
    format: 'standard' as const,
    events,
    enabled: disabledBy === null,
    disabledAt: null,
    disabledBy,
    createdAt: '',
    createdBy: null,
    droppedAt: null,
    oldSecretEndsAt: null,
    maker: { name: site.user.name, email: site.user.email, isAdmin: true },
  })
  const webhooks = [
    webhook('https://chat.example.com/hooks/launches', ['bundle.created', 'bundle.updated']),
    webhook('https://archive.example.com/links', ['bundle.updated', 'bundle.deleted'], 'failures'),
  ]
  return (
    <Sample caption="An example of what you’ll see here">
      <ul class="rows even">
        <Each of={webhooks} show={(each) => <WebhookRow site={site} webhook={each} />} />
      </ul>
    </Sample>
  )
}
