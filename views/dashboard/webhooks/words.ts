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

/** The host of a webhook's URL, by which people recognise it. */
export function hostOf({ url }: Pick<WebhookInfo, 'url'>): string {
  return new URL(url).host
}
