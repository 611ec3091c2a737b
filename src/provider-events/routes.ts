import { createHmac, timingSafeEqual } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { Elysia } from 'elysia'
import type { Query, Store } from '../../db/client.ts'
import {
  account,
  apiKeys,
  invitation,
  member,
  organization,
  owners,
  providerEntities,
  session,
  user,
} from '../../db/schema.ts'
import { whileMembersChange } from '../accounts/webhook-makers.ts'
import { parseJson } from '../core/json.ts'
import { Problem } from '../core/problem.ts'
import { randomBase62 } from '../core/secrets.ts'
import type { Service } from '../core/service.ts'
import { entryOf } from '../core/untyped.ts'
import { RAW, readSigned } from '../http/body.ts'
import { json } from '../http/respond.ts'
import { handOverAccount, isVouchedFor } from '../identity/proof.ts'
import { validate } from '../operations/validate.ts'
import {
  applyOnce,
  type Db,
  type DeliveryResult,
  deleteBundles,
  deleteWebhooks,
  type Effect,
  type Event,
  entityOf,
  isEntity,
  linked,
  paymentEffect,
  personIs,
  revokeKeys,
  type WebhookEvent,
} from './deliveries.ts'
import { addressOf, Membership, Organization, Person, readEmail, roleOf, tidy } from './shapes.ts'

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
 * The effect of an identity provider’s event on people, organisations and memberships.
 * @returns null for an event type that is not handled.
 * @throws Problem BAD_REQUEST for malformed data.
 */
function providerEffect(db: Db, event: WebhookEvent): Effect | null {
  const effect = entryOf(EVENTS, event.type)
  return effect?.(db, event) ?? null
}

const TOLERANCE_SECONDS = 5 * 60
const MAX_ID = 255

type Source = WebhookEvent['source']

/** What a valid signature covers besides the body. */
interface Signed {
  /** The delivery's id; null if the sender signs none (Stripe), in which case the event's id is used. */
  id: string | null
  /** When it was sent, in milliseconds since 1970. */
  sentAt: number
}

/** POST /api/webhooks/identity and /payment. */
export function webhooks(service: Service) {
  const app = new Elysia()
  for (const source of ['identity', 'payment'] as const) {
    app.post(`/api/webhooks/${source}`, ({ request }) => receive(source, request, service), RAW)
  }
  return app
}

async function receive(source: Source, request: Request, service: Service): Promise<Response> {
  const { store, config, log, keyRing, launchers } = service
  const secrets = config.webhookSecrets[source]
  const { headers } = request
  const isStripe = source === 'payment' && headers.has('stripe-signature')
  // Refused before the body is read if it has no signature.
  if (secrets.length === 0 || !(isStripe || signature(headers) !== null)) throw unsigned()
  const body = await readSigned(request)
  const signed = isStripe ? verifyStripe(headers, body, secrets) : await verifyStandard(headers, body, secrets)
  if (signed === null) throw unsigned()
  const event = readEvent(source, signed, parseJson(body))
  const effect = source === 'identity' ? providerEffect(store.db, event) : paymentEffect(store.db, event)
  const before = source === 'identity' ? await linkedAccount(store, event) : null
  const outcome = effect === null ? 'ignored' : await apply(event, effect, service)
  if (outcome === 'applied' && source === 'identity') {
    launchers.clear()
    await keyRing.forget()
    const after = before?.isVerified ? await linkedAccount(store, event) : null
    if (before !== null && after?.id === before.id && after.email !== before.email) {
      const { accountMails } = await service.accounts()
      await accountMails.notifyFormerAddress(before.id, before.email, after.email)
    }
  }
  log.info({ source, event: event.type.slice(0, 80), outcome }, 'webhook')
  return json({ received: true, outcome }, 200)
}

async function apply(event: WebhookEvent, effect: Effect, { store, accounts }: Service): Promise<DeliveryResult> {
  const once = () => applyOnce(store, event, effect)
  if (effect.member === undefined) return once()
  return whileMembersChange((await accounts()).accountMails, effect.member, once)
}

function unsigned(): Problem {
  return new Problem('UNAUTHORIZED', 'The signature is missing, too old, or not made with a secret of this service.')
}

/** A Standard Webhooks header, or Svix’s name for it. */
function standard(headers: Headers, name: 'id' | 'timestamp' | 'signature'): string | null {
  return headers.get(`webhook-${name}`) ?? headers.get(`svix-${name}`)
}

function signature(headers: Headers): string | null {
  return standard(headers, 'signature')
}

/** Null if no secret matches, or the timestamp is more than five minutes off. */
async function verifyStandard(headers: Headers, body: string, secrets: readonly string[]): Promise<Signed | null> {
  const { Webhook } = await import('standardwebhooks')
  const id = standard(headers, 'id') ?? ''
  const timestamp = standard(headers, 'timestamp') ?? ''
  const sent = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature(headers) ?? '' }
  for (const key of secrets.flatMap(keysOf)) {
    try {
      new Webhook(key, { format: 'raw' }).verify(body, sent, { jsonParse: false })
      return { id, sentAt: Number.parseInt(timestamp, 10) * 1000 }
    } catch {
      // Try the next secret. The sender only learns that none matched.
    }
  }
  return null
}

/** The keys that a secret may mean: the standard encodes keys as base64, but some senders use the text itself. */
function keysOf(secret: string): Uint8Array[] {
  const written = secret.replace(/^whsec_/, '')
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(written)
  const keys = isBase64 ? [Buffer.from(written, 'base64')] : []
  return written === secret ? [...keys, Buffer.from(secret)] : keys
}

/** The same for `Stripe-Signature: t=<seconds>,v1=<hex>`, which may have several v1. */
function verifyStripe(headers: Headers, body: string, secrets: readonly string[]): Signed | null {
  const pairs = (headers.get('stripe-signature') ?? '').split(',').map((pair) => pair.trim().split('='))
  const seconds = Number(pairs.find(([name]) => name === 't')?.[1] ?? Number.NaN)
  // Negated so that NaN fails too.
  if (!(Math.abs(Date.now() / 1000 - seconds) <= TOLERANCE_SECONDS)) return null
  const sent = pairs.filter(([name]) => name === 'v1').map(([, hex = '']) => Buffer.from(hex))
  const made = secrets.map((secret) =>
    Buffer.from(createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')),
  )
  const isOurs = made.some((one) => sent.some((other) => one.length === other.length && timingSafeEqual(one, other)))
  return isOurs ? { id: null, sentAt: seconds * 1000 } : null
}

function readEvent(source: Source, signed: Signed, body: unknown): WebhookEvent {
  const { id: own, type, data, timestamp, created } = (body ?? {}) as Record<string, unknown>
  const id = signed.id ?? own
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID) {
    throw new Problem('BAD_REQUEST', `the event's id must be 1 to ${MAX_ID} characters`)
  }
  if (typeof type !== 'string') throw new Problem('BAD_REQUEST', 'type must be the name of an event')
  const happened = readTime(timestamp) ?? readTime(created) ?? signed.sentAt
  // A sender’s fast clock must not make later events look outdated.
  return { source, id, type, data, at: Math.min(happened, Date.now()) }
}

/** A timestamp as senders write it (ISO 8601, seconds or milliseconds) in milliseconds, or null. */
function readTime(sent: unknown): number | null {
  const time = typeof sent === 'string' ? Date.parse(sent) : typeof sent === 'number' ? sent : Number.NaN
  if (!Number.isFinite(time) || time <= 0) return null
  return typeof sent === 'number' && time < 100_000_000_000 ? time * 1000 : time
}

/** Organisations keep the provider's id. */
function upsertOrganization(db: Db, { data, at }: Event): Effect {
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
function removeOrganization(db: Db, { data }: Event): Effect {
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
function upsertMembership(db: Db, { data, at }: Event): Effect | null {
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
function removeMembership(db: Db, { data }: Event): Effect | null {
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

/**
 * Creates or updates the account of a person. Only a verified address links to an existing account or changes one's
 * address: otherwise anyone could take over an account by giving its address to the provider.
 */
function upsertPerson(db: Db, { data, at }: Event): Effect | null {
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
function removePerson(db: Db, { data }: Event): Effect | null {
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
async function linkedAccount({ db }: Store, { type: name, data }: Pick<WebhookEvent, 'type' | 'data'>) {
  const id = (data as { id?: unknown } | null | undefined)?.id
  if (!name.startsWith('user.') || typeof id !== 'string') return null
  const [account] = await db
    .select({ id: user.id, email: user.email, isVerified: user.emailVerified })
    .from(user)
    .where(eq(user.id, sql`${linked(db, entityOf('user', id))}`))
  return account ?? null
}
