import { and, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Store } from '../../db/client.ts'
import {
  apiKeys,
  bundles,
  type EventKind,
  type EventType,
  events,
  idNamed,
  invitation,
  member,
  organization,
  owners,
  user,
  webhooks,
} from '../../db/schema.ts'
import { iso } from '../core/time.ts'
import type { Subject } from '../identity/caller.ts'
import { realEmailIn } from '../identity/sessions.ts'
import { ownerId } from '../plans/owners.ts'
import type { LoggedEvent } from './shapes.ts'

/** A selection of a subject's events. */
export interface Wanted {
  subject: Subject
  /** At least one kind. */
  kinds: readonly EventKind[]
  type?: EventType | undefined
  /** The slug of a bundle, or the id of something else. */
  target?: string | undefined
  /** The id of a person or a key. */
  actor?: string | undefined
  /** In milliseconds since 1970, inclusive. */
  since?: number | undefined
}

/** An event with the fields that order the list. */
export interface Row {
  id: number
  event: LoggedEvent
}

/**
 * The newest selected events, newest first, at most `limit`.
 * @param before only events older than the event with this id.
 */
export async function newest(
  { db }: Store,
  wanted: Wanted,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<Row[]> {
  const { type, since } = wanted
  const isWanted = and(
    eq(events.ownerId, ownerId(wanted.subject)),
    before === undefined ? undefined : sql`${events.id} < ${before}`,
    type === undefined ? undefined : eq(events.type, type),
    since === undefined ? undefined : sql`${events.at} >= ${since}`,
  )
  const some = (where: SQL | undefined) =>
    sql`SELECT id FROM (SELECT ${events.id} FROM ${events} WHERE ${and(isWanted, where)} ORDER BY ${events.id} DESC LIMIT ${limit})`
  const ids = sql.join(placesOf(wanted).map(some), sql` UNION ALL `)
  const rows = await withNames(db, wanted.subject)
    .where(sql`${events.id} IN (${ids})`)
    .orderBy(desc(events.id))
    .limit(limit)
  return rows.map((row) => ({ id: row.event.id, event: toEvent(row, wanted.subject) }))
}

/**
 * Conditions for the selected events. Each is the beginning of an index, so that the newest are found without reading others: by
 * actor or target, or else by kind. A plus sign keeps SQLite from choosing an index by that column.
 */
function placesOf({ kinds, target, actor }: Wanted): SQL[] {
  const isOfKind = sql`+${inArray(events.kind, [...kinds])}`
  const isTheirs = actor === undefined ? undefined : byActor(actor)
  if (target !== undefined) {
    const bundle = sql`${events.bundleId} = ${idNamed(target)}`
    return [bundle, eq(events.target, target)].map((at) => sql`${and(at, isOfKind, isTheirs)}`)
  }
  if (isTheirs !== undefined) return [sql`${and(isTheirs, isOfKind)}`]
  return kinds.map((kind) => eq(events.kind, kind))
}

/** Events caused by a person, including by their keys; or by a key. */
function byActor(actor: string): SQL {
  if (!/^[1-9]\d{0,14}$/.test(actor)) return eq(events.actorUserId, actor)
  const key = Number(actor)
  const minter = sql`(SELECT ${apiKeys.mintedBy} FROM ${apiKeys} WHERE ${apiKeys.id} = ${key})`
  return sql`${events.actorUserId} = ${minter} AND ${events.actorKeyId} = ${key}`
}

const [actor, person] = [alias(user, 'actor'), alias(user, 'person')]
const [actorKey, key] = [alias(apiKeys, 'actor_key'), alias(apiKeys, 'key')]

/**
 * Events with their subjects and actors under current names. People are named only while they are the subject or its members,
 * because the later life of others is not its business. A title is given only while the bundle is the subject's.
 */
function withNames(db: Store['db'], subject: Subject) {
  const isKnown = (id: SQL) =>
    subject.type === 'user'
      ? sql`${id} = ${subject.userId}`
      : sql`EXISTS (SELECT 1 FROM ${member} WHERE ${member.organizationId} = ${subject.organizationId} AND ${member.userId} = ${id})`
  // A person who has accepted an invitation is treated like any other.
  const isToKnow = sql`${invitation.status} <> 'accepted' OR EXISTS (SELECT 1 FROM ${user} WHERE ${user.email} = ${invitation.email} AND ${isKnown(sql`${user.id}`)})`
  const ofKind = (...kinds: EventKind[]) => inArray(events.kind, kinds)
  return db
    .select({
      event: events,
      actor: { name: actor.name, email: realEmailIn(actor) },
      actorKey: actorKey.name,
      slug: bundles.slug,
      title: sql<string | null>`CASE WHEN ${bundles.ownerId} = ${events.ownerId} THEN ${bundles.title} END`,
      keyName: key.name,
      webhookUrl: webhooks.url,
      person: { name: person.name, email: realEmailIn(person) },
      invited: sql<string | null>`CASE WHEN ${isToKnow} THEN ${invitation.email} END`,
      organization: organization.name,
    })
    .from(events)
    .leftJoin(actor, and(eq(actor.id, events.actorUserId), isKnown(sql`${events.actorUserId}`)))
    .leftJoin(actorKey, and(eq(actorKey.id, events.actorKeyId), eq(actorKey.ownerId, events.ownerId)))
    .leftJoin(bundles, eq(bundles.id, events.bundleId))
    .leftJoin(
      key,
      and(ofKind('key', 'app'), eq(key.id, sql`CAST(${events.target} AS INTEGER)`), eq(key.ownerId, events.ownerId)),
    )
    .leftJoin(webhooks, and(ofKind('webhook'), eq(webhooks.id, events.target), eq(webhooks.ownerId, events.ownerId)))
    .leftJoin(
      person,
      and(ofKind('member', 'account', 'data'), eq(person.id, events.target), isKnown(sql`${events.target}`)),
    )
    .leftJoin(owners, eq(owners.id, events.ownerId))
    .leftJoin(
      invitation,
      and(ofKind('member'), eq(invitation.id, events.target), eq(invitation.organizationId, owners.organizationId)),
    )
    .leftJoin(organization, and(ofKind('organization', 'data'), eq(organization.id, owners.organizationId)))
    .$dynamic()
}

type Found = Awaited<ReturnType<typeof withNames>>[number]

function toEvent(row: Found, subject: Subject): LoggedEvent {
  const { publicId, type, at, versionNumber, changes } = row.event
  return {
    id: publicId,
    type,
    createdAt: iso(at),
    actor: {
      ...actorOf(row.event),
      ...named('name', row.actor && calledBy(row.actor)),
      ...named('keyName', row.actorKey),
    },
    subject,
    target: targetOf(row),
    ...(versionNumber === null ? {} : { versionNumber }),
    ...(changes === null ? {} : { changes }),
  }
}

function actorOf({ actorType, actorUserId, actorKeyId }: typeof events.$inferSelect): LoggedEvent['actor'] {
  return {
    type: actorType,
    ...(actorUserId === null ? {} : { userId: actorUserId }),
    ...(actorKeyId === null ? {} : { keyId: actorKeyId }),
  }
}

/** The fields that webhooks add to an event's subject: only ids, because names change between two attempts. */
export const TOLD = ['id', 'actor', 'changes'] as const
type ToldEvent = Pick<LoggedEvent, (typeof TOLD)[number]>

/** The event with an id in the form for its owner's webhooks; null once it is erased. */
export async function toldOf({ db }: Store, owner: number, id: number): Promise<ToldEvent | null> {
  const [event] = await db
    .select()
    .from(events)
    .where(and(eq(events.id, id), eq(events.ownerId, owner)))
  if (event === undefined) return null
  const { publicId, changes } = event
  return { id: publicId, actor: actorOf(event), ...(changes === null ? {} : { changes }) }
}

/** A subject's event as its log shows it; null once it is erased. */
export async function eventWith({ db }: Store, subject: Subject, id: number): Promise<LoggedEvent | null> {
  const isTheirs = and(eq(events.id, id), eq(events.ownerId, ownerId(subject)))
  const [row] = await withNames(db, subject).where(isTheirs).limit(1)
  return row === undefined ? null : toEvent(row, subject)
}

function targetOf(row: Found): LoggedEvent['target'] {
  return TARGETS[row.event.kind](row, row.event.target)
}

type Target = (row: Found, id: string | null) => LoggedEvent['target']

const aKey =
  (type: 'key' | 'app'): Target =>
  ({ keyName }, id) => ({ type, id, ...named('name', keyName) })

const aPerson: Target = ({ person }, id) => ({ type: 'user', id, ...named('name', person && calledBy(person)) })

const anOrganization: Target = ({ organization }, id) => ({ type: 'organization', id, ...named('name', organization) })

/** The subject of an event of each kind. */
const TARGETS: Record<EventKind, Target> = {
  bundle: ({ slug, title }) => ({ type: 'bundle', id: slug, ...named('slug', slug), ...named('name', title) }),
  proposal: ({ slug, title }, id) => ({ type: 'proposal', id, ...named('slug', slug), ...named('name', title) }),
  key: aKey('key'),
  app: aKey('app'),
  // Only the host, because the whole address may be a secret.
  webhook: ({ webhookUrl }, id) => ({ type: 'webhook', id, ...named('name', webhookUrl && new URL(webhookUrl).host) }),
  member: (row, id) =>
    row.event.type === 'member.invited' ? { type: 'invitation', id, ...named('name', row.invited) } : aPerson(row, id),
  organization: anOrganization,
  account: aPerson,
  data: (row, id) => (row.organization === null ? aPerson : anOrganization)(row, id),
}

/** A field that answers omit if it is empty. */
function named<Name extends string>(name: Name, value: string | null): { [Field in Name]?: string } {
  return value === null ? {} : ({ [name]: value } as { [Field in Name]?: string })
}

function calledBy({ name, email }: { name: string; email: string }): string {
  return name.trim() || email
}
