import type { Condition, Day, Field } from '../../db/policy.ts'
import type { JsonSchema } from '../core/shape.ts'
import { CONTROLS, unfit } from '../core/text.ts'
import { isTimeZone, MINUTES_OF_DAY, minutesOf } from './clock.ts'

/** Bounds of a condition (spec 8, decisions 6): texts in Unicode code points, depth in nested and/or/not. */
export const CONDITION_BOUNDS = { depth: 4, text: 512, values: 250, queryName: 100 } as const

/** The days of `timeWindow`, as weeks begin in ISO 8601. */
export const DAYS: readonly Day[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
/** The fields beside `query.<name>`. */
export const FIELDS: readonly Exclude<Field, `query.${string}`>[] = [
  'emailDomain',
  'orgRole',
  'language',
  'device',
  'os',
  'browser',
  'country',
  'referrerDomain',
]

/** One thing wrong with a condition: where, from its root, and what would be right there. */
export interface Wrong {
  path: (string | number)[]
  expected: string
}

/** What an unknown key is said to be: `validate` makes a sentence of it. */
const UNKNOWN_KEY = 'removed'
/** A policy made of mistakes is not worth a list of them all. */
const MAX_WRONG = 20

type Raw = Record<string, unknown>
/** Notes what would be right at a place, and gives null for what cannot be read there. */
type Report = (expected: string, ...place: (string | number)[]) => null
type Read = (raw: Raw, report: Report, depth: number) => Condition | null

/**
 * Reads a condition in its canonical form (decisions 6): lenient in how `not` and `in` are written, closed in
 * everything else.
 * @returns the condition, or what is wrong with it.
 */
export function readCondition(raw: unknown): Condition | Wrong[] {
  const wrong: Wrong[] = []
  const condition = read(
    raw,
    (expected, ...path) => {
      if (wrong.length < MAX_WRONG) wrong.push({ path, expected })
      return null
    },
    0,
  )
  return condition === null || wrong.length > 0 ? wrong : condition
}

function read(raw: unknown, report: Report, depth: number): Condition | null {
  if (raw === null || typeof raw !== 'object' || Array.isArray(raw)) return report('a condition: an object with an op')
  const { op } = raw as Raw
  const operator = typeof op === 'string' ? OPERATORS.get(op) : undefined
  if (operator === undefined) return report(`one of ${[...OPERATORS.keys()].join(', ')}`, 'op')
  for (const key of Object.keys(raw)) {
    if (!KEYS.get(operator)?.has(key)) report(UNKNOWN_KEY, key)
  }
  return operator.read(raw as Raw, report, depth)
}

/** A time of ISO 8601 with its zone. */
export const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** A text of a condition, as JSON Schema says it. */
const TEXT = { type: 'string', maxLength: CONDITION_BOUNDS.text, pattern: `^[^${CONTROLS.source.slice(1, -1)}]*$` }
const PIECE = { ...TEXT, minLength: 1 }
const FIELD = {
  type: 'string',
  anyOf: [
    { enum: FIELDS },
    {
      pattern: `^query\\.[^${CONTROLS.source.slice(1, -1)}]+$`,
      maxLength: 'query.'.length + CONDITION_BOUNDS.queryName,
    },
  ],
}
const NOW = { const: 'now' }
const parts = (self: JsonSchema) => ({ type: 'array', minItems: 1, items: self })

interface Operator {
  /** The keys beside `op` as JSON Schema, in the form that is kept; `self` is any condition. */
  keys(self: JsonSchema): Record<string, JsonSchema>
  /** Keys that are taken too. */
  lenient?: readonly string[]
  read: Read
}

/** The whole language: each operator, the keys it takes beside `op`, and how it is read. */
const OPERATORS = new Map<string, Operator>([
  ['and', { keys: (self) => ({ of: parts(self) }), read: compound('and') }],
  ['or', { keys: (self) => ({ of: parts(self) }), read: compound('or') }],
  ['not', { keys: (self) => ({ of: { ...parts(self), maxItems: 1 } }), read: compound('not') }],
  ['signedIn', { keys: () => ({}), read: () => ({ op: 'signedIn' }) }],
  ['equals', { keys: () => ({ field: FIELD, value: TEXT }), read: comparison('equals') }],
  [
    'in',
    {
      keys: () => ({
        field: FIELD,
        values: { type: 'array', minItems: 1, maxItems: CONDITION_BOUNDS.values, items: TEXT },
      }),
      lenient: ['value'],
      read: readIn,
    },
  ],
  ['startsWith', { keys: () => ({ field: FIELD, value: PIECE }), read: comparison('startsWith') }],
  ['endsWith', { keys: () => ({ field: FIELD, value: PIECE }), read: comparison('endsWith') }],
  ['contains', { keys: () => ({ field: FIELD, value: PIECE }), read: comparison('contains') }],
  ['exists', { keys: () => ({ field: FIELD }), read: readExists }],
  [
    'before',
    { keys: () => ({ field: NOW, value: { type: 'string', pattern: INSTANT.source } }), read: instant('before') },
  ],
  [
    'after',
    { keys: () => ({ field: NOW, value: { type: 'string', pattern: INSTANT.source } }), read: instant('after') },
  ],
  [
    'timeWindow',
    {
      keys: () => ({
        days: { type: 'array', minItems: 1, maxItems: DAYS.length, items: { enum: DAYS } },
        from: { type: 'string', pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' },
        to: { type: 'string', pattern: '^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$' },
        timeZone: { type: 'string', maxLength: 64, pattern: '^[A-Za-z]' },
      }),
      read: readWindow,
    },
  ],
])

/** The keys that each operator takes. */
const KEYS = new Map(
  [...OPERATORS.values()].map((operator) => {
    const { keys, lenient = [] } = operator
    return [operator, new Set(['op', ...Object.keys(keys({})), ...lenient])]
  }),
)

/**
 * Any condition as JSON Schema, in the form that is kept; how deep it may nest is not said by it.
 * @param self refers to this schema.
 * @param more keys that each node has as well.
 */
export function conditionSchema(self: JsonSchema, more: Record<string, JsonSchema> = {}): JsonSchema {
  // Operators that take the same keys stand together: agents read this whole.
  const alike = Map.groupBy(OPERATORS, ([, { keys }]) => JSON.stringify(keys(self)))
  return {
    anyOf: [...alike.values()].map((operators) => {
      const names = operators.map(([op]) => op)
      const op = names.length === 1 ? { const: names[0] } : { enum: names }
      const properties = { op, ...more, ...operators[0]![1].keys(self) }
      return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
    }),
  }
}

function compound(op: 'and' | 'or' | 'not'): Read {
  return ({ of }, report, depth) => {
    if (depth === CONDITION_BOUNDS.depth) {
      return report(`no deeper: and, or and not may nest ${CONDITION_BOUNDS.depth} deep`)
    }
    if (op === 'not' && !Array.isArray(of)) {
      const only = read(of, (expected, ...place) => report(expected, 'of', ...place), depth + 1)
      return only === null ? null : { op, of: [only] }
    }
    if (!Array.isArray(of) || of.length === 0) return report('a list of at least 1 condition', 'of')
    if (op === 'not' && of.length > 1) return report('one condition', 'of')
    const parts = of.map((part, index) =>
      read(part, (expected, ...place) => report(expected, 'of', index, ...place), depth + 1),
    )
    return { op, of: parts.filter((part) => part !== null) }
  }
}

function comparison(op: 'equals' | 'startsWith' | 'endsWith' | 'contains'): Read {
  return (raw, report) => {
    const field = readField(raw, report)
    const value = readText(raw.value, report, 'value')
    // Every text begins, ends and goes on with nothing: that is `exists`.
    if (value === '' && op !== 'equals') return report('a text with at least 1 character', 'value')
    return field === null || value === null ? null : { op, field, value }
  }
}

function readIn(raw: Raw, report: Report): Condition | null {
  const field = readField(raw, report)
  const key = raw.values === undefined && raw.value !== undefined ? 'value' : 'values'
  if (key === 'values' && raw.value !== undefined) report(UNKNOWN_KEY, 'value')
  const list = raw[key]
  if (!Array.isArray(list) || list.length === 0 || list.length > CONDITION_BOUNDS.values) {
    return report(`a list of 1 to ${CONDITION_BOUNDS.values} texts`, key)
  }
  const values = list.map((value, index) => readText(value, report, key, index)).filter((value) => value !== null)
  return field === null ? null : { op: 'in', field, values }
}

function readExists(raw: Raw, report: Report): Condition | null {
  const field = readField(raw, report)
  return field === null ? null : { op: 'exists', field }
}

function instant(op: 'before' | 'after'): Read {
  return ({ field, value }, report) => {
    if (field !== 'now') report('now', 'field')
    if (typeof value === 'string' && isInstant(value)) return { op, field: 'now', value }
    return report('a time with its zone, such as 2026-12-01T09:00:00Z', 'value')
  }
}

function readWindow({ days, from, to, timeZone }: Raw, report: Report): Condition | null {
  const areDays = Array.isArray(days) && days.length > 0 && days.length <= DAYS.length
  if (!areDays) report(`a list of 1 to 7 of ${DAYS.join(', ')}`, 'days')
  for (const [index, day] of areDays ? days.entries() : []) {
    if (!DAYS.includes(day)) report(`one of ${DAYS.join(', ')}`, 'days', index)
  }
  const opens = typeof from === 'string' ? minutesOf(from) : null
  const closes = typeof to === 'string' ? minutesOf(to) : null
  if (opens === null || opens === MINUTES_OF_DAY) report('a time from 00:00 to 23:59', 'from')
  if (closes === null) report('a time from 00:00 to 24:00', 'to')
  if (typeof timeZone !== 'string' || !isTimeZone(timeZone)) {
    return report('an IANA time zone, such as Europe/Berlin or UTC', 'timeZone')
  }
  return { op: 'timeWindow', days: [...new Set(days as Day[])], from: from as string, to: to as string, timeZone }
}

function readField({ field }: Raw, report: Report): Field | null {
  if (typeof field === 'string' && isField(field)) return field
  const hint = field === 'now' ? ' (now goes with before and after)' : ''
  return report(`one of ${FIELDS.join(', ')}, query.<name>${hint}`, 'field')
}

function isField(text: string): text is Field {
  if (!text.startsWith('query.')) return (FIELDS as readonly string[]).includes(text)
  const name = text.slice('query.'.length)
  return name !== '' && unfit(name, CONDITION_BOUNDS.queryName, CONTROLS) === null
}

function readText(text: unknown, report: Report, ...place: (string | number)[]): string | null {
  if (typeof text !== 'string') return report(`a text of at most ${CONDITION_BOUNDS.text} characters`, ...place)
  const reason = unfit(text, CONDITION_BOUNDS.text, CONTROLS)
  return reason === null ? text : report(reason, ...place)
}

/** Whether a text is a time of ISO 8601 with its zone. The runtimes differ in what they make of 30 February. */
export function isInstant(text: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] =
    INSTANT.exec(text)
      ?.slice(1)
      .map((digits) => Number(digits ?? 0)) ?? []
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
  return isDay && hour < 24 && minute < 60 && second < 60
}
