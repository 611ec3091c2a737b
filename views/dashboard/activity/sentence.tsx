/** @jsxImportSource @kitajs/html */
import { escapeHtml } from '@kitajs/html'
import type { CONTENT } from '../../../src/bundles/content/content.ts'
import { routes } from '../../../src/core/routes.ts'
import { joinList } from '../../../src/core/words.ts'
import type { LoggedEvent } from '../../../src/events/shapes.ts'
import { ROLES } from '../../../src/identity/caller.ts'
import type { IconName } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { ROLE_WORDS } from '../../parts/role-words.ts'

interface SentenceProps {
  event: LoggedEvent
  /** The id of the reader. */
  userId: string
}

/** An event as a sentence: “Ada changed the title of Launch day”. */
export function Sentence({ event, userId }: SentenceProps): JSX.Element {
  return (
    <>
      <Actor actor={event.actor} userId={userId} /> {SAYING[event.type](event, userId)}
    </>
  )
}

function Actor({ actor, userId }: Pick<LoggedEvent, 'actor'> & { userId: string }): JSX.Element {
  if (actor.type === 'service') return <span>The service</span>
  if (actor.type === 'provider') return <span>The identity provider</span>
  if (actor.userId === userId) return <span>You</span>
  if (actor.name === undefined) return <span>A former member</span>
  return <bdi safe>{actor.name}</bdi>
}

/** The rest of the sentence, by event type; its values are escaped. */
const SAYING: Record<LoggedEvent['type'], (event: LoggedEvent, userId: string) => JSX.Element> = {
  'bundle.created': (event) => `created ${bundle(event)}`,
  'bundle.updated': (event) => edited(event),
  'bundle.deleted': (event) => `deleted ${bundle(event)}`,
  'bundle.restored': (event) => `restored ${bundle(event)}`,
  'bundle.claimed': (event) => `claimed ${bundle(event)}`,
  'bundle.transferred': (event) => `moved ${bundle(event)} to another owner`,
  'bundle.links_broken': (event) => `found broken links in ${bundle(event)}`,
  'proposal.opened': (event) => `suggested a change to ${bundle(event)}`,
  'proposal.accepted': (event) => `accepted a suggestion for ${bundle(event)}`,
  'proposal.rejected': (event) => `rejected a suggestion for ${bundle(event)}`,
  'proposal.withdrawn': (event) => `withdrew a suggestion for ${bundle(event)}`,
  'key.created': (event) => `created the API key ${thing(event)}`,
  'key.rotated': (event) => `rotated the API key ${thing(event)}`,
  'key.revoked': (event) => `revoked the API key ${thing(event)}`,
  'webhook.created': (event) => `created the webhook to ${thing(event)}`,
  'webhook.updated': (event) => `${switched(event) ?? `changed ${list(event)} of`} the webhook to ${thing(event)}`,
  'webhook.rotated': (event) => `gave the webhook to ${thing(event)} a new secret`,
  'webhook.deleted': (event) => `deleted the webhook ${thing(event)}`,
  'app.connected': (event) => `connected the app ${thing(event)}`,
  'app.disconnected': (event) => `disconnected the app ${thing(event)}`,
  'member.invited': (event) => `invited ${person(event)}${asRole(event)}`,
  'member.joined': (event) => (isSelf(event) ? `joined${asRole(event)}` : `added ${person(event)}${asRole(event)}`),
  'member.role_changed': (event, userId) => `made ${isReader(event, userId) ? 'you' : person(event)} ${roleIn(event)}`,
  'member.removed': (event, userId) =>
    isSelf(event) ? 'left' : `removed ${isReader(event, userId) ? 'you' : person(event)}`,
  'organization.created': () => 'created the organisation',
  'organization.updated': (event) => switchedChecks(event) ?? `changed ${list(event)} of the organisation`,
  'organization.deleted': (event) => `deleted the organisation ${thing(event)}`,
  'account.signed_in': () => 'signed in',
  'account.password_changed': () => 'set a new password',
  'account.email_changed': () => 'changed the email address',
  'account.deleted': () => 'deleted their account',
  'data.exported': () => 'exported all data',
}

function edited(event: LoggedEvent): string {
  if (event.changes?.length === 0) return `saved ${bundle(event)} without changing it`
  return event.changes === undefined ? `edited ${bundle(event)}` : `changed ${list(event)} of ${bundle(event)}`
}

/** The verb for a webhook that was only enabled or disabled; else null. */
function switched(event: LoggedEvent): string | null {
  const isOn = onlySwitched(event, 'enabled')
  return isOn === null ? null : isOn ? 'enabled' : 'disabled'
}

/** The verb for an organisation whose link checks were only switched on or off; else null. */
function switchedChecks(event: LoggedEvent): string | null {
  const isOn = onlySwitched(event, 'checkLinks')
  return isOn === null ? null : `switched link checks ${isOn ? 'on' : 'off'} for the organisation`
}

/** The new value of a switch, if it is the only change; else null. */
function onlySwitched({ changes = [] }: LoggedEvent, field: string): boolean | null {
  const [first, ...others] = changes
  return first?.field === field && others.length === 0 ? first.to === true : null
}

/** The changed fields: `the title, the links and 2 more`. */
function list({ changes = [] }: LoggedEvent): string {
  const names = [...new Set(changes.map(({ field }) => fieldName(field)))]
  const more = names.length - MOST
  return escapeHtml(joinList(more > 0 ? [...names.slice(0, MOST), `${more} more`] : names, 'and'))
}

const MOST = 3

function bundle({ type, target: { slug, name } }: LoggedEvent): JSX.Element {
  if (slug === undefined) return 'a bundle that has been erased'
  const called = <bdi safe>{name ?? slug}</bdi>
  if (type === 'bundle.deleted') return <strong>{called}</strong>
  return <a href={attribute(routes.bundle.edit.href({ slug }))}>{called}</a>
}

/** The target by its current name, or by its name at its creation or end. */
function thing({ target, changes = [] }: LoggedEvent): JSX.Element {
  const { from, to } = changes.find(({ field }) => field === 'name') ?? {}
  return (
    <strong>
      <bdi safe>{target.name ?? String(to ?? from ?? target.id ?? '')}</bdi>
    </strong>
  )
}

function person({ target }: LoggedEvent): JSX.Element {
  if (target.name === undefined) return 'somebody'
  return (
    <strong>
      <bdi safe>{target.name}</bdi>
    </strong>
  )
}

function asRole(event: LoggedEvent): string {
  return ` as ${roleIn(event)}`
}

function roleIn({ changes = [] }: LoggedEvent): string {
  const { to } = changes.find(({ field }) => field === 'role') ?? {}
  const role = ROLES.find((one) => one === to)
  return role === undefined ? 'a member' : ROLE_WORDS[role].one
}

function isSelf({ actor, target }: LoggedEvent): boolean {
  return actor.userId === target.id
}

function isReader({ target }: LoggedEvent, userId: string): boolean {
  return target.id === userId
}

type Kind = LoggedEvent['type'] extends infer Type ? (Type extends `${infer Of}.${string}` ? Of : never) : never

/** The kinds of events, with their names. */
export const KINDS: Record<Kind, { name: string; icon: IconName }> = {
  bundle: { name: 'Bundles', icon: 'bundles' },
  proposal: { name: 'Suggestions', icon: 'idea' },
  key: { name: 'API keys', icon: 'key' },
  app: { name: 'Apps', icon: 'out' },
  webhook: { name: 'Webhooks', icon: 'webhook' },
  member: { name: 'Members', icon: 'people' },
  organization: { name: 'The organisation', icon: 'folder' },
  account: { name: 'Accounts', icon: 'settings' },
  data: { name: 'Exports', icon: 'download' },
}

export function kindOf({ type }: LoggedEvent): Kind {
  return type.slice(0, type.indexOf('.')) as Kind
}

/** The periods of the list, by their days. */
export const PERIODS = { '1': 'Last 24 hours', '7': 'Last 7 days', '30': 'Last 30 days' } as const

const FIELDS: Record<
  keyof typeof CONTENT | 'password' | 'externalId' | 'slug' | 'aliases' | 'enabled' | 'url' | 'checkLinks',
  string
> = {
  urls: 'the links',
  urlMetadata: 'the links',
  variables: 'the variables',
  title: 'the title',
  description: 'the description',
  opensAt: 'the opening time',
  closesAt: 'the closing time',
  closedNote: 'the note after closing',
  access: 'the access',
  copyable: 'whether viewers may copy',
  icons: 'icons',
  resolutionPolicy: 'the rules',
  password: 'the password',
  externalId: 'the ID',
  slug: 'the link',
  aliases: 'its other links',
  // Fields of webhooks.
  enabled: 'whether it is enabled',
  url: 'the URL',
  // Fields of organisations.
  checkLinks: 'whether links are checked',
}

/** The name of a changed field, within a sentence. */
export function fieldName(field: string): string {
  return Object.hasOwn(FIELDS, field) ? FIELDS[field as keyof typeof FIELDS] : `the ${field}`
}
