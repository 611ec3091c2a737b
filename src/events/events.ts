import type { Store } from '../../db/client.ts'
import { EVENT_TYPES, type EventKind } from '../../db/schema.ts'
import { keyIn, NumberKey, nextCursor } from '../core/cursor.ts'
import type { SignedIn } from '../identity/caller.ts'
import { allows, allowsRole } from '../identity/roles.ts'
import { EVENT_KINDS, type EventQuery, type LoggedEvent } from './shapes.ts'
import { newest, type Row, type Wanted } from './stored.ts'

/** Events of these kinds are about what whoever reads bundles reads anyway. */
const OF_BUNDLES: readonly EventKind[] = ['bundle', 'proposal']

/** Why some are missing. */
const LEFT_OUT =
  'Events of keys, apps, webhooks, members, the account or organisation, and exports are left out: they need scope keys:admin and, in an organisation, role admin.'

/** A page of what happened, newest first. */
export interface EventPage {
  events: LoggedEvent[]
  nextCursor?: string
  /** Says that events are missing which this caller may not see, if any may be. */
  leftOut?: string
  /** All of them from this page on, read as they are needed. */
  all: () => AsyncIterable<LoggedEvent[]>
}

type Reader = Pick<SignedIn, 'subject' | 'role' | 'scopes'>

/** What happened to what the acting subject has, as far as the caller may know it. */
export async function list(store: Store, reader: Reader, query: EventQuery): Promise<EventPage> {
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

/** All that happened to what a subject has, for exports, newest first. */
export function allEvents(store: Store, subject: Wanted['subject']): AsyncIterable<LoggedEvent[]> {
  return allOf(store, { subject, kinds: EVENT_KINDS }, undefined)
}

/** Events read at a time: it takes a few milliseconds. */
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
