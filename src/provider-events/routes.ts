import { createHmac, timingSafeEqual } from 'node:crypto'
import { Elysia } from 'elysia'
import { whileMembersChange } from '../accounts/webhook-makers.ts'
import { parseJson } from '../core/json.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { entryOf } from '../core/untyped.ts'
import { RAW, readSigned } from '../http/body.ts'
import { json } from '../http/respond.ts'
import { applyOnce, type DeliveryResult, type Effect, type WebhookEvent } from './deliveries.ts'
import type { Db, Event } from './entities.ts'
import { removeMembership, removeOrganization, upsertMembership, upsertOrganization } from './organizations.ts'
import { paymentEffect } from './payments.ts'
import { linkedAccount, removePerson, upsertPerson } from './people.ts'

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
