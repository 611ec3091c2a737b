import { randomBytes } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import { Webhook } from 'standardwebhooks'
import type { Store } from '../../db/client.ts'
import { bundles, bundleVersions, owners } from '../../db/schema.ts'
import { NAMES, pick } from '../bundles/content/content.ts'
import { subjectOf, toBundle } from '../bundles/edit/bundles.ts'
import { VERSION_COLUMNS } from '../bundles/edit/stored.ts'
import { healthOf } from '../bundles/links/health.ts'
import type { Config } from '../config/config.ts'
import { seal, unseal } from '../core/secrets.ts'
import { iso } from '../core/time.ts'
import { toldOf } from '../events/stored.ts'
import { type Post, userAgentOf } from '../outgoing/request.ts'
import { toProposal } from '../proposals/present.ts'
import { OPEN, whole } from '../proposals/stored.ts'
import { chatRequest } from './chat-bodies.ts'
import { chatMessage } from './chat-message.ts'
import type { ChatFormat } from './chats.ts'
import type { Leased } from './due.ts'

type Event = Pick<Leased, 'row' | 'webhook'>
type Site = Pick<Config, 'origin' | 'shortPaths' | 'name' | 'secret' | 'linkChecks'>

/** What to send for an event, and where to. */
export interface Message {
  url: string
  post: Post
}

/**
 * The message for an event in the format of its webhook.
 * @returns null if the subject of the event no longer exists.
 */
export async function messageOf(store: Store, leased: Leased, site: Site): Promise<Message | null> {
  const { url, format } = leased.webhook
  if (format !== 'standard') return messageToChat(store, leased, site, format)
  const post = await signedPost(store, leased, site)
  return post && { url, post }
}

/** Without a signature, which no chat checks, and without ids that belong to one. */
async function messageToChat(store: Store, leased: Leased, site: Site, format: ChatFormat): Promise<Message | null> {
  const message = await chatMessage(store, leased, site)
  if (message === null) return null
  const { url, body } = chatRequest(format, leased.webhook.url, message)
  const headers = { 'content-type': 'application/json', 'user-agent': userAgentOf(site, 'webhooks') }
  return { url, post: { account: accountOf(leased), headers, body: JSON.stringify(body) } }
}

/** Whose request it is, for limits. */
function accountOf({ owner }: Leased): string {
  const subject = subjectOf(owner)
  return subject.type === 'user' ? subject.userId : subject.organizationId
}

/**
 * The message for an event, signed as Standard Webhooks specifies. Every attempt has the same id and shows the content as it was
 * at the event. Fields outside the content (`externalId`, `metadata`, health) are current, and the event's entry in the log may
 * have been erased meanwhile.
 * @returns null if the subject of the event no longer exists.
 */
async function signedPost(store: Store, leased: Leased, site: Site): Promise<Post | null> {
  const { row, webhook, owner } = leased
  const data = await dataOf(store, { row, webhook }, site)
  if (data === null) return null
  const told = row.eventId === null ? null : await toldOf(store, webhook.ownerId, row.eventId)
  const subject = subjectOf(owner)
  const body = JSON.stringify({ type: row.event, timestamp: iso(row.at), ...told, subject, data })
  const now = new Date()
  return {
    account: accountOf(leased),
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': userAgentOf(site, 'webhooks'),
      'openall-webhook-id': webhook.id,
      'webhook-id': row.messageId,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': secretsOf(webhook, site, now)
        .map((secret) => new Webhook(secret).sign(row.messageId, now, body))
        .join(' '),
    },
  }
}

/** The secrets to sign with: the current one, and for a day after a rotation the one before it. */
function secretsOf({ id, secret, oldSecret, oldSecretUntil }: Leased['webhook'], { secret: service }: Site, now: Date) {
  const isOldValid = oldSecret !== null && oldSecretUntil !== null && oldSecretUntil > now.getTime()
  return [secret, ...(isOldValid ? [oldSecret] : [])].map((stored) => unsealed(stored, { service, webhookId: id }))
}

function dataOf(store: Store, { row, webhook }: Event, site: Site) {
  if (row.event === 'webhook.test') return { webhookId: webhook.id }
  return row.proposalId === null ? bundleOf(store, { row, webhook }, site) : proposalOf(store, row, row.proposalId)
}

/** The proposal as the event left it. */
async function proposalOf({ db }: Store, { bundleId, event }: Leased['row'], id: string) {
  const [found] = bundleId === null ? [] : await whole(db, bundleId, id)
  if (found === undefined) return null
  return toProposal({ ...found.proposal, ...(event === 'proposal.opened' ? OPEN : {}) })
}

/** The bundle as the event left it. */
async function bundleOf(store: Store, { row, webhook }: Event, site: Site) {
  const { bundleId, versionNumber, event, at } = row
  if (bundleId === null || versionNumber === null) return null
  const [found] = await store.db
    .select({ bundle: bundles, userId: owners.userId, organizationId: owners.organizationId, version: VERSION_COLUMNS })
    .from(bundles)
    // Not its present owner: where it has moved since is none of this webhook's business.
    .innerJoin(owners, eq(owners.id, row.receiverId ?? webhook.ownerId))
    .innerJoin(
      bundleVersions,
      and(eq(bundleVersions.bundleId, bundles.id), eq(bundleVersions.versionNumber, versionNumber)),
    )
    .where(eq(bundles.id, bundleId))
  if (found === undefined) return null
  const { bundle, version } = found
  const asOf = {
    versionNumber,
    updatedAt: version.editedAt,
    deletedAt: event === 'bundle.deleted' ? at : null,
  }
  // Unversioned fields are current: after a move, the new owner set them, or their checks found them.
  const hasMoved = bundle.ownerId !== webhook.ownerId
  const ofNow = hasMoved ? { externalId: null, metadata: null, aliases: null } : {}
  const told = toBundle({ ...bundle, ...pick(NAMES, version), ...asOf, ...ofNow, owner: subjectOf(found) }, site)
  if (event !== 'bundle.links_broken') return told
  const health = hasMoved ? null : await healthOf({ store, config: site }, { id: bundleId, urls: told.urls })
  return { ...told, health: health ?? [] }
}

// Signing secrets (Standard Webhooks). Signing needs the plain secret, so it cannot be hashed: it is stored sealed.

/** A new secret, in the form shown to its owner. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** The stored form of a webhook’s secret: worthless without the service’s secret, and for any other webhook. */
export function sealed(secret: string, { service, webhookId }: { service: string; webhookId: string }): Buffer {
  return seal(service, `webhook ${webhookId}`, secret)
}

/** The stored secret. Throws unless the service’s secret is the one that sealed it. */
function unsealed(stored: Uint8Array, { service, webhookId }: { service: string; webhookId: string }): string {
  return unseal(service, `webhook ${webhookId}`, stored)
}
