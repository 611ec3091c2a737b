import { entryOf } from '../core/entry.ts'
import type { Effect, WebhookEvent } from './deliveries.ts'
import type { Db, Event } from './entities.ts'
import { removeMembership, removeOrganization, upsertMembership, upsertOrganization } from './organizations.ts'
import { removePerson, upsertPerson } from './people.ts'

const EVENTS: Record<string, (db: Db, event: Event) => Effect | null> = {
  'user.created': upsertPerson,
  'user.updated': upsertPerson,
  'user.deleted': removePerson,
  'organization.created': upsertOrganization,
  'organization.updated': upsertOrganization,
  'organization.deleted': removeOrganization,
  'organizationMembership.created': upsertMembership,
  'organizationMembership.updated': upsertMembership,
  'organizationMembership.deleted': removeMembership,
}

/**
 * The effect of an identity provider’s event on people, organisations and memberships (decisions 9).
 * @returns null for an event type that is not handled.
 * @throws Problem BAD_REQUEST for malformed data.
 */
export function providerEffect(db: Db, event: WebhookEvent): Effect | null {
  const effect = entryOf(EVENTS, event.type)
  return effect?.(db, event) ?? null
}
