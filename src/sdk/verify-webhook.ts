import { OpenallError } from './error.ts'
import type { Subject } from './types.ts'

/** The body of a webhook. */
export interface WebhookEvent {
  /** The event: `bundle.updated`. */
  type: string
  /** When the event happened, as ISO 8601 in UTC. */
  timestamp: string
  /** The owner of the webhook. */
  subject: Subject
  data: Readonly<Record<string, unknown>>
}

/** The headers of a request, in the forms that servers use. */
export type WebhookHeaders = Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>

const PREFIX = 'whsec_'
/** Older or newer messages may be somebody’s copies. */
const TOLERANCE_SECONDS = 300
/** More than any sender uses while rotating its secret. */
const MAX_SIGNATURES = 20

/**
 * Verifies that a webhook comes from the service and is at most five minutes old (Standard Webhooks), and parses it. Its
 * `webhook-id` stays the same when it is sent again.
 *
 * ```ts
 * const event = await verifyWebhook(await request.text(), request.headers, secret)
 * ```
 *
 * @param body exactly as received: not parsed and serialised again.
 * @param secret `whsec_…`, or several during a rotation.
 * @throws OpenallError INVALID_SIGNATURE.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
): Promise<WebhookEvent> {
  const id = headerIn(headers, 'webhook-id')
  const time = headerIn(headers, 'webhook-timestamp')
  const signatures = headerIn(headers, 'webhook-signature')
  if (id === '' || time === '' || signatures === '') throw invalid('its webhook-* headers are missing')
  const age = Math.floor(Date.now() / 1000) - Number(time)
  if (!/^\d{1,12}$/.test(time) || Math.abs(age) > TOLERANCE_SECONDS) throw invalid('it is too old or too new')
  const content = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = joined(new TextEncoder().encode(`${id}.${time}.`), content)
  const sent = signatures
    .split(' ', MAX_SIGNATURES)
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => bytesOf(signature.slice('v1,'.length)))
  const secrets = typeof secret === 'string' ? [secret] : secret
  for (const text of secrets) {
    const key = await keyOf(text)
    for (const signature of sent) {
      // Compares in constant time.
      if (signature !== null && (await crypto.subtle.verify('HMAC', key, signature, signed))) return eventIn(content)
    }
  }
  throw invalid('no signature matches. Check the secret, and that the body is passed as it was received')
}

function invalid(why: string): OpenallError {
  return new OpenallError('INVALID_SIGNATURE', `This is no valid webhook: ${why}.`)
}

function headerIn(headers: WebhookHeaders, name: string): string {
  if (typeof headers.get === 'function') return headers.get(name) ?? ''
  const entries = Object.entries(headers as Readonly<Record<string, string | readonly string[] | undefined>>)
  const [, value = ''] = entries.find(([key]) => key.toLowerCase() === name) ?? []
  return typeof value === 'string' ? value : value.join(' ')
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret)
  if (bytes === null || bytes.length === 0)
    throw new OpenallError(
      'BAD_REQUEST',
      `The secret must be ${PREFIX} and base64, as it was shown when the webhook was made.`,
    )
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** Decodes base64; null if it is invalid. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return null
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

function eventIn(content: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(content)) as WebhookEvent
  } catch (cause) {
    throw new OpenallError('BAD_REQUEST', 'The body of the webhook is not JSON.', { cause })
  }
}
