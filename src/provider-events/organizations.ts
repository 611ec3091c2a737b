import { and, eq, sql } from 'drizzle-orm'
import { apiKeys, invitation, member, organization, owners, user } from '../../db/schema.ts'
import { randomBase62 } from '../core/secrets.ts'
import { isVouchedFor } from '../identity/proof.ts'
import { validate } from '../operations/validate.ts'
import type { Effect } from './deliveries.ts'
import { type Db, deleteBundles, deleteWebhooks, type Event, entityOf, personIs, revokeKeys } from './entities.ts'
import { Membership, Organization, readEmail, roleOf, tidy } from './shapes.ts'

/** Organisations keep the provider's id. */
export function upsertOrganization(db: Db, { data, at }: Event): Effect {
  const sent = validate<typeof Organization.infer>(Organization, data)
  const { id, ...row } = organizationRow(sent, at)
  const changes = {
    ...(sent.name ? { name: row.name } : {}),
    ...(sent.slug ? { slug: row.slug } : {}),
    ...(sent.image_url ? { logo: row.logo } : {}),
  }
  const insert = db.insert(organization).values({ id, ...row })
  return {
    entity: entityOf('organization', id),
    writes: [insert.onConflictDoUpdate({ target: organization.id, set: { id, ...changes } })],
  }
}

/** A new organisation's row; its slug gets a suffix if it is taken. */
function organizationRow({ id, name, slug, image_url }: typeof Organization.infer, at: number) {
  const wanted = tidy(slug, 100) || id
  const isTaken = sql`EXISTS (SELECT 1 FROM ${organization} AS other WHERE other.slug = ${wanted} AND other.id <> ${id})`
  return {
    id,
    name: tidy(name, 100) || id,
    slug: sql`CASE WHEN ${isTaken} THEN ${`${wanted}-${randomBase62(6)}`} ELSE ${wanted} END`,
    logo: image_url ? tidy(image_url, 2048) : null,
    createdAt: new Date(at),
  }
}

/**
 * Revokes an organisation’s keys, soft-deletes its bundles and removes its members. Its row stays, with a log that nobody
 * can read any more: so its admins have the end in theirs.
 */
export function removeOrganization(db: Db, { data }: Event): Effect {
  const { id } = validate<typeof Organization.infer>(Organization, data)
  const owner = eq(owners.organizationId, id)
  const admins = sql`${member} JOIN ${organization} ON ${organization.id} = ${member.organizationId} WHERE ${organization.id} = ${id} AND ${member.role} = 'admin'`
  return {
    entity: entityOf('organization', id),
    concerns: sql`EXISTS (SELECT 1 FROM ${organization} WHERE ${organization.id} = ${id})`,
    writes: [
      sql`INSERT INTO happened (user_id, type, target, changes) SELECT ${member.userId}, 'organization.deleted', ${organization.id},
        json_array(json_object('field', 'name', 'from', ${organization.name})) FROM ${admins}`,
      ...deleteBundles(db, owner),
      deleteWebhooks(db, owner),
      revokeKeys(db, sql`${apiKeys.ownerId} IN ${db.select({ id: owners.id }).from(owners).where(owner)}`),
      db.delete(member).where(eq(member.organizationId, id)),
      db.delete(invitation).where(eq(invitation.organizationId, id)),
    ],
  }
}

/** Adds a member or changes their role; creates the organisation if its own event has not arrived yet. */
export function upsertMembership(db: Db, { data, at }: Event): Effect | null {
  const read = membershipOf(db, data)
  if (read === null) return null
  const { sent, entity } = read
  // Only a verified account can be a member; until then the write fails and the sender retries.
  const who = sql<string>`(SELECT ${user.id} FROM ${user} WHERE ${user.id} = ${read.who} AND ${user.emailVerified})`
  const role = roleOf(sent.role)
  const its = db.insert(organization).values(organizationRow(sent.organization, at)).onConflictDoNothing()
  return {
    entity,
    member: read.who,
    writes: [
      ...(sent.organization.name ? [its] : []),
      db
        .insert(member)
        .values({
          id: randomBase62(32),
          organizationId: sent.organization.id,
          userId: who,
          role,
          createdAt: new Date(at),
        })
        .onConflictDoUpdate({ target: [member.organizationId, member.userId], set: { role } }),
    ],
  }
}

/** Removes a member; null if the event does not identify a person. */
export function removeMembership(db: Db, { data }: Event): Effect | null {
  const read = membershipOf(db, data)
  if (read === null) return null
  const { sent, who, entity } = read
  const gone = and(eq(member.organizationId, sent.organization.id), eq(member.userId, who))
  const concerns = sql`EXISTS (SELECT 1 FROM ${member} WHERE ${gone})`
  return { entity, concerns, member: who, writes: [db.delete(member).where(gone)] }
}

function membershipOf(db: Db, data: unknown) {
  const sent = validate<typeof Membership.infer>(Membership, data)
  const id = sent.public_user_data?.user_id ?? sent.user?.id
  const email = readEmail(sent.public_user_data?.identifier ?? sent.user?.email)
  if (id === undefined && email === null) return null
  const entity = entityOf('membership', `${sent.organization.id}/${id ?? email}`)
  return { sent, entity, who: personIs(db, id, isVouchedFor(sent.user?.email_verified) ? email : null) }
}
