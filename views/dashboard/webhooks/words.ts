import { CHATS, type ChatFormat } from '../../../src/webhooks/chats.ts'
import type { DeliveryInfo, WebhookInfo } from '../../../src/webhooks/shapes.ts'

type WantedEvent = WebhookInfo['events'][number]

/** Each event in plain words. */
export const EVENTS: Record<WantedEvent, string> = {
  '*': 'All events, also those to come',
  'bundle.created': 'Bundle created',
  'bundle.updated': 'Bundle edited',
  'bundle.deleted': 'Bundle deleted',
  'bundle.restored': 'Bundle restored',
  'bundle.claimed': 'Bundle claimed',
  'bundle.transferred': 'Bundle moved to another owner',
  'bundle.links_broken': 'Links found broken',
  'proposal.opened': 'Suggestion made',
  'proposal.accepted': 'Suggestion accepted',
  'proposal.rejected': 'Suggestion rejected',
}

/** The name of an event, including the test. */
export function eventName(event: DeliveryInfo['event']): string {
  return event === 'webhook.test' ? 'Test' : EVENTS[event]
}

/** The names of the formats that belong to chats. */
const CHAT_NAMES = Object.entries(CHATS).map(([format, { name }]) => [format, name] as const)

/** Each format with its name in the form. */
export const FORMATS: readonly (readonly [WebhookInfo['format'], string])[] = [
  ['standard', 'Signed events, for a program'],
  ...CHAT_NAMES.map(([format, name]) => [format as ChatFormat, `Messages to ${name}`] as const),
]

/** What a webhook sends. */
export function formatName(format: WebhookInfo['format']): string {
  return FORMATS.find(([one]) => one === format)?.[1] ?? format
}

/** The host of a webhook's URL, by which people recognise it. */
export function hostOf({ url }: Pick<WebhookInfo, 'url'>): string {
  return new URL(url).host
}
