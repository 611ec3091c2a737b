import { DAYS, MAX_DAY } from '../calendar/schedule.ts'
import { type Code, STATUS } from '../core/codes.ts'
import { routes } from '../core/routes.ts'
import { LauncherTabs } from '../launcher/answers.ts'
import type { Content, Described, OpenApi, Parameter } from '../operations/openapi-types.ts'
import { type Naming, schemaOf } from './json-schema.ts'
import { exampleOf, failuresOf, headers, named } from './openapi-answers.ts'

// A bundle's link in its other forms, which anybody may read. They are not operations: nobody calls them by name.

const CODES: readonly Code[] = [
  'MEMBERS_ONLY',
  'PASSWORD_REQUIRED',
  'NOT_OPEN_YET',
  'NOT_FOUND',
  'CLOSED',
  'MISDIRECTED_REQUEST',
  'BLOCKED',
  'INTERNAL_ERROR',
  'STORE_UNAVAILABLE',
]

const SLUG: Parameter = {
  name: 'slug',
  in: 'path',
  required: true,
  description: 'The bundle: the last part of its link.',
  schema: { type: 'string' },
  example: 'launch-day',
}

const ANY_DAY = `(${Object.keys(DAYS).join('|')})`

/** When a calendar reminds, as `src/calendar/schedule.ts` reads it. */
const SCHEDULE = [
  time('every', 'How often: each `week`, unless it is each `month`.', '^(week|month)$', 'week'),
  time('days', 'Without `every=month`: its days, with commas.', `^${ANY_DAY}(,${ANY_DAY})*$`, 'mon,wed'),
  time('day', `With \`every=month\`: a day from 1 to ${MAX_DAY}, or \`last\`.`, '^([1-9]|1\\d|2[0-8]|last)$'),
  { ...time('at', 'The time, by the clocks of the zone.', '^([01]\\d|2[0-3]):[0-5]\\d$', '09:00'), required: true },
  { ...time('zone', 'A time zone by its IANA name.', '^[A-Za-z][\\w+/-]{0,63}$', 'Europe/Berlin'), required: true },
  time('start', 'The first day that counts; else 1 January 2026.', '^20\\d\\d-\\d\\d-\\d\\d$', '2026-12-01'),
]

function time(name: string, description: string, pattern: string, example?: string): Parameter {
  const schema = { type: 'string', pattern }
  return { name, in: 'query', required: false, description, schema, ...(example === undefined ? {} : { example }) }
}

/**
 * The paths of these forms.
 * @param values the parameter that fills the variables of a bundle.
 */
export function launcherPaths(naming: Naming, values: Parameter[]): OpenApi['paths'] {
  const tabs = schemaOf(LauncherTabs(), naming)
  const json: Content = { schema: tabs, examples: named(exampleOf(tabs, naming.definitions)) }
  const text: Content = { schema: { type: 'string' } }
  return {
    [routes.launcher.json.template]: {
      get: described('read_launcher_json', 'Read the tabs behind a link, as JSON', naming, {
        parameters: [SLUG, ...values],
        type: 'application/json',
        content: json,
      }),
    },
    [routes.launcher.markdown.template]: {
      get: described('read_launcher_markdown', 'Read the tabs behind a link, as Markdown', naming, {
        parameters: [SLUG, ...values],
        type: 'text/markdown',
        content: text,
      }),
    },
    [routes.launcher.feed.template]: {
      get: described('read_launcher_feed', 'Follow what changes behind a link, as an Atom feed', naming, {
        parameters: [SLUG],
        type: 'application/atom+xml',
        content: text,
        failed: 'text/plain',
        codes: [...CODES, 'RATE_LIMITED'],
      }),
    },
    [routes.launcher.calendar.template]: {
      get: described('read_launcher_calendar', 'Be reminded of a link again and again, by a calendar', naming, {
        parameters: [SLUG, ...SCHEDULE, ...values],
        type: 'text/calendar',
        content: text,
        failed: 'text/plain',
        // Whoever may not see the bundle gets a calendar with its link alone.
        codes: ['BAD_REQUEST', ...CODES.filter((code) => STATUS[code] !== 401), 'RATE_LIMITED'],
      }),
    },
  }
}

interface Read {
  parameters: Parameter[]
  type: string
  content: Content
  /** The type of errors, if different. */
  failed?: string
  /** The codes of errors, if different. */
  codes?: readonly Code[]
}

function described(
  operationId: string,
  summary: string,
  naming: Naming,
  { parameters, type, content, failed = type, codes = CODES }: Read,
): Described {
  return {
    operationId,
    tags: ['Launchers'],
    summary,
    description: 'What the link shows to whoever asks: no view is counted. `ETag` and `If-None-Match` work as usual.',
    security: [{}, { session: [] }],
    parameters,
    responses: {
      200: { description: summary, ...headers('x-request-id'), content: { [type]: content } },
      307: {
        description:
          'The slug was typed with capitals or has punctuation at its end: `Location` is the link that was meant.',
        ...headers('location', 'x-request-id'),
      },
      ...failuresOf(codes, naming, (status) => (status === 401 ? ['www-authenticate'] : []), failed),
    },
  }
}
