import { randomBytes } from 'node:crypto'
import { seal, unseal } from '../core/secrets.ts'

// Signing secrets (Standard Webhooks). They cannot be hashed, because we sign with them: they are stored sealed.

/** A new secret, as its owner gets it. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** How a webhook’s secret is stored: worthless without the service’s secret, and for any other webhook. */
export function sealed(secret: string, { service, webhookId }: { service: string; webhookId: string }): Buffer {
  return seal(service, `webhook ${webhookId}`, secret)
}

/** The stored secret. Throws if the service’s secret is not the one that it was sealed with. */
export function unsealed(stored: Uint8Array, { service, webhookId }: { service: string; webhookId: string }): string {
  return unseal(service, `webhook ${webhookId}`, stored)
}
