import { isDeepStrictEqual } from 'node:util'
import {
  DAYS,
  type Day,
  FACTS,
  FIELD_OPERATORS,
  type FieldOperator,
  GROUP_OPERATORS,
  type GroupOperator,
  INSTANT_OPERATORS,
  type Leaf,
} from '../../../db/policy.ts'
import { asList, asObject, asText } from '../../core/untyped.ts'
import { countries, countryCode } from '../../policies/countries.ts'
import { instantOf, wallTimeOf } from '../../policies/instants.ts'
import { firstLine, linesOf, valuesOf } from './lines.ts'

// Draft conditions: their form fields, complete or not, and their conversion from and to conditions.

/** What a condition can test. */
export const SUBJECTS = ['signedIn', 'query', ...FACTS, 'now', 'timeWindow'] as const
export type Subject = (typeof SUBJECTS)[number]

/** The operators to choose from; other subjects imply theirs. */
export const LEAF_OPERATORS = [...FIELD_OPERATORS, ...INSTANT_OPERATORS] as const
export type LeafOperator = (typeof LEAF_OPERATORS)[number]

type FieldSubject = (typeof FACTS)[number] | 'query'
/** Subjects that share form fields. */
export type SubjectKind = Exclude<Subject, FieldSubject> | 'field'

/** The kind of form fields that a subject has. */
export function kindOf(subject: Subject): SubjectKind {
  return isFieldSubject(subject) ? 'field' : subject
}

function isFieldSubject(subject: Subject): subject is FieldSubject {
  return subject === 'query' || (FACTS as readonly string[]).includes(subject)
}

export interface DraftGroup {
  op: GroupOperator
  of: DraftCondition[]
}

/** A condition that is not a group, its texts as typed; fields its subject does not use are kept. */
export interface DraftLeaf {
  /** `''`: not chosen yet. */
  subject: Subject | ''
  op: LeafOperator
  /** Of `query`: the part behind the dot. */
  name: string
  /** One text; for `in` one per line, see `linesOf`; for `now` the local time. */
  value: string
  /** Of `now` and `timeWindow`: an IANA zone; of `now` also an offset. */
  zone: string
  days: Day[]
  from: string
  to: string
  /** The condition it was made from, because the form can express it in one notation only. */
  was: unknown
}

export type DraftCondition = DraftGroup | DraftLeaf

/** An empty condition. */
export function newLeaf(): DraftLeaf {
  return { subject: '', op: 'equals', name: '', value: '', zone: '', days: [], from: '', to: '', was: null }
}

/** The draft of a condition. Accepts any JSON. */
export function draftCondition(json: unknown): DraftCondition {
  const { op, of } = asObject(json)
  const group = GROUP_OPERATORS.find((known) => known === op)
  if (group !== undefined) return { op: group, of: asList(of).map(draftCondition) }
  const isLeaf = typeof op === 'string' && Object.hasOwn(READERS, op)
  return { ...newLeaf(), ...(isLeaf ? READERS[op as Leaf['op']](asObject(json)) : {}) }
}

type Json = Record<string, unknown>

/** The form fields of each kind of condition. */
const READERS: { readonly [Op in Leaf['op']]: (json: Json) => Partial<DraftLeaf> } = {
  signedIn: () => ({ subject: 'signedIn' }),
  equals: (json) => ofField(json, 'equals', asText(json.value)),
  in: (json) => ofField(json, 'in', linesOf(asList(json.values).map(asText))),
  startsWith: (json) => ofField(json, 'startsWith', asText(json.value)),
  endsWith: (json) => ofField(json, 'endsWith', asText(json.value)),
  contains: (json) => ofField(json, 'contains', asText(json.value)),
  exists: (json) => ofField(json, 'exists', asText(json.value)),
  before: (json) => ofInstant(json, 'before'),
  after: (json) => ofInstant(json, 'after'),
  timeWindow(json) {
    const { days, from, to, timeZone } = json
    const known = DAYS.filter((day) => asList(days).includes(day))
    const zone = asText(timeZone)
    return { subject: 'timeWindow', days: known, from: asText(from), to: asText(to), zone, was: json }
  },
}

function ofField({ field }: Json, op: FieldOperator, value: string): Partial<DraftLeaf> {
  const path = asText(field)
  if (path.startsWith('query.')) return { subject: 'query', name: path.slice('query.'.length), op, value }
  const subject = FACTS.find((known) => known === path) ?? ''
  // Several countries are typed by name; a single one is chosen from a list.
  const isTyped = subject === 'country' && op === 'in'
  return { subject, op, value: isTyped ? linesOf(valuesOf(value).map((code) => countries().get(code) ?? code)) : value }
}

function ofInstant(json: Json, op: LeafOperator): Partial<DraftLeaf> {
  const { wall, zone } = wallTimeOf(asText(json.value))
  return { subject: 'now', op, value: wall, zone, was: json }
}

/** The condition of a draft, complete or not. */
export function toCondition(condition: DraftCondition): unknown {
  if ('of' in condition) return { op: condition.op, of: condition.of.map(toCondition) }
  const { subject } = condition
  const leaf = subject === '' ? {} : WRITERS[kindOf(subject)](condition)
  return isSameTime(leaf, condition.was) ? condition.was : leaf
}

const WRITERS: { readonly [Kind in SubjectKind]: (leaf: DraftLeaf) => Json } = {
  signedIn: () => ({ op: 'signedIn' }),
  now: ({ op, value, zone }) => ({
    op: op === 'after' ? op : 'before',
    field: 'now',
    value: instantOf(value, zone),
  }),
  timeWindow: ({ days, from, to, zone }) => ({ op: 'timeWindow', days, from, to, timeZone: zone }),
  field({ subject, op, name, value }) {
    const field = subject === 'query' ? `query.${name}` : subject
    const known = FIELD_OPERATORS.find((one) => one === op) ?? 'equals'
    if (known === 'exists') return { op: known, field }
    if (known !== 'in') return { op: known, field, value: firstLine(value) }
    const values = valuesOf(value)
    return { op: known, field, values: subject === 'country' ? values.map(toCode) : values }
  },
}

/** Converts country names to codes; codes and unknown names stay as typed. */
function toCode(country: string): string {
  return /^[a-z]{2}$/i.test(country) ? country : (countryCode(country) ?? country)
}

/**
 * Whether a condition on the time, read from a form, is unchanged: the form lists days in the order of the week, knows
 * midnight only as 00:00, and shows times to the minute or millisecond.
 */
function isSameTime(leaf: Record<string, unknown>, was: unknown): boolean {
  const plain = (json: unknown) => {
    const { op, days, to, value, ...rest } = asObject(json)
    const time = Date.parse(asText(value))
    return {
      ...rest,
      op,
      days: Array.isArray(days) ? [...days].sort() : days,
      to: to === '24:00' ? '00:00' : to,
      at: Number.isNaN(time) ? value : time,
    }
  }
  return was !== null && isDeepStrictEqual(plain(leaf), plain(was))
}

/** The number of conditions in a condition, not counting groups. */
export function countLeaves(condition: DraftCondition): number {
  return 'of' in condition ? condition.of.reduce((sum, part) => sum + countLeaves(part), 0) : 1
}

/** The nesting depth of groups. */
export function heightOf(condition: DraftCondition): number {
  return 'of' in condition ? 1 + Math.max(0, ...condition.of.map(heightOf)) : 0
}
