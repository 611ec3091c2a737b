import {
  type Comparison,
  type Condition,
  type ConditionOf,
  DAYS,
  type Day,
  FACTS,
  type Field,
  type GroupOperator,
  type InstantOperator,
} from '../../db/policy.ts'
import type { Reason } from '../core/issue.ts'
import type { JsonSchema } from '../core/shape.ts'
import { CONTROLS, unfit } from '../core/text.ts'
import { INSTANT, isInstant } from '../core/time.ts'
import { isTimeZone, minutesOf } from './clock.ts'

const MINUTES_OF_DAY = 24 * 60

/** Limits of a condition: texts in Unicode code points, depth in nested and/or/not. */
export const CONDITION_BOUNDS = { depth: 4, text: 512, values: 250, queryName: 100 } as const

export type Raw = Record<string, unknown>
/** Reports an error at a path, and returns null. */
export type Report = (reason: Reason, ...place: (string | number)[]) => null
/** Parses a nested condition. */
export type ReadInner = (raw: unknown, report: Report, depth: number) => Condition | null

interface Operator<Op extends Condition['op']> {
  /** The keys beside `op` as JSON Schema, in canonical form; `self` refers to any condition. */
  keys(self: JsonSchema): Record<string, JsonSchema>
  /** Further keys accepted on input. */
  lenient?: readonly string[]
  read(raw: Raw, report: Report, depth: number, inner: ReadInner): ConditionOf<Op> | null
}

/** The JSON Schema of a text in a condition. */
const TEXT = { type: 'string', maxLength: CONDITION_BOUNDS.text, pattern: `^[^${CONTROLS.source.slice(1, -1)}]*$` }
const TIME_ZONE_SAYS = { says: 'The IANA time zone, such as Europe/Berlin.' }
const FIELD_SAYS = { says: 'The field to compare.' }
const VALUE_SAYS = { says: 'The value to compare with.' }
const PIECE = { ...TEXT, ...VALUE_SAYS, minLength: 1 }
const FIELD = {
  ...FIELD_SAYS,
  anyOf: [
    { enum: FACTS },
    {
      type: 'string',
      pattern: `^query\\.[^${CONTROLS.source.slice(1, -1)}]+$`,
      maxLength: 'query.'.length + CONDITION_BOUNDS.queryName,
    },
  ],
}
const parts = (self: JsonSchema) => ({ says: 'The combined conditions.', type: 'array', minItems: 1, items: self })

/** The whole language: each operator, its keys beside `op`, and how it is parsed. */
export const OPERATORS: { readonly [Op in Condition['op']]: Operator<Op> } = {
  and: { keys: (self) => ({ of: parts(self) }), read: group('and') },
  or: { keys: (self) => ({ of: parts(self) }), read: group('or') },
  not: { keys: (self) => ({ of: { ...parts(self), maxItems: 1 } }), read: group('not') },
  signedIn: { keys: () => ({}), read: () => ({ op: 'signedIn' }) },
  equals: { keys: () => ({ field: FIELD, value: { ...TEXT, ...VALUE_SAYS } }), read: comparison('equals') },
  in: {
    keys: () => ({
      field: FIELD,
      values: {
        says: 'Matches any of these.',
        type: 'array',
        minItems: 1,
        maxItems: CONDITION_BOUNDS.values,
        items: TEXT,
      },
    }),
    lenient: ['value'],
    read: readIn,
  },
  startsWith: { keys: () => ({ field: FIELD, value: PIECE }), read: comparison('startsWith') },
  endsWith: { keys: () => ({ field: FIELD, value: PIECE }), read: comparison('endsWith') },
  contains: { keys: () => ({ field: FIELD, value: PIECE }), read: comparison('contains') },
  exists: { keys: () => ({ field: FIELD }), read: readExists },
  language: { keys: () => ({ value: PIECE }), read: readLanguage },
  before: { keys: instantKeys, read: instant('before') },
  after: { keys: instantKeys, read: instant('after') },
  timeWindow: {
    keys: () => ({
      days: {
        says: 'When the window opens.',
        type: 'array',
        minItems: 1,
        maxItems: DAYS.length,
        items: { enum: DAYS },
      },
      from: { says: 'When it opens, HH:MM.', type: 'string', pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' },
      to: {
        says: 'When it closes, HH:MM up to 24:00; if not later than `from`, on the next day.',
        type: 'string',
        pattern: '^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$',
      },
      timeZone: { ...TIME_ZONE_SAYS, type: 'string', maxLength: 64, pattern: '^[A-Za-z]' },
    }),
    read: readWindow,
  },
}

function group(op: GroupOperator) {
  return ({ of }: Raw, report: Report, depth: number, inner: ReadInner) => {
    if (depth === CONDITION_BOUNDS.depth) {
      return report({ code: 'too_deep', depth: CONDITION_BOUNDS.depth })
    }
    if (op === 'not' && !Array.isArray(of)) {
      const only = inner(of, (reason, ...place) => report(reason, 'of', ...place), depth + 1)
      return only === null ? null : { op, of: [only] }
    }
    if (!Array.isArray(of) || of.length === 0) return report({ code: 'no_conditions' }, 'of')
    if (op === 'not' && of.length > 1) return report({ code: 'not_one_condition' }, 'of')
    const read = of.map((part, index) =>
      inner(part, (reason, ...place) => report(reason, 'of', index, ...place), depth + 1),
    )
    return { op, of: read.filter((part) => part !== null) }
  }
}

function comparison(op: Comparison['op']) {
  return (raw: Raw, report: Report): Comparison | null => {
    const field = readField(raw, report)
    const value = readText(asMeant(raw.value, field), report, 'value')
    // Every text starts with, ends with and contains the empty text: that is `exists`.
    if (value === '' && op !== 'equals') return report({ code: 'empty_text' }, 'value')
    return field === null || value === null ? null : { op, field, value }
  }
}

function readIn(raw: Raw, report: Report): ConditionOf<'in'> | null {
  const field = readField(raw, report)
  const key = raw.values === undefined && raw.value !== undefined ? 'value' : 'values'
  if (key === 'values' && raw.value !== undefined) report({ code: 'unknown_field' }, 'value')
  const list = raw[key]
  if (!Array.isArray(list) || list.length === 0 || list.length > CONDITION_BOUNDS.values) {
    return report({ code: 'not_texts', max: CONDITION_BOUNDS.values }, key)
  }
  const values = list
    .map((value, index) => readText(asMeant(value, field), report, key, index))
    .filter((value) => value !== null)
  return field === null ? null : { op: 'in', field, values }
}

function readExists(raw: Raw, report: Report): ConditionOf<'exists'> | null {
  const field = readField(raw, report)
  return field === null ? null : { op: 'exists', field }
}

/** A language tag as browsers send it, or the beginning of one. */
const LANGUAGE = /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,7}$/i

function readLanguage({ value }: Raw, report: Report): ConditionOf<'language'> | null {
  // Programs write `pt_BR`.
  const tag = typeof value === 'string' ? value.trim().replaceAll('_', '-') : ''
  return LANGUAGE.test(tag) ? { op: 'language', value: tag } : report({ code: 'not_a_language' }, 'value')
}

function instantKeys(): Record<string, JsonSchema> {
  return { field: { const: 'now' }, value: { ...VALUE_SAYS, type: 'string', pattern: INSTANT.source } }
}

function instant(op: InstantOperator) {
  return ({ field, value }: Raw, report: Report): ConditionOf<InstantOperator> | null => {
    if (field !== 'now') report({ code: 'not_now' }, 'field')
    if (typeof value === 'string' && isInstant(value)) return { op, field: 'now', value }
    return report({ code: 'not_an_instant' }, 'value')
  }
}

function readWindow({ days, from, to, timeZone }: Raw, report: Report): ConditionOf<'timeWindow'> | null {
  const areDays = Array.isArray(days) && days.length > 0 && days.length <= DAYS.length
  if (!areDays) report({ code: 'not_days', days: DAYS }, 'days')
  for (const [index, day] of areDays ? days.entries() : []) {
    if (!DAYS.includes(day)) report({ code: 'no_option', options: DAYS }, 'days', index)
  }
  const opens = typeof from === 'string' ? minutesOf(from) : null
  const closes = typeof to === 'string' ? minutesOf(to) : null
  if (opens === null || opens === MINUTES_OF_DAY) report({ code: 'not_a_time_of_day', last: '23:59' }, 'from')
  if (closes === null) report({ code: 'not_a_time_of_day', last: '24:00' }, 'to')
  if (typeof timeZone !== 'string' || !isTimeZone(timeZone)) {
    return report({ code: 'not_a_time_zone' }, 'timeZone')
  }
  return { op: 'timeWindow', days: [...new Set(days as Day[])], from: from as string, to: to as string, timeZone }
}

function readField({ field }: Raw, report: Report): Field | null {
  if (typeof field === 'string' && isField(field)) return field
  return report({ code: 'no_field', fields: FACTS, isNow: field === 'now' }, 'field')
}

function isField(text: string): text is Field {
  if (!text.startsWith('query.')) return (FACTS as readonly string[]).includes(text)
  const name = text.slice('query.'.length)
  return name !== '' && unfit(name, CONDITION_BOUNDS.queryName, CONTROLS) === null
}

/** A value as sent, or for a domain of addresses as people mean it: `@acme.com ` is `acme.com`. */
function asMeant(sent: unknown, field: Field | null): unknown {
  return field === 'emailDomain' && typeof sent === 'string' ? emailDomainIn(sent) : sent
}

/** A domain of addresses without white space and the @ before it. */
export function emailDomainIn(text: string): string {
  return text.replace(/\s+/g, '').replace(/^@/, '')
}

function readText(text: unknown, report: Report, ...place: (string | number)[]): string | null {
  if (typeof text !== 'string') return report({ code: 'not_a_text', max: CONDITION_BOUNDS.text }, ...place)
  const reason = unfit(text, CONDITION_BOUNDS.text, CONTROLS)
  return reason === null ? text : report(reason, ...place)
}
