import { signedIn } from '../identity/caller.ts'
import { implement } from '../operations/operation.ts'
import { csvOf } from './csv.ts'
import { type EventPage, list } from './events.ts'
import { EventList, EventQuery } from './shapes.ts'

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
