import { and, eq, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { account, apiKeys, member, owners, providerEntities, session, user } from '../../db/schema.ts'
import { randomBase62 } from '../core/secrets.ts'
import { handOverAccount } from '../identity/proof.ts'
import { validate } from '../operations/validate.ts'
import type { Effect, WebhookEvent } from './deliveries.ts'
import {
  type Db,
  deleteBundles,
  deleteWebhooks,
  type Event,
  entityOf,
  isEntity,
  linked,
  personIs,
  revokeKeys,
} from './entities.ts'
import { addressOf, Person, tidy } from './shapes.ts'

/**
 * Creates or updates the account of a person. Only a verified address links to an existing account or changes one's
 * address: otherwise anyone could take over an account by giving its address to the provider.
 */
export function upsertPerson(db: Db, { data, at }: Event): Effect | null {
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
  if (isVerified) return { entity, writes: upsertVerified(db, entity, email, person) }
  // Without an account of its own, and with an address that is somebody’s, it is about nobody.
  const isFree = sql`NOT EXISTS (SELECT 1 FROM ${user} WHERE ${user.email} = ${email})`
  const concerns = sql`(${linked(db, entity)} IS NOT NULL OR ${isFree})`
  return { entity, concerns, writes: upsertUnverified(db, entity, email, person) }
}

type PersonRow = Pick<typeof user.$inferInsert, 'name' | 'image' | 'updatedAt'>

function upsertVerified(db: Db, entity: string, email: string, person: PersonRow): Query[] {
  const known = sql`${linked(db, entity)}`
  const whose = sql`SELECT ${user.id} FROM ${user} WHERE ${user.email} = ${email}`
  const isFree = sql`NOT EXISTS (${whose})`
  return [
    ...handOverAccount(db, whose),
    db
      .update(user)
      .set({ email, emailVerified: true })
      .where(and(eq(user.id, known), isFree)),
    db
      .insert(user)
      .values({ ...person, id: randomBase62(32), email, emailVerified: true, createdAt: person.updatedAt })
      .onConflictDoUpdate({ target: user.email, set: person }),
    db
      .update(providerEntities)
      .set({ userId: sql`(${whose})` })
      .where(isEntity(entity)),
  ]
}

/**
 * Creates an account if the address has none. If this person already has an account, it gets the new name and keeps its
 * address.
 */
function upsertUnverified(db: Db, entity: string, email: string, person: PersonRow): Query[] {
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
      .update(providerEntities)
      .set({ userId: id })
      .where(and(isEntity(entity), sql`EXISTS (SELECT 1 FROM ${user} WHERE ${user.id} = ${id})`)),
  ]
}

/** Ends a person’s sessions, keys and memberships, and soft-deletes their bundles. */
export function removePerson(db: Db, { data }: Event): Effect | null {
  const sent = validate<typeof Person.infer>(Person, data)
  const { email, isVerified } = addressOf(sent)
  if (sent.id === undefined && email === null) return null
  const entity = entityOf('user', sent.id ?? email ?? '')
  const userId = personIs(db, sent.id, isVerified ? email : null)
  return {
    entity,
    concerns: sql`${userId} IS NOT NULL`,
    member: userId,
    writes: [
      ...deleteBundles(db, eq(owners.userId, userId)),
      deleteWebhooks(db, eq(owners.userId, userId)),
      revokeKeys(db, eq(apiKeys.mintedBy, userId)),
      db.delete(member).where(eq(member.userId, userId)),
      db.delete(session).where(eq(session.userId, userId)),
      // A password would let them in again.
      db.delete(account).where(eq(account.userId, userId)),
      db.update(providerEntities).set({ userId: null }).where(isEntity(entity)),
    ],
  }
}

/** The account that an event's person is linked to so far, or null. */
export async function linkedAccount({ db }: Store, { type: name, data }: Pick<WebhookEvent, 'type' | 'data'>) {
  const id = (data as { id?: unknown } | null | undefined)?.id
  if (!name.startsWith('user.') || typeof id !== 'string') return null
  const [account] = await db
    .select({ id: user.id, email: user.email, isVerified: user.emailVerified })
    .from(user)
    .where(eq(user.id, sql`${linked(db, entityOf('user', id))}`))
  return account ?? null
}
