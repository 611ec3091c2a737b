import { randomBytes } from 'node:crypto'
import { Webhook as Standard } from 'standardwebhooks'
import { Stripe } from 'stripe'
import { Webhook as Svix } from 'svix'
import type { Server } from './server.ts'

type Unknown = Record<string, unknown>

/** What the service answers a sender. */
export interface Receipt {
  status: number
  outcome?: string
  code?: string
}

/** A secret as providers make them. */
export function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`
}

let events = 0

/** An id that no delivery has had. */
export function newEventId(): string {
  events += 1
  return `evt_${events}_${randomBytes(6).toString('hex')}`
}

/** The headers of a delivery, made by the library that senders of Standard Webhooks use. */
export function signStandard(secret: string, body: string, { id = newEventId(), at = new Date() } = {}) {
  const signature = new Standard(secret).sign(id, at, body)
  return { 'webhook-id': id, 'webhook-timestamp': seconds(at), 'webhook-signature': signature }
}

/** The same by Svix's library, under its names. */
export function signSvix(secret: string, body: string, { id = newEventId(), at = new Date() } = {}) {
  return { 'svix-id': id, 'svix-timestamp': seconds(at), 'svix-signature': new Svix(secret).sign(id, at, body) }
}

/** The header that Stripe's library makes. */
export async function signStripe(secret: string, payload: string, at = new Date()) {
  const header = await Stripe.webhooks.generateTestHeaderStringAsync({
    payload,
    secret,
    timestamp: Number(seconds(at)),
  })
  return { 'stripe-signature': header }
}

function seconds(at: Date): string {
  return String(Math.floor(at.getTime() / 1000))
}

/** Delivers a body as it is. */
export async function deliver(
  { origin }: Pick<Server, 'origin'>,
  source: 'identity' | 'payment',
  body: string,
  headers: Record<string, string>,
): Promise<Receipt> {
  const answer = await fetch(`${origin}/api/webhooks/${source}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })
  const { outcome, code } = (await answer.json()) as Receipt
  return { status: answer.status, ...(outcome ? { outcome } : {}), ...(code ? { code } : {}) }
}

/** An event of an identity provider, as Clerk sends it through Svix. */
export function tellIdentity(server: Pick<Server, 'origin'>, secret: string, type: string, data: Unknown, more = {}) {
  const body = JSON.stringify({ type, object: 'event', data, ...more })
  return deliver(server, 'identity', body, signSvix(secret, body))
}

/** An event of a payment provider that keeps to Standard Webhooks. */
export function tellPayment(server: Pick<Server, 'origin'>, secret: string, type: string, data: Unknown, more = {}) {
  const body = JSON.stringify({ type, data, ...more })
  return deliver(server, 'payment', body, signStandard(secret, body))
}

/** An event of Stripe's. */
export async function tellStripe(
  server: Pick<Server, 'origin'>,
  secret: string,
  type: string,
  object: Unknown,
  more = {},
) {
  const body = JSON.stringify({ id: newEventId(), object: 'event', type, data: { object }, ...more })
  return deliver(server, 'payment', body, await signStripe(secret, body))
}
