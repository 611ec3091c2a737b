import { and, asc, eq, sql } from 'drizzle-orm'
import { brokenConstraint, type Store } from '../../db/client.ts'
import { member, NOBODY, owners, user, webhooks } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { invalid, Problem } from '../core/problem.ts'
import { randomBase62 } from '../core/secrets.ts'
import { iso } from '../core/time.ts'
import { requireRole, type SignedIn, type Subject } from '../identity/caller.ts'
import { realEmail } from '../identity/sessions.ts'
import type { Commit } from '../operations/idempotency.ts'
import { NotSent, targetOf } from '../outgoing/target.ts'
import { ensureOwner, ownerId } from '../plans/owners.ts'
import { formatHint } from './chats.ts'
import { park, resume } from './due.ts'
import { newSecret, sealed } from './message.ts'
import type { CreatedWebhook, ListedWebhook, NewWebhook, RotatedWebhook, WebhookEdit, WebhookInfo } from './shapes.ts'

/** Maximum webhooks of one subject. */
const MAX_WEBHOOKS = 10
const SHOWN_ONCE = 'secret is shown only this once: the receiver checks signatures with it.'
const NOT_SIGNED = 'Messages to chats are not signed: secret counts only if the format becomes standard.'
/** How long messages are also signed with the secret before a rotation. */
const OLD_SECRET_MS = 86_400_000

type Settings = Pick<Config, 'secret' | 'outgoingPrivateNetworks'>

/** The caller who manages webhooks, and where. */
export interface Managing {
  store: Store
  caller: Pick<SignedIn, 'subject' | 'role'>
}

type Row = typeof webhooks.$inferSelect

type Shown = Omit<Row, 'secret' | 'oldSecret' | 'ownerId'>

function toWebhook({
  id,
  url,
  format,
  events,
  disabledAt,
  disabledBy,
  droppedAt,
  oldSecretUntil,
  ...made
}: Shown): WebhookInfo {
  const enabled = disabledAt === null
  const createdBy = made.createdBy === NOBODY ? null : made.createdBy
  return {
    id,
    url,
    format,
    events,
    enabled,
    disabledAt: iso(disabledAt),
    disabledBy,
    createdAt: iso(made.createdAt),
    createdBy,
    droppedAt: iso(droppedAt),
    oldSecretEndsAt: oldSecretUntil === null || oldSecretUntil <= Date.now() ? null : iso(oldSecretUntil),
  }
}

/** Removes duplicate events; a list with `*` becomes `*` alone. */
function keptEvents(events: NewWebhook['events']): NewWebhook['events'] {
  return events.includes('*') ? ['*'] : [...new Set(events)]
}

/**
 * Creates a webhook for the acting subject. Only this answer has its secret.
 * @throws Problem FORBIDDEN for a member who is not an admin; BAD_REQUEST for a URL that may not be requested;
 * PLAN_LIMIT.
 */
export async function create(
  { url, format, events }: NewWebhook,
  { store, config, caller, commit }: { store: Store; config: Settings; caller: SignedIn; commit: Commit },
): Promise<CreatedWebhook> {
  requireRole(caller.role, 'admin')
  await refuseUnreachable(url, config)
  const id = `wh_${randomBase62(16)}`
  const secret = newSecret()
  const row = {
    id,
    createdBy: caller.userId,
    url,
    format,
    events: keptEvents(events),
    createdAt: Date.now(),
    disabledAt: null,
    disabledBy: null,
    droppedAt: null,
    oldSecretUntil: null,
  }
  const owner = ownerId(caller.subject)
  const held = sql`(SELECT count(*) FROM ${webhooks} WHERE ${webhooks.ownerId} = ${owner})`
  const insert = store.db.insert(webhooks).values({
    ...row,
    // At the limit this is NULL, which the column refuses.
    ownerId: sql`CASE WHEN ${held} < ${MAX_WEBHOOKS} THEN ${owner} END`,
    secret: sealed(secret, { service: config.secret, webhookId: id }),
  })
  const hint = formatHint({ url, format })
  const answer: CreatedWebhook = {
    webhook: toWebhook(row),
    secret,
    warning: [format === 'standard' ? SHOWN_ONCE : NOT_SIGNED, ...(hint === null ? [] : [hint])].join(' '),
  }
  try {
    await commit([ensureOwner(caller.subject), insert], answer)
    return answer
  } catch (error) {
    const isFull = brokenConstraint(error)?.includes('webhooks.owner_id') ?? false
    if (isFull && (await list({ store, caller })).length >= MAX_WEBHOOKS) {
      throw new Problem('PLAN_LIMIT', `You have ${MAX_WEBHOOKS} webhooks, the limit: delete one first.`)
    }
    throw error
  }
}

/**
 * The webhooks of the acting subject, oldest first.
 * @throws Problem FORBIDDEN for a member who is not an admin.
 */
export async function list({ store: { db }, caller: { subject, role } }: Managing): Promise<ListedWebhook[]> {
  requireRole(role, 'admin')
  const rows = await db
    .select({ row: webhooks, maker: { name: user.name, email: realEmail }, role: member.role })
    .from(webhooks)
    .innerJoin(owners, eq(owners.id, webhooks.ownerId))
    .leftJoin(user, eq(user.id, webhooks.createdBy))
    .leftJoin(member, and(eq(member.organizationId, owners.organizationId), eq(member.userId, user.id)))
    .where(eq(webhooks.ownerId, ownerId(subject)))
    .orderBy(asc(webhooks.createdAt), asc(webhooks.id))
  return rows.map(({ row, maker, role }) => ({
    ...toWebhook(row),
    maker: maker && { ...maker, isAdmin: role === 'admin' },
  }))
}

/** A webhook in the form of answers. */
export function toPublic({ maker: _, ...webhook }: ListedWebhook): WebhookInfo {
  return webhook
}

/**
 * Changes a webhook. A new URL or format, or enabling it, sends waiting events at once; disabling it keeps them for later.
 * @throws Problem NOT_FOUND, FORBIDDEN, BAD_REQUEST.
 */
export async function update(
  { webhookId, url, format, events, enabled }: WebhookEdit,
  managing: Managing & { config: Settings },
): Promise<WebhookInfo> {
  const { store, caller, config } = managing
  // Before the URL's host is looked up: that happens only for callers who may manage webhooks.
  const { ownerId: owner } = await find(managing, webhookId)
  if (url !== undefined) await refuseUnreachable(url, config)
  const mine = and(eq(webhooks.id, webhookId), eq(webhooks.ownerId, owner))
  const set = {
    ...(url === undefined ? {} : { url }),
    ...(format === undefined ? {} : { format }),
    ...(events === undefined ? {} : { events: keptEvents(events) }),
    ...(enabled === undefined ? {} : enabledColumns(enabled)),
  }
  await store.write([
    store.db.update(webhooks).set(set).where(mine),
    ...(enabled === false ? [park(store.db, webhookId)] : []),
    ...(enabled === true || (enabled === undefined && (url ?? format) !== undefined)
      ? [resume(store.db, webhookId)]
      : []),
  ])
  return toWebhook(await find({ store, caller }, webhookId))
}

function enabledColumns(enabled: boolean) {
  if (enabled) return { disabledAt: null, disabledBy: null }
  // The first reason stays.
  return {
    disabledAt: sql`coalesce(${webhooks.disabledAt}, ${Date.now()})`,
    disabledBy: sql`coalesce(${webhooks.disabledBy}, 'owner')`,
  }
}

/**
 * Gives a webhook a new secret, which only this answer has. For a day, messages are also signed with the previous one, so that no
 * receiver refuses any; of several earlier ones, only with the last.
 * @throws Problem NOT_FOUND, FORBIDDEN.
 */
export async function rotateSecret(
  { store, caller, config, commit }: Managing & { config: Pick<Config, 'secret'>; commit: Commit },
  webhookId: string,
): Promise<RotatedWebhook> {
  const found = await find({ store, caller }, webhookId)
  const secret = newSecret()
  const oldSecretUntil = Date.now() + OLD_SECRET_MS
  const set = {
    oldSecret: sql`${webhooks.secret}`,
    oldSecretUntil,
    secret: sealed(secret, { service: config.secret, webhookId }),
  }
  const rotated = { webhook: toWebhook({ ...found, oldSecretUntil }), secret }
  const isTheirs = and(eq(webhooks.id, webhookId), eq(webhooks.ownerId, found.ownerId))
  await commit([store.db.update(webhooks).set(set).where(isTheirs)], rotated)
  return rotated
}

/**
 * Deletes a webhook: nothing is sent to it any more. The sweep erases its deliveries. @throws Problem NOT_FOUND, FORBIDDEN.
 */
export async function remove({ store, caller }: Managing, webhookId: string) {
  const { ownerId: owner } = await find({ store, caller }, webhookId)
  await store.write([store.db.delete(webhooks).where(and(eq(webhooks.id, webhookId), eq(webhooks.ownerId, owner)))])
  return { webhookId, deletedAt: iso(Date.now()) }
}

/** The message on pages for an unknown webhook, or another subject's. */
export const NO_WEBHOOK = 'This webhook doesn’t exist, or it belongs to another account.'

/**
 * A webhook of the acting subject.
 * @throws Problem FORBIDDEN for a member who is not an admin; NOT_FOUND, also for another subject’s.
 */
export async function find({ store: { db }, caller: { subject, role } }: Managing, webhookId: string): Promise<Row> {
  requireRole(role, 'admin')
  const [row] = await db
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.id, webhookId), eq(webhooks.ownerId, ownerId(subject))))
  if (row !== undefined) return row
  throw new Problem('NOT_FOUND', 'You have no webhook with this id: list_webhooks has them.', {
    userMessage: NO_WEBHOOK,
  })
}

/** @throws Problem BAD_REQUEST for a URL to which nothing may be sent. */
async function refuseUnreachable(url: string, { outgoingPrivateNetworks: privateNetworks }: Settings): Promise<void> {
  try {
    await targetOf(new URL(url), { privateNetworks })
  } catch (error) {
    if (!(error instanceof NotSent) || error.reason === null) throw error
    throw invalid([{ path: ['url'], reason: error.reason }])
  }
}

/** An owner’s webhooks, for exports. */
export async function listOf(store: Store, subject: Subject): Promise<WebhookInfo[]> {
  return (await list({ store, caller: { subject, role: 'admin' } })).map(toPublic)
}
