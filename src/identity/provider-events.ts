import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import {
  account,
  apiKeys,
  bundles,
  invitation,
  member,
  organization,
  owners,
  session,
  user,
  webhookEntities,
} from '../../db/schema.ts'
import type { Effect, WebhookEvent } from '../core/deliveries.ts'
import { randomBase62 } from '../core/secrets.ts'
import { validate } from '../core/validate.ts'
import { isVouchedFor, ownerArrives } from './proof.ts'
import { addressOf, Membership, Organization, Person, readEmail, roleOf, tidy } from './provider-shapes.ts'

type Db = Store['db']
type Event = Pick<WebhookEvent, 'type' | 'at' | 'data'>

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
 * What an identity provider's event makes of people, organisations and memberships (decisions 9).
 * @returns null for an event that means nothing here.
 * @throws Problem BAD_REQUEST for one that cannot be read.
 */
export function providerEffect(db: Db, event: WebhookEvent): Effect | null {
  const effect = Object.hasOwn(EVENTS, event.type) ? EVENTS[event.type] : undefined
  return effect?.(db, event) ?? null
}

/**
 * Makes or changes the account of a person's address. Only an address that the provider vouches for leads to an account that
 * is there, or moves one: else anybody could take an account over by giving its address to the provider.
 */
function keepPerson(db: Db, { data, at }: Event): Effect | null {
  const sent = validate<typeof Person.infer>(Person, data)
  const { email, isVerified } = addressOf(sent)
  if (email === null) return null
  const name =
    tidy(sent.name || [sent.first_name, sent.last_name].filter(Boolean).join(' '), 100) || email.split('@')[0]!
  const person = {
    name,
    ...(sent.image_url ? { image: tidy(sent.image_url, 2048) } : {}),
    updatedAt: new Date(at),
  }
  const entity = entityOf('user', sent.id ?? email)
  const writes = isVerified ? keepVouchedFor(db, entity, email, person) : keepUnproven(db, entity, email, person)
  return { entity, writes }
}

type PersonRow = Pick<typeof user.$inferInsert, 'name' | 'image' | 'updatedAt'>

function keepVouchedFor(db: Db, entity: string, email: string, person: PersonRow): Query[] {
  const known = sql`${linked(db, entity)}`
  const whose = sql`SELECT ${user.id} FROM ${user} WHERE ${user.email} = ${email}`
  const isFree = sql`NOT EXISTS (${whose})`
  return [
    ...ownerArrives(db, whose),
    db
      .update(user)
      .set({ email, emailVerified: true })
      .where(and(eq(user.id, known), isFree)),
    db
      .insert(user)
      .values({ ...person, id: randomBase62(32), email, emailVerified: true, createdAt: person.updatedAt })
      .onConflictDoUpdate({ target: user.email, set: person }),
    db
      .update(webhookEntities)
      .set({ userId: sql`(${whose})` })
      .where(isEntity(entity)),
  ]
}

/** An account of its own, where the address has none; what this person made before is renamed and stays where it is. */
function keepUnproven(db: Db, entity: string, email: string, person: PersonRow): Query[] {
  const known = linked(db, entity)
  const id = randomBase62(32)
  const isNew = sql`${known} IS NULL`
  const at = person.updatedAt.getTime()
  return [
    db
      .update(user)
      .set(person)
      .where(eq(user.id, sql`${known}`)),
    sql`INSERT INTO ${user} (id, name, email, image, created_at, updated_at)
      SELECT ${id}, ${person.name}, ${email}, ${person.image ?? null}, ${at}, ${at} WHERE ${isNew} ON CONFLICT DO NOTHING`,
    db
      .update(webhookEntities)
      .set({ userId: id })
      .where(and(isEntity(entity), sql`EXISTS (SELECT 1 FROM ${user} WHERE ${user.id} = ${id})`)),
  ]
}

/** Ends a person's sessions and keys and deletes their bundles softly; they leave their organisations. */
function dropPerson(db: Db, { data }: Event): Effect | null {
  const sent = validate<typeof Person.infer>(Person, data)
  const { email, isVerified } = addressOf(sent)
  if (sent.id === undefined && email === null) return null
  const entity = entityOf('user', sent.id ?? email ?? '')
  const who = personIs(db, sent.id, isVerified ? email : null)
  return {
    entity,
    writes: [
      ...closeDown(db, eq(owners.userId, who)),
      revokeKeys(db, eq(apiKeys.mintedBy, who)),
      db.delete(member).where(eq(member.userId, who)),
      db.delete(session).where(eq(session.userId, who)),
      // A password would let them in again.
      db.delete(account).where(eq(account.userId, who)),
      db.update(webhookEntities).set({ userId: null }).where(isEntity(entity)),
    ],
  }
}

/** An organisation goes by the provider's id. */
function keepOrganization(db: Db, { data, at }: Event): Effect {
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

/** A new organisation's row; where another has its slug, that gets an ending. */
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

/** Revokes an organisation's keys and deletes its bundles softly; nobody belongs to it any more. */
function dropOrganization(db: Db, { data }: Event): Effect {
  const { id } = validate<typeof Organization.infer>(Organization, data)
  const owner = eq(owners.organizationId, id)
  return {
    entity: entityOf('organization', id),
    writes: [
      ...closeDown(db, owner),
      revokeKeys(db, sql`${apiKeys.ownerId} IN ${db.select({ id: owners.id }).from(owners).where(owner)}`),
      db.delete(member).where(eq(member.organizationId, id)),
      db.delete(invitation).where(eq(invitation.organizationId, id)),
    ],
  }
}

/** Makes somebody a member, or changes their role; the organisation is made where its own event is still to come. */
function keepMembership(db: Db, { data, at }: Event): Effect | null {
  const read = membershipOf(db, data)
  if (read === null) return null
  const { sent, entity } = read
  // A membership belongs to whoever has proven their address; until then the sender is asked to come again.
  const who = sql<string>`(SELECT ${user.id} FROM ${user} WHERE ${user.id} = ${read.who} AND ${user.emailVerified})`
  const role = roleOf(sent.role)
  const its = db.insert(organization).values(organizationRow(sent.organization, at)).onConflictDoNothing()
  return {
    entity,
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

function dropMembership(db: Db, { data }: Event): Effect | null {
  const read = membershipOf(db, data)
  if (read === null) return null
  const { sent, who, entity } = read
  const gone = and(eq(member.organizationId, sent.organization.id), eq(member.userId, who))
  return { entity, writes: [db.delete(member).where(gone)] }
}

function membershipOf(db: Db, data: unknown) {
  const sent = validate<typeof Membership.infer>(Membership, data)
  const id = sent.public_user_data?.user_id ?? sent.user?.id
  const email = readEmail(sent.public_user_data?.identifier ?? sent.user?.email)
  if (id === undefined && email === null) return null
  const entity = entityOf('membership', `${sent.organization.id}/${id ?? email}`)
  return { sent, entity, who: personIs(db, id, isVouchedFor(sent.user?.email_verified) ? email : null) }
}

function closeDown(db: Db, owner: SQL): Query[] {
  const theirs = db.select({ id: owners.id }).from(owners).where(owner)
  return [
    db
      .update(bundles)
      .set({ deletedAt: Date.now() })
      .where(and(sql`${bundles.ownerId} IN ${theirs}`, isNull(bundles.deletedAt))),
  ]
}

function revokeKeys(db: Db, which: SQL): Query {
  return db
    .update(apiKeys)
    .set({ revokedAt: Date.now() })
    .where(and(which, isNull(apiKeys.revokedAt)))
}

function entityOf(kind: 'user' | 'organization' | 'membership', id: string): string {
  return `${kind}:${id}`
}

function isEntity(entity: string) {
  return and(eq(webhookEntities.source, 'identity'), eq(webhookEntities.entity, entity))
}

/** The account that a person of the provider's has here, as a subquery. */
function linked(db: Db, entity: string) {
  return db.select({ id: webhookEntities.userId }).from(webhookEntities).where(isEntity(entity))
}

/**
 * The same by whatever an event tells: the provider's id, ours, or an address.
 * @param email one that the provider vouches for; null where it does not.
 */
function personIs(db: Db, id: string | undefined, email: string | null): SQL<string> {
  const byLink = linked(db, entityOf('user', id ?? email ?? ''))
  const byId = db
    .select({ id: user.id })
    .from(user)
    .where(eq(user.id, id ?? ''))
  const byEmail = db
    .select({ id: user.id })
    .from(user)
    .where(eq(user.email, email ?? ''))
  return sql<string>`coalesce(${byLink}, ${byId}, ${byEmail})`
}

/** The account that the person of an event has here so far, and its address; null where there is none, or none is told. */
export async function linkedAccount({ db }: Store, { type: name, data }: Pick<WebhookEvent, 'type' | 'data'>) {
  const id = (data as { id?: unknown } | null | undefined)?.id
  if (!name.startsWith('user.') || typeof id !== 'string') return null
  const [account] = await db
    .select({ id: user.id, email: user.email, isVerified: user.emailVerified })
    .from(user)
    .where(eq(user.id, sql`${linked(db, entityOf('user', id))}`))
  return account ?? null
}
