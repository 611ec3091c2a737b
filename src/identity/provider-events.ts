import { and, eq, isNull, or, type SQL, sql } from 'drizzle-orm'
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
import type { Effect, WebhookEvent } from '../deliveries.ts'
import { randomBase62 } from '../secrets.ts'
import { validate } from '../validate.ts'
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

/** Upserts by e-mail address; a person who is known by the provider's id takes a new address along. */
function keepPerson(db: Db, { data, at }: Event): Effect | null {
  const sent = validate<typeof Person.infer>(Person, data)
  const { email, isVerified } = addressOf(sent)
  if (email === null) return null
  const entity = entityOf('user', sent.id ?? email)
  const known = linked(db, entity)
  const newId = randomBase62(32)
  const name =
    tidy(sent.name || [sent.first_name, sent.last_name].filter(Boolean).join(' '), 100) || email.split('@')[0]!
  const now = new Date(at)
  const person = { name, ...(sent.image_url ? { image: tidy(sent.image_url, 2048) } : {}), updatedAt: now }
  // Nobody may take over an account by giving its address, unconfirmed, to the provider.
  const isTheirs = isVerified === false ? or(eq(user.id, sql`${known}`), eq(user.id, newId)) : undefined
  return {
    entity,
    writes: [
      db
        .update(user)
        .set({ email, emailVerified: isVerified === true, updatedAt: now })
        .where(and(eq(user.id, sql`${known}`), sql`NOT EXISTS (SELECT 1 FROM ${user} WHERE ${user.email} = ${email})`)),
      db
        .insert(user)
        .values({ ...person, id: newId, email, emailVerified: isVerified === true, createdAt: now })
        .onConflictDoUpdate({
          target: user.email,
          set: { ...person, ...(isVerified === true ? { emailVerified: true } : {}) },
          ...(isTheirs === undefined ? {} : { setWhere: isTheirs }),
        }),
      db
        .update(webhookEntities)
        .set({ userId: sql`(SELECT ${user.id} FROM ${user} WHERE ${and(eq(user.email, email), isTheirs)})` })
        .where(isEntity(entity)),
    ],
  }
}

/** Ends a person's sessions and keys and deletes their bundles softly; they leave their organisations. */
function dropPerson(db: Db, { data }: Event): Effect | null {
  const sent = validate<typeof Person.infer>(Person, data)
  const { email } = addressOf(sent)
  if (sent.id === undefined && email === null) return null
  const entity = entityOf('user', sent.id ?? email ?? '')
  const who = personIs(db, sent.id, email)
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
  const { sent, who, entity } = read
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
  return { sent, entity, who: personIs(db, id, email) }
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

/** The same by whatever an event tells: the provider's id, ours, or the address. */
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
