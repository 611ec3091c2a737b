import { signedIn } from '../identity/caller.ts'
import { implement } from '../operations/operation.ts'
import { csvOf } from './csv.ts'
import { type EventPage, list } from './events.ts'
import { EventList, EventQuery } from './shapes.ts'

/** GET /api/me/events. */
export const listEvents = implement('list_events', {
  summary: 'List what happened: who changed what, newest first',
  description:
    'Lists events of bundles and proposals; with scope keys:admin also of keys, apps, webhooks, members and the account. Kept 90 days, an organisation’s 400.',
  input: EventQuery,
  example: { type: 'bundle.updated', limit: 20 },
  output: EventList,
  present: ({ all: _, ...page }: EventPage) => page,
  csv: (page) => ({ filename: 'activity.csv', parts: csvOf(page) }),
  run: (query, { service: { store }, caller }) => list(store, signedIn(caller), query),
})
