/** @jsxImportSource @kitajs/html */
import { escapeHtml } from '@kitajs/html'
import {
  actorName,
  type BundleEvent,
  bundleName,
  changedFields,
  ERASED,
  isOfBundle,
  sayingOf,
} from '../../../src/activity/sentence.ts'
import { routes } from '../../../src/core/routes.ts'
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
      <Actor actor={event.actor} userId={userId} /> {restOf(event, userId)}
    </>
  )
}

function Actor({ actor, userId }: Pick<LoggedEvent, 'actor'> & { userId: string }): JSX.Element {
  const isReader = actor.type !== 'service' && actor.type !== 'provider' && actor.userId === userId
  return isReader ? <span>You</span> : <bdi safe>{actorName(actor)}</bdi>
}

/** The rest of the sentence; its values are escaped. */
function restOf(event: LoggedEvent, userId: string): JSX.Element {
  const { type } = event
  if (!isOfBundle(type)) return SAYING[type](event, userId)
  const [before, after] = sayingOf(type, event)
  return `${escapeHtml(before)} ${bundle(event)}${after === undefined ? '' : ` ${escapeHtml(after)}`}`
}

/** The rest of the sentence for events of other kinds than bundles. */
const SAYING: Record<Exclude<LoggedEvent['type'], BundleEvent>, (event: LoggedEvent, userId: string) => JSX.Element> = {
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

/** The changed fields, escaped. */
function list(event: LoggedEvent): string {
  return escapeHtml(changedFields(event))
}

function bundle({ type, target }: LoggedEvent): JSX.Element {
  const { slug } = target
  if (slug === undefined) return ERASED
  const called = <bdi safe>{bundleName(target) ?? slug}</bdi>
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
