import { type } from 'arktype'
import { ACTOR_TYPES, EVENT_TYPES, type EventKind, type EventType } from '../../db/schema.ts'
import { Cursor } from '../core/cursor.ts'
import { lazy } from '../core/lazy.ts'
import { refusing, Time } from '../core/shape.ts'
import { line } from '../core/text-shapes.ts'
import { INSTANT, isInstant } from '../core/time.ts'
import { SubjectShape } from '../identity/answers.ts'

/** Events on a page. */
const MAX_PAGE = 100
const MAX_ID = 128

/** The kind of an event: what its type has before the dot. */
function kindOf(type: EventType): EventKind {
  return type.slice(0, type.indexOf('.')) as EventKind
}

/** Every kind of event, in the order of their types. */
export const EVENT_KINDS: readonly EventKind[] = [...new Set(EVENT_TYPES.map(kindOf))]

/** What a list of events may be restricted to: a type, or all types of a kind. */
const WANTED: readonly string[] = [...EVENT_KINDS, ...EVENT_TYPES]

/** The query of GET /api/me/events. */
export const EventQuery = type({
  'type?': type('string').narrow(
    refusing({ maxLength: MAX_ID }, (text: string) =>
      WANTED.includes(text) ? null : { code: 'no_option', options: WANTED },
    ),
  ),
  'target?': line(MAX_ID),
  'actor?': line(MAX_ID),
  'since?': type('string').narrow(
    refusing({ pattern: INSTANT.source }, (text: string) => (isInstant(text) ? null : { code: 'not_an_instant' })),
  ),
  limit: `1 <= number.integer <= ${MAX_PAGE} = 50`,
  'cursor?': Cursor,
  '+': 'reject',
})

export type EventQuery = typeof EventQuery.infer

/** What an event is about. */
const TARGET_TYPES = ['bundle', 'proposal', 'key', 'app', 'webhook', 'invitation', 'user', 'organization'] as const

/** What a field was or is, where that is small. */
const Value = 'string | number | boolean | null | string[]'

const change = lazy(() =>
  type({ field: 'string', 'from?': Value, 'to?': Value, '+': 'reject' }).configure({ named: 'FieldChange' }, 'self'),
)

/** What happened, as the API shows it. */
export const LoggedEvent = lazy(() =>
  type({
    id: 'string',
    type: type.enumerated(...EVENT_TYPES),
    createdAt: Time(),
    actor: type({
      type: type.enumerated(...ACTOR_TYPES),
      'userId?': 'string',
      'keyId?': 'number.integer >= 1',
      'name?': 'string',
      'keyName?': 'string',
      '+': 'reject',
    }).configure({ named: 'Actor' }, 'self'),
    subject: SubjectShape(),
    target: type({
      type: type.enumerated(...TARGET_TYPES),
      id: 'string | null',
      'slug?': 'string',
      'name?': 'string',
      '+': 'reject',
    }).configure({ named: 'Target' }, 'self'),
    'versionNumber?': 'number.integer >= 1',
    'changes?': change().array(),
    '+': 'reject',
  }).configure({ named: 'LoggedEvent' }, 'self'),
)

export type LoggedEvent = ReturnType<typeof LoggedEvent>['infer']

/** The answer of GET /api/me/events. */
export const EventList = lazy(() =>
  type({ events: LoggedEvent().array(), 'nextCursor?': 'string', 'leftOut?': 'string', '+': 'reject' }),
)
