import { randomBytes } from 'node:crypto'
import { Webhook as Standard } from 'standardwebhooks'
import { Stripe } from 'stripe'
import { Webhook as Svix } from 'svix'
import type { Server } from './server.ts'

type Unknown = Record<string, unknown>

/** The service's answer to the sender of an event. */
export interface Receipt {
  status: number
  outcome?: string
  code?: string
}

/** A secret in the form that providers use. */
export function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`
}

let events = 0

/** An unused event id. */
export function newEventId(): string {
  events += 1
  return `evt_${events}_${randomBytes(6).toString('hex')}`
}

/** The headers of a delivery, signed with the official Standard Webhooks library. */
export function signStandard(secret: string, body: string, { id = newEventId(), at = new Date() } = {}) {
  const signature = new Standard(secret).sign(id, at, body)
  return { 'webhook-id': id, 'webhook-timestamp': seconds(at), 'webhook-signature': signature }
}

/** The same with Svix's library and header names. */
export function signSvix(secret: string, body: string, { id = newEventId(), at = new Date() } = {}) {
  return { 'svix-id': id, 'svix-timestamp': seconds(at), 'svix-signature': new Svix(secret).sign(id, at, body) }
}

/** The header of a delivery, signed with Stripe's library. */
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

/** Delivers a body unchanged. */
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

/** Sends an identity provider's event, as Clerk does through Svix. */
export function sendIdentityEvent(
  server: Pick<Server, 'origin'>,
  secret: string,
  type: string,
  data: Unknown,
  more = {},
) {
  const body = JSON.stringify({ type, object: 'event', data, ...more })
  return deliver(server, 'identity', body, signSvix(secret, body))
}

/** Sends the event of a payment provider that follows Standard Webhooks. */
export function sendPaymentEvent(
  server: Pick<Server, 'origin'>,
  secret: string,
  type: string,
  data: Unknown,
  more = {},
) {
  const body = JSON.stringify({ type, data, ...more })
  return deliver(server, 'payment', body, signStandard(secret, body))
}

/** Sends an event of Stripe's. */
export async function sendStripeEvent(
  server: Pick<Server, 'origin'>,
  secret: string,
  type: string,
  object: Unknown,
  more = {},
) {
  const body = JSON.stringify({ id: newEventId(), object: 'event', type, data: { object }, ...more })
  return deliver(server, 'payment', body, await signStripe(secret, body))
}
