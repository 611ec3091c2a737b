import { isDeepStrictEqual } from 'node:util'
import {
  type Condition,
  DAYS,
  type Day,
  FACTS,
  FIELD_OPERATORS,
  GROUP_OPERATORS,
  type GroupOperator,
  INSTANT_OPERATORS,
} from '../../../db/policy.ts'
import type { Path } from '../../core/issue.ts'
import { asList, asObject, asText } from '../../core/untyped.ts'
import { instantOf, wallTimeOf } from '../clock.ts'
import { readCondition } from '../conditions.ts'
import { countries, countryCode } from '../facts.ts'

// Draft conditions: their form fields, complete or not, and the conversion from and to conditions.

/** The possible subjects of a condition. */
export const TOPICS = ['signedIn', 'query', ...FACTS, 'now', 'timeWindow'] as const
export type Topic = (typeof TOPICS)[number]

/** The operators offered for choice; other topics imply theirs. */
export const LEAF_OPERATORS = ['language', ...FIELD_OPERATORS, ...INSTANT_OPERATORS] as const
export type LeafOperator = (typeof LEAF_OPERATORS)[number]

/** Topics that share form fields. */
export type TopicKind = 'signedIn' | 'now' | 'timeWindow' | 'field'

/** The kind of form fields that a topic has. */
export function kindOf(topic: Topic): TopicKind {
  return topic === 'signedIn' || topic === 'now' || topic === 'timeWindow' ? topic : 'field'
}

export interface DraftGroup {
  op: GroupOperator
  of: readonly DraftCondition[]
}

/** A condition that is not a group, with its texts as typed. Fields that its topic does not use are kept. */
export interface DraftLeaf {
  /** `''` if not chosen yet. */
  topic: Topic | ''
  op: LeafOperator
  /** For `query`: the part after the dot. */
  name: string
  /** One text; for `in` one per line, see `linesOf`; for `now` the local time. */
  value: string
  /** For `now` and `timeWindow`: an IANA zone; for `now` also an offset. */
  zone: string
  days: readonly Day[]
  from: string
  to: string
  /** The original condition, if the form may write it in another way; else null. */
  was: unknown
}

export type DraftCondition = DraftGroup | DraftLeaf

/** An empty condition. */
export function newLeaf(): DraftLeaf {
  return { topic: '', op: 'equals', name: '', value: '', zone: '', days: [], from: '', to: '', was: null }
}

/** The draft of a condition. Accepts any JSON. */
export function draftCondition(json: unknown): DraftCondition {
  const fields = asObject(json)
  const group = GROUP_OPERATORS.find((known) => known === fields.op)
  if (group !== undefined) return { op: group, of: asList(fields.of).map(draftCondition) }
  const kind = KINDS.get(fields.op)
  return { ...newLeaf(), ...(kind === undefined ? {} : CODECS[kind].draft(fields)) }
}

/** The condition of a draft, complete or not; for an unchanged draft, the original condition. */
export function toCondition(condition: DraftCondition): unknown {
  if ('of' in condition) return { op: condition.op, of: condition.of.map(toCondition) }
  const { was } = condition
  const json = leafJson(condition)
  if (was === null) return json
  const before = draftCondition(was)
  return !('of' in before) && isDeepStrictEqual(leafJson(before), json) ? was : json
}

function leafJson(leaf: DraftLeaf): Json {
  return leaf.topic === '' ? {} : CODECS[kindOf(leaf.topic)].json(leaf)
}

/** A condition in its canonical form; null if it is incomplete or invalid. */
export function validCondition(json: unknown): Condition | null {
  const read = readCondition(json)
  return Array.isArray(read) ? null : read
}

type Json = Record<string, unknown>

interface Codec {
  /** Converts a condition to form fields. */
  draft(json: Json): Partial<DraftLeaf>
  /** Converts form fields to a condition. */
  json(leaf: DraftLeaf): Json
}

/** The kind of each operator, except group operators. */
const KINDS: ReadonlyMap<unknown, TopicKind> = new Map<unknown, TopicKind>([
  ['signedIn', 'signedIn'],
  ['timeWindow', 'timeWindow'],
  ['language', 'field'],
  ...FIELD_OPERATORS.map((op) => [op, 'field'] as const),
  ...INSTANT_OPERATORS.map((op) => [op, 'now'] as const),
])

const CODECS: Readonly<Record<TopicKind, Codec>> = {
  signedIn: { draft: () => ({ topic: 'signedIn' }), json: () => ({ op: 'signedIn' }) },
  now: {
    draft(json) {
      const { wall, zone } = wallTimeOf(asText(json.value))
      const was = wall !== '' && validCondition(json) !== null ? json : null
      return { topic: 'now', op: json.op as LeafOperator, value: wall, zone, was }
    },
    json: ({ op, value, zone }) => ({
      op: op === 'after' ? op : 'before',
      field: 'now',
      // Browsers write a fraction of a second with one to three digits.
      value: instantOf(value.replace(/(\.\d*[1-9])0+$/, '$1'), zone),
    }),
  },
  timeWindow: {
    draft(json) {
      const { days, from, to, timeZone } = json
      return {
        topic: 'timeWindow',
        days: DAYS.filter((day) => asList(days).includes(day)),
        from: asText(from),
        // A time field has no 24:00.
        to: to === '24:00' ? '00:00' : asText(to),
        zone: asText(timeZone),
        was: validCondition(json) === null ? null : json,
      }
    },
    json: ({ days, from, to, zone }) => ({ op: 'timeWindow', days, from, to, timeZone: zone }),
  },
  field: {
    draft({ op: operator, field, value, values }) {
      const op = operator as LeafOperator
      const path = op === 'language' ? op : asText(field)
      const isQuery = path.startsWith('query.')
      const topic = isQuery ? 'query' : (FACTS.find((known) => known === path) ?? '')
      // Several countries are typed by name; a single one is chosen from a list.
      const nameOf = (text: string) => (topic === 'country' ? (countries().get(text) ?? text) : text)
      return {
        topic,
        op,
        name: isQuery ? path.slice('query.'.length) : '',
        value: op === 'in' ? linesOf(asList(values).map(asText).map(nameOf)) : asText(value),
      }
    },
    json({ topic, op: operator, name, value }) {
      const field = topic === 'query' ? `query.${name}` : topic
      if (operator === 'language' && topic === 'language') return { op: operator, value: firstLine(value) }
      const op = FIELD_OPERATORS.find((known) => known === operator) ?? 'equals'
      if (op === 'exists') return { op, field }
      if (op !== 'in') return { op, field, value: firstLine(value) }
      const values = valuesOf(value)
      return { op, field, values: topic === 'country' ? values.map(toCode) : values }
    },
  },
}

/** Converts country names to codes; codes and unknown names stay as typed. */
function toCode(country: string): string {
  return /^[a-z]{2}$/i.test(country) ? country : (countryCode(country) ?? country)
}

/**
 * Texts as editable lines. A text that is empty, is quoted, or begins or ends with space is put in quotes, because lines are
 * trimmed when read and blank ones are skipped.
 */
export function linesOf(values: readonly string[]): string {
  return values
    .map((value) => (value === '' || value.trim() !== value || isQuoted(value) ? `"${value}"` : value))
    .join('\n')
}

/** The texts of the lines. */
export function valuesOf(lines: string): string[] {
  return lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => (isQuoted(line) ? line.slice(1, -1) : line))
}

function isQuoted(text: string): boolean {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"')
}

/** The text to keep when a list becomes a single value. */
export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

/** The conditions in a condition that are not groups, with their paths. */
export function leavesOf(condition: DraftCondition, path: Path): [DraftLeaf, Path][] {
  if (!('of' in condition)) return [[condition, path]]
  return condition.of.flatMap((part, at) => leavesOf(part, [...path, 'of', at]))
}

/** The nesting depth of groups. */
export function heightOf(condition: DraftCondition): number {
  return 'of' in condition ? 1 + Math.max(0, ...condition.of.map(heightOf)) : 0
}
