import { type } from 'arktype'
import { ACTOR_TYPES, EVENT_TYPES, type EventKind, type EventType } from '../../db/schema.ts'
import { lazy } from '../core/lazy.ts'
import { Cursor, limitOf, NextCursor } from '../core/paging.ts'
import { object, refusing, says, Time } from '../core/shape.ts'
import { line } from '../core/text-shapes.ts'
import { INSTANT, isInstant } from '../core/time.ts'
import { Acting } from '../identity/answers.ts'

const MAX_PAGE = 100
const MAX_ID = 128

/** The kind of an event: the part of its type before the dot. */
function kindOf(type: EventType): EventKind {
  return type.slice(0, type.indexOf('.')) as EventKind
}

/** Every kind of event, in the order of their types. */
export const EVENT_KINDS: readonly EventKind[] = [...new Set(EVENT_TYPES.map(kindOf))]

/** The possible filters of a list of events: a type, or all types of a kind. */
const WANTED: readonly string[] = [...EVENT_KINDS, ...EVENT_TYPES]

/** The query of GET /api/me/events. */
export const EventQuery = object({
  'type?': says(
    type('string').narrow(
      refusing({ maxLength: MAX_ID }, (text: string) =>
        WANTED.includes(text) ? null : { code: 'no_option', options: WANTED },
      ),
    ),
    'A kind, or one type: `bundle`, `bundle.updated`.',
    'bundle.updated',
  ),
  'target?': says(line(MAX_ID), 'A slug, or the id of something else.', 'launch-day'),
  'actor?': says(line(MAX_ID), 'A user or key id.', 'u_19xk'),
  'since?': says(
    type('string').narrow(
      refusing({ pattern: INSTANT.source }, (text: string) => (isInstant(text) ? null : { code: 'not_an_instant' })),
    ),
    'From when on.',
    '2026-11-01T00:00:00Z',
  ),
  limit: limitOf(MAX_PAGE, 50),
  'cursor?': Cursor,
})

export type EventQuery = typeof EventQuery.infer

/** The types of an event's subject. */
const TARGET_TYPES = ['bundle', 'proposal', 'key', 'app', 'webhook', 'invitation', 'user', 'organization'] as const

/** The old or new value of a field, if it is small. */
const Value = 'string | number | boolean | null | string[]'

const change = lazy(() =>
  object(
    {
      field: says('string', 'The field.', 'title'),
      'from?': says(Value, 'What it was, if that is small.', 'Launch'),
      'to?': says(Value, 'What it is, if that is small.', 'Launch day'),
    },
    'FieldChange',
  ),
)

const actor = lazy(() =>
  object(
    {
      type: says(
        type.enumerated(...ACTOR_TYPES),
        'A `user`, their `key`, an `app` they connected, an identity `provider`, or the `service` itself.',
        'user',
      ),
      'userId?': says('string', 'The user, or who created the key.', 'u_19xk'),
      'keyId?': says('number.integer >= 1', 'The key, also of an app.', 12),
      'name?': says('string', 'The user’s name, while they are a member.', 'Ada Lovelace'),
      'keyName?': says('string', 'The name of the key or app.', 'nightly import'),
    },
    'Actor',
  ),
)

const target = lazy(() =>
  object(
    {
      type: says(type.enumerated(...TARGET_TYPES), 'What kind of thing that is.', 'bundle'),
      id: says('string | null', 'Its id, of a bundle its slug; null once it is erased.', 'launch-day'),
      'slug?': says('string', 'The bundle, of proposals too.', 'launch-day'),
      'name?': says('string', 'What it is called now.', 'Launch day'),
    },
    'Target',
  ),
)

/** An event in the API's answers. */
export const LoggedEvent = lazy(() =>
  object(
    {
      id: says('string', 'Identifies the event.', 'evt_5f2c08a1b3d94e6f7a8b9c0d'),
      type: says(type.enumerated(...EVENT_TYPES), 'What happened.', 'bundle.updated'),
      createdAt: says(Time(), 'When it happened.', '2026-11-20T09:30:00.000Z'),
      actor: says(actor(), 'Who did it.'),
      subject: Acting(),
      target: says(target(), 'What it is about.'),
      'versionNumber?': says('number.integer >= 1', 'The version that it made.', 3),
      'changes?': says(change().array(), 'The fields that changed.', [
        { field: 'title', from: 'Launch', to: 'Launch day' },
      ]),
    },
    'LoggedEvent',
  ),
)

export type LoggedEvent = ReturnType<typeof LoggedEvent>['infer']

/** The answer of GET /api/me/events. */
export const EventList = lazy(() =>
  object({
    events: says(LoggedEvent().array(), 'What happened, newest first.'),
    'nextCursor?': NextCursor,
    'leftOut?': says(
      'string',
      'Why some are missing; absent if none are.',
      'Events of keys … are left out: they need scope keys:admin …',
    ),
  }),
)
