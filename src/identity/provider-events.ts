import type { Effect, WebhookEvent } from '../core/deliveries.ts'
import type { Db, Event } from './provider-entities.ts'
import { dropMembership, dropOrganization, keepMembership, keepOrganization } from './provider-organizations.ts'
import { dropPerson, keepPerson } from './provider-people.ts'

const EVENTS: Record<string, (db: Db, event: Event) => Effect | null> = {
  'user.created': keepPerson,
  'user.updated': keepPerson,
  'user.deleted': dropPerson,
  'organization.created': keepOrganization,
  'organization.updated': keepOrganization,
  'organization.deleted': dropOrganization,
  'organizationMembership.created': keepMembership,
  'organizationMembership.updated': keepMembership,
  'organizationMembership.deleted': dropMembership,
}

/**
 * The effect of an identity provider’s event on people, organisations and memberships (decisions 9).
 * @returns null for an event type that is not handled.
 * @throws Problem BAD_REQUEST for malformed data.
 */
export function providerEffect(db: Db, event: WebhookEvent): Effect | null {
  const effect = Object.hasOwn(EVENTS, event.type) ? EVENTS[event.type] : undefined
  return effect?.(db, event) ?? null
}
