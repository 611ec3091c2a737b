import type { Store } from '../../db/client.ts'
import { EVENT_TYPES, type EventKind } from '../../db/schema.ts'
import { type CsvReader, csvLine } from '../core/csv.ts'
import { keyIn, NumberKey, nextCursor } from '../core/paging.ts'
import { allows, allowsRole, type SignedIn, signedIn } from '../identity/caller.ts'
import { implement } from '../operations/operation.ts'
import { EVENT_KINDS, EventList, EventQuery, type LoggedEvent } from './shapes.ts'
import { newest, type Row, type Wanted } from './stored.ts'

/** Kinds of events about things that every reader of bundles may see anyway. */
const OF_BUNDLES: readonly EventKind[] = ['bundle', 'proposal']

/** Explains why some events are missing. */
const LEFT_OUT =
  'Events of keys, apps, webhooks, members, the account or organisation, and exports are left out: they need scope keys:admin and, in an organisation, role admin.'

/** A page of events, newest first. */
interface EventPage {
  events: LoggedEvent[]
  nextCursor?: string
  /** Explains that events may be missing which this caller may not see. */
  leftOut?: string
  /** All events from this page on, read on demand. */
  all: () => AsyncIterable<LoggedEvent[]>
}

type Reader = Pick<SignedIn, 'subject' | 'role' | 'scopes'>

/** The events of the acting subject that the caller may see. */
async function list(store: Store, reader: Reader, query: EventQuery): Promise<EventPage> {
  const { limit, cursor, since, type, ...filters } = query
  const [before] = keyIn(cursor, NumberKey) ?? []
  const asked = EVENT_KINDS.filter((kind) => type === undefined || type === kind || type.startsWith(`${kind}.`))
  const kinds = isAdmin(reader) ? asked : asked.filter((kind) => OF_BUNDLES.includes(kind))
  const wanted: Wanted = {
    subject: reader.subject,
    kinds,
    type: EVENT_TYPES.find((one) => one === type),
    since: since === undefined ? undefined : Date.parse(since),
    ...filters,
  }
  const found = kinds.length === 0 ? [] : await newest(store, wanted, { before, limit: limit + 1 })
  const page = found.slice(0, limit)
  return {
    events: page.map(({ event }) => event),
    ...nextCursor(page, found.length > limit, ({ id }) => [id]),
    ...(kinds.length < asked.length ? { leftOut: LEFT_OUT } : {}),
    all: () => allOf(store, wanted, before),
  }
}

/** All events of a subject for exports, newest first. */
export function allEvents(store: Store, subject: Wanted['subject']): AsyncIterable<LoggedEvent[]> {
  return allOf(store, { subject, kinds: EVENT_KINDS }, undefined)
}

/** Events read at a time, which takes a few milliseconds. */
const AT_ONCE = 200

async function* allOf(store: Store, wanted: Wanted, first: number | undefined): AsyncGenerator<LoggedEvent[]> {
  if (wanted.kinds.length === 0) return
  for (let before = first, page: Row[]; ; before = page.at(-1)?.id) {
    page = await newest(store, wanted, { before, limit: AT_ONCE })
    yield page.map(({ event }) => event)
    if (page.length < AT_ONCE) return
  }
}

function isAdmin({ role, scopes }: Reader): boolean {
  return allows(scopes, 'keys:admin') && allowsRole(role, 'admin')
}

/** GET /api/me/events. */
export const listEvents = implement('list_events', {
  summary: 'List who changed what, newest first',
  description:
    'Lists events of bundles and proposals; with keys:admin also of keys, apps, webhooks, members and sign-ins.',
  input: EventQuery,
  example: { type: 'bundle.updated', limit: 20 },
  output: EventList,
  present: ({ all: _, ...page }: EventPage) => page,
  csv: (page, reader) => ({ filename: 'activity.csv', parts: csvOf(page, reader) }),
  run: (query, { service: { store }, caller }) => list(store, signedIn(caller), query),
})

const HEADER =
  'id,time,type,actorType,actorUserId,actorName,actorKeyId,actorKeyName,targetType,targetId,targetSlug,targetName,version,changes'

/** All events of a list from its first page on, as CSV (RFC 4180), a page at a time. */
async function* csvOf({ all }: Pick<EventPage, 'all'>, reader: CsvReader): AsyncGenerator<string> {
  yield `${HEADER}\r\n`
  for await (const events of all()) yield events.map((event) => `${csvLine(cellsOf(event), reader)}\r\n`).join('')
}

function cellsOf({ id, type, createdAt, actor, target, versionNumber, changes }: LoggedEvent): (string | number)[] {
  return [
    ...[id, createdAt, type],
    ...[actor.type, actor.userId ?? '', actor.name ?? '', actor.keyId ?? '', actor.keyName ?? ''],
    ...[target.type, target.id ?? '', target.slug ?? '', target.name ?? ''],
    versionNumber ?? '',
    (changes ?? []).map(inWords).join('; '),
  ]
}

/** A change as `title: "Launch" → "Launch day"`; without values, only its field. */
function inWords({ field, ...values }: NonNullable<LoggedEvent['changes']>[number]): string {
  if (!('from' in values) && !('to' in values)) return field
  const [from, to] = [values.from, values.to].map((value) => (value === undefined ? '' : JSON.stringify(value)))
  return `${field}: ${from} → ${to}`
}
