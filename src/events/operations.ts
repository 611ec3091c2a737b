import { csvLine } from '../core/text.ts'
import { signedIn } from '../identity/caller.ts'
import { implement } from '../operations/operation.ts'
import { type EventPage, list } from './events.ts'
import { EventList, EventQuery, type LoggedEvent } from './shapes.ts'

/** GET /api/me/events. */
export const listEvents = implement('list_events', {
  summary: 'List who changed what, newest first',
  description:
    'Lists events of bundles and proposals; with keys:admin also of keys, apps, webhooks, members and sign-ins.',
  input: EventQuery,
  example: { type: 'bundle.updated', limit: 20 },
  output: EventList,
  present: ({ all: _, ...page }: EventPage) => page,
  csv: (page) => ({ filename: 'activity.csv', parts: csvOf(page) }),
  run: (query, { service: { store }, caller }) => list(store, signedIn(caller), query),
})

const HEADER =
  'id,time,type,actorType,actorUserId,actorName,actorKeyId,actorKeyName,targetType,targetId,targetSlug,targetName,version,changes'

/** All events of a list from its first page on, as CSV (RFC 4180), a page at a time. */
async function* csvOf({ all }: Pick<EventPage, 'all'>): AsyncGenerator<string> {
  yield `${HEADER}\r\n`
  for await (const events of all()) yield events.map((event) => `${csvLine(cellsOf(event))}\r\n`).join('')
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

/** A change as `title: "Launch" → "Launch day"`; without values, as its field. */
function inWords({ field, ...values }: NonNullable<LoggedEvent['changes']>[number]): string {
  if (!('from' in values) && !('to' in values)) return field
  const [from, to] = [values.from, values.to].map((value) => (value === undefined ? '' : JSON.stringify(value)))
  return `${field}: ${from} → ${to}`
}
