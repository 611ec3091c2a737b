import { csvLine } from '../core/csv.ts'
import type { EventPage } from './events.ts'
import type { LoggedEvent } from './shapes.ts'

const HEADER =
  'id,time,type,actorType,actorUserId,actorName,actorKeyId,actorKeyName,targetType,targetId,targetSlug,targetName,version,changes'

/** All events of a list from its first page on, as CSV (RFC 4180), a page at a time. */
export async function* csvOf({ all }: Pick<EventPage, 'all'>): AsyncGenerator<string> {
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
