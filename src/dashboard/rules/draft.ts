import { isDeepStrictEqual } from 'node:util'
import type { Day } from '../../../db/policy.ts'
import { DAYS, FIELDS } from '../../policies/conditions.ts'
import { instantOf, wallTimeOf } from '../../policies/instants.ts'

// A policy while it is written: what a form holds of it, finished or not, and the policy that this makes.

/** Each way to compare one fact with texts. */
export const TEXT_OPERATORS = ['equals', 'in', 'startsWith', 'endsWith', 'contains', 'exists'] as const
const INSTANT_OPERATORS = ['before', 'after'] as const
export const LEAF_OPERATORS = [...TEXT_OPERATORS, ...INSTANT_OPERATORS] as const
export const GROUP_OPERATORS = ['and', 'or', 'not'] as const
/** What one condition may ask about; `''`: not chosen yet. */
export const SUBJECTS = ['signedIn', ...FIELDS, 'query', 'now', 'timeWindow'] as const

type GroupOperator = (typeof GROUP_OPERATORS)[number]
export type LeafOperator = (typeof LEAF_OPERATORS)[number]
export type SubjectOf = (typeof SUBJECTS)[number] | ''

export interface DraftGroup {
  op: GroupOperator
  of: DraftCondition[]
}

/** A condition that holds no other, its texts as they were typed; what its subject does not ask for is kept. */
export interface DraftLeaf {
  subject: SubjectOf
  op: LeafOperator
  /** Of `query`: the part behind the dot. */
  name: string
  /** One text; of `in` one a line, see `linesOf`; of `now` the time on the wall. */
  value: string
  /** Of `now` and `timeWindow`: an IANA zone; of `now` also an offset. */
  zone: string
  days: Day[]
  from: string
  to: string
  /** The condition it was made of, where the form can say the same in one way only. */
  was: unknown
}

export type DraftCondition = DraftGroup | DraftLeaf

export interface DraftTab {
  url: string
  note: string
}

/** A rule whose parts are fields of the form. */
export interface OpenRule {
  /** `''` for a new rule. */
  id: string
  name: string
  showBadge: boolean | undefined
  when: DraftCondition
  tabs: DraftTab[]
}

/** A rule that the form only carries along, as the JSON that would be sent. */
interface ClosedRule {
  json: unknown
}

export type DraftRule = OpenRule | ClosedRule

/** A policy while it is written. */
export interface Draft {
  rules: DraftRule[]
}

/** A rule with more than this is no pleasure in a form: it is edited as JSON. */
const MAX_OPEN_CONDITIONS = 200
const MAX_OPEN_TABS = 50

/** A policy as it would be sent; whether it may be is for its schema to say. */
export interface WrittenPolicy {
  version: 1
  rules: unknown[]
}

/** The policy that a draft makes. */
export function written({ rules }: Draft): WrittenPolicy {
  return { version: 1, rules: rules.map(writtenRule) }
}

/** One rule as it would be sent. */
export function writtenRule(rule: DraftRule): unknown {
  if ('json' in rule) return rule.json
  const { id, name, showBadge, when, tabs } = rule
  return {
    ...(id === '' ? {} : { id }),
    name,
    ...(showBadge === undefined ? {} : { showBadge }),
    when: writtenCondition(when),
    tabs: tabs.map(({ url, note }) => (note === '' ? { url } : { url, note })),
  }
}

/** The draft of a policy, its rules closed. Takes any JSON. */
export function draftOf(policy: unknown): Draft {
  const rules = isObject(policy) && Array.isArray(policy.rules) ? policy.rules : []
  return { rules: rules.map((json) => ({ json })) }
}

/** A rule as fields; what of its JSON is no rule is left out. */
export function opened(rule: DraftRule): OpenRule {
  if (!('json' in rule)) return rule
  const { id, name, showBadge, when, tabs } = asObject(rule.json)
  return {
    id: asText(id),
    name: asText(name),
    showBadge: typeof showBadge === 'boolean' ? showBadge : undefined,
    when: draftCondition(when),
    tabs: (Array.isArray(tabs) ? tabs : []).map((tab) => {
      const { url, note } = asObject(tab)
      return { url: asText(url), note: asText(note) }
    }),
  }
}

/** Whether fields can hold all that a rule says, and are few enough to be read. */
export function canOpen(rule: DraftRule): boolean {
  if (!('json' in rule)) return true
  const draft = opened(rule)
  if (countLeaves(draft.when) > MAX_OPEN_CONDITIONS || draft.tabs.length > MAX_OPEN_TABS) return false
  return isDeepStrictEqual(writtenRule(draft), withoutEmptyNotes(rule.json))
}

/** How many conditions a condition is made of, groups not counted. */
function countLeaves(condition: DraftCondition): number {
  return 'of' in condition ? condition.of.reduce((sum, part) => sum + countLeaves(part), 0) : 1
}

/** How many groups are in each other. */
export function heightOf(condition: DraftCondition): number {
  return 'of' in condition ? 1 + Math.max(0, ...condition.of.map(heightOf)) : 0
}

/** A form has no way to tell an empty note from none, and neither has a viewer. */
function withoutEmptyNotes(rule: unknown): unknown {
  if (!isObject(rule) || !Array.isArray(rule.tabs)) return rule
  return {
    ...rule,
    tabs: rule.tabs.map((tab) => {
      if (!isObject(tab) || tab.note !== '') return tab
      const { note: _, ...rest } = tab
      return rest
    }),
  }
}

/** A condition that asks nothing yet. */
export function newLeaf(): DraftLeaf {
  return { subject: '', op: 'equals', name: '', value: '', zone: '', days: [], from: '', to: '', was: null }
}

function draftCondition(json: unknown): DraftCondition {
  const { op, of, field, value, values, days, from, to, timeZone } = asObject(json)
  const group = GROUP_OPERATORS.find((known) => known === op)
  if (group !== undefined) return { op: group, of: (Array.isArray(of) ? of : []).map(draftCondition) }
  const leaf = newLeaf()
  if (op === 'signedIn') return { ...leaf, subject: op }
  if (op === 'timeWindow') {
    const known = DAYS.filter((day) => Array.isArray(days) && days.includes(day))
    const zone = asText(timeZone)
    return { ...leaf, subject: op, days: known, from: asText(from), to: asText(to), zone, was: json }
  }
  const instant = INSTANT_OPERATORS.find((known) => known === op)
  if (instant !== undefined) {
    const { wall, zone } = wallTimeOf(asText(value))
    return { ...leaf, subject: 'now', op: instant, value: wall, zone, was: json }
  }
  const textual = TEXT_OPERATORS.find((known) => known === op)
  if (textual === undefined) return leaf
  const text = textual === 'in' ? linesOf((Array.isArray(values) ? values : []).map(asText)) : asText(value)
  const about = asText(field)
  if (about.startsWith('query.')) return { ...leaf, subject: 'query', name: about.slice(6), op: textual, value: text }
  return { ...leaf, subject: FIELDS.find((known) => known === about) ?? '', op: textual, value: text }
}

function writtenCondition(condition: DraftCondition): unknown {
  if ('of' in condition) return { op: condition.op, of: condition.of.map(writtenCondition) }
  const leaf = writtenLeaf(condition)
  return isSaidAlike(leaf, condition.was) ? condition.was : leaf
}

function writtenLeaf({ subject, op, name, value, zone, days, from, to }: DraftLeaf): Record<string, unknown> {
  if (subject === '') return {}
  if (subject === 'signedIn') return { op: subject }
  if (subject === 'timeWindow') return { op: subject, days, from, to, timeZone: zone }
  if (subject === 'now') {
    return { op: op === 'after' ? op : 'before', field: 'now', value: instantOf(value, zone) }
  }
  const field = subject === 'query' ? `query.${name}` : subject
  const textual = TEXT_OPERATORS.find((known) => known === op) ?? 'equals'
  if (textual === 'exists') return { op: textual, field }
  return textual === 'in'
    ? { op: textual, field, values: valuesOf(value) }
    : { op: textual, field, value: firstLine(value) }
}

/**
 * Whether a condition on the time, read from a form, says what it said before: a form has days in the order of the
 * week, midnight as 00:00 alone, and times to the minute or millisecond.
 */
function isSaidAlike(leaf: Record<string, unknown>, was: unknown): boolean {
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

/**
 * Texts as lines to be edited. One that is empty, begins or ends with space, or stands in quotes is put in quotes:
 * lines are otherwise read without the space around them, and blank ones passed over.
 */
export function linesOf(values: readonly string[]): string {
  return values
    .map((value) => (value === '' || value.trim() !== value || isQuoted(value) ? `"${value}"` : value))
    .join('\n')
}

/** The texts that lines stand for. */
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

/** What is left of a list where one text is asked for. */
export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

function isObject(json: unknown): json is Record<string, unknown> {
  return json !== null && typeof json === 'object' && !Array.isArray(json)
}

function asObject(json: unknown): Record<string, unknown> {
  return isObject(json) ? json : {}
}

function asText(json: unknown): string {
  return typeof json === 'string' ? json : ''
}
