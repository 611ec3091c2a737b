/** @jsxImportSource @kitajs/html */

import type { WebhookInfo } from '../../../src/outgoing/shapes.ts'
import { Icon } from '../../parts/icons.tsx'
import { ROLE_WORDS } from '../organizations/role-words.ts'
import { Sample } from '../parts/sample.tsx'
import { type DashboardSite, Empty, Head } from '../parts/shell.tsx'
import { EVENTS, hostOf } from './words.ts'

const NEW = '/dashboard/webhooks/new'

/** The acting subject's webhooks. */
export function WebhooksView({ webhooks }: { webhooks: WebhookInfo[] }): JSX.Element {
  if (webhooks.length === 0) {
    return (
      <>
        <Head title="Webhooks" />
        <Empty
          heading="Tell your own tools what happens here"
          text="A webhook sends a signed message to a web address of yours whenever a bundle is created, edited or deleted: to post in a chat, start a build, or keep a copy. Nothing about viewers is ever sent."
        >
          <p class="actions">
            <AddWebhook />
            <a class="button" href="/docs/webhooks" hx-boost="false">
              Read how it works
            </a>
          </p>
        </Empty>
        <SampleWebhooks />
      </>
    )
  }
  return (
    <>
      <Head title="Webhooks" lede="Where your own tools are told what happens to bundles.">
        <AddWebhook />
      </Head>
      <ul class="rows">{webhooks.map((webhook) => <WebhookRow webhook={webhook} />) as 'safe'[]}</ul>
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

function WebhookRow({ webhook }: { webhook: WebhookInfo }): JSX.Element {
  const { id, url, events, disabledBy } = webhook
  return (
    <li class="row">
      <div class="what">
        <a class="name" href={`/dashboard/webhooks/${id}`}>
          <bdi safe>{hostOf(webhook)}</bdi>
        </a>
        <span class="hint where" safe>
          {url}
        </span>
      </div>
      <div class="facts hint">
        <span safe>{events.map((event) => EVENTS[event]).join(', ')}</span>
      </div>
      <DisabledTag by={disabledBy} />
    </li>
  )
}

/** Why a webhook gets nothing, if so. */
export function DisabledTag({ by }: { by: WebhookInfo['disabledBy'] }): JSX.Element {
  if (by === null) return ''
  return by === 'failures' ? <span class="tag bad">Disabled after failures</span> : <span class="tag">Disabled</span>
}

/** The page for members who are not admins. */
export function WebhooksOfAdminsView({ site }: { site: DashboardSite }): JSX.Element {
  const { acting, role } = site.user
  return (
    <>
      <Head title="Webhooks" />
      <Empty
        heading={`Only admins of ${acting?.name ?? 'this organisation'} can manage webhooks`}
        text={`An organisation’s webhooks are sent all of its bundles. You’re ${ROLE_WORDS[role].one}: ask an admin, or switch to your personal workspace to create your own.`}
      >
        <p class="actions">
          <a class="button" href={`/dashboard/organizations/${acting?.id ?? ''}`}>
            See who’s an admin
          </a>
        </p>
      </Empty>
    </>
  )
}

/** A sample of the page, shown until there are webhooks. */
function SampleWebhooks(): JSX.Element {
  const webhook = (url: string, events: WebhookInfo['events'], disabledBy: WebhookInfo['disabledBy'] = null) => ({
    id: 'sample',
    url,
    events,
    enabled: disabledBy === null,
    disabledAt: null,
    disabledBy,
    createdAt: '',
  })
  const webhooks = [
    webhook('https://chat.example.com/hooks/launches', ['bundle.created', 'bundle.updated']),
    webhook('https://archive.example.com/links', ['bundle.updated', 'bundle.deleted'], 'failures'),
  ]
  return (
    <Sample caption="An example of what you’ll see here">
      <ul class="rows">{webhooks.map((each) => <WebhookRow webhook={each} />) as 'safe'[]}</ul>
    </Sample>
  )
}
