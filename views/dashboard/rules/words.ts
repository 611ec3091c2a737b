import type {
  Comparison,
  Condition,
  ConditionOf,
  Day,
  FieldOperator,
  GroupOperator,
  Leaf,
  TimeWindow,
} from '../../../db/policy.ts'
import { asSentence, joinList } from '../../../src/core/words.ts'
import { wallTimeOf } from '../../../src/policies/instants.ts'
import { DAY_NAMES, DAYS } from './days.ts'
import { FACT_WORDS, type FactSentence, isFact } from './facts.ts'
import { isolated } from './values.ts'

// Conditions in short, plain words: "Signed in with an address at acme.com, on a phone". condition-words.ts has the exact
// wording.

const MAX_VALUES = 3
const MAX_PARTS = 8

/** The headings of groups. */
export const GROUP_HEADS = { and: 'All of', or: 'Any of', not: 'None of' } as const satisfies Record<
  GroupOperator,
  string
>

/** A condition as a sentence without a full stop. */
export function sentenceOf(condition: Condition): string {
  return asSentence(wordsOf(condition))
}

/** A condition as words within a sentence. Shortens long lists. */
function wordsOf(condition: Condition, depth = 0): string {
  if (!('of' in condition)) return leafWords(condition)
  if (condition.op === 'not') return notWords(condition.of[0], depth)
  const parts = condition.of.slice(0, MAX_PARTS).map((part) => wordsOf(part, depth + 1))
  const more = condition.of.length - parts.length
  if (more > 0) parts.push(`${more} more`)
  if (parts.length === 1) return parts[0]!
  if (condition.op === 'and') return bracketed(signedInFirst(parts), depth > 0 && parts.length > 1)
  const either = `${parts.length === 2 ? 'either ' : ''}${joinList(parts, 'or')}`
  return bracketed(either, depth > 1 || (depth > 0 && parts.length > 2))
}

function bracketed(words: string, isInside: boolean): string {
  return isInside ? `(${words})` : words
}

/** Merges being signed in and the address into one phrase. */
function signedInFirst(parts: readonly string[]): string {
  return parts.join(', ').replace(/^signed in, (?=with an address|as )/, 'signed in ')
}

function notWords(condition: Condition | undefined, depth: number): string {
  if (condition === undefined) return 'not …'
  if ('of' in condition) {
    const inner = wordsOf(condition, 0)
    return condition.op === 'not' ? `not (${inner})` : `not ${bracketed(inner, condition.of.length > 1 || depth > 0)}`
  }
  if (condition.op === 'before') return `from ${timeWords(condition.value)} on`
  if (condition.op === 'after') return `before ${timeWords(condition.value)}`
  const words = leafWords(condition)
  return words.startsWith('with ') ? `without ${words.slice('with '.length)}` : `not ${words}`
}

const LEAF_WORDS: { readonly [Op in Leaf['op']]: (leaf: ConditionOf<Op>) => string } = {
  signedIn: () => 'signed in',
  equals: fieldWords,
  in: fieldWords,
  startsWith: fieldWords,
  endsWith: fieldWords,
  contains: fieldWords,
  exists: fieldWords,
  before: ({ value }) => `before ${timeWords(value)}`,
  after: ({ value }) => `from ${timeWords(value)} on`,
  timeWindow: windowWords,
}

function leafWords<Op extends Leaf['op']>(leaf: ConditionOf<Op> & { op: Op }): string {
  return LEAF_WORDS[leaf.op](leaf)
}

type FieldLeaf = ConditionOf<FieldOperator>

function fieldWords(leaf: FieldLeaf): string {
  const { field } = leaf
  return isFact(field) ? factWords(leaf, FACT_WORDS[field].sentence) : queryWords(leaf)
}

function factWords(leaf: FieldLeaf, { at, the, any, value = isolated, beginning }: FactSentence): string {
  if (leaf.op === 'exists') return any
  if (leaf.op === 'equals') return at + value(leaf.value)
  if (leaf.op === 'in') return at + valuesWords(leaf.values, value)
  if (leaf.op === 'startsWith' && beginning !== undefined) return at + beginning(leaf.value)
  return `${the} ${VERBS[leaf.op]} ${isolated(leaf.value)}`
}

export const VERBS = {
  startsWith: 'begins with',
  endsWith: 'ends with',
  contains: 'contains',
} as const satisfies Record<Exclude<Comparison['op'], 'equals'>, string>

function queryWords(leaf: FieldLeaf): string {
  const name = isolated(`?${leaf.field.slice('query.'.length)}`)
  if (leaf.op === 'exists') return `with ${name} in the link`
  if (leaf.op === 'equals') return `with ${name} = ${isolated(leaf.value)} in the link`
  if (leaf.op === 'in') return `with ${name} = ${valuesWords(leaf.values, isolated)} in the link`
  return `with ${name} in the link that ${VERBS[leaf.op]} ${isolated(leaf.value)}`
}

function valuesWords(values: readonly string[], name: (value: string) => string): string {
  const first = values.slice(0, MAX_VALUES).map(name)
  const more = values.length - first.length
  return joinList(more > 0 ? [...first, `${more} more`] : first, 'or')
}

function timeWords(value: string): string {
  const { wall, zone } = wallTimeOf(value)
  if (wall === '') return isolated(value)
  const [date = '', time = ''] = wall.split('T')
  return `${day.format(Date.parse(`${date}T00:00:00Z`))}, ${time} ${zone === 'UTC' ? zone : `(UTC${zone})`}`
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

function windowWords({ days, from, to, timeZone }: TimeWindow): string {
  const isNextDay = to < from && to !== '00:00'
  const hours = from === to || (from === '00:00' && to === '24:00') ? 'all day' : `${from} to ${to}`
  return `${daysWords(days)}, ${hours}${isNextDay ? ' the next day' : ''} (${timeZone.replaceAll('_', ' ')})`
}

/** Days in words; three or more in a row as a range. */
function daysWords(days: readonly Day[]): string {
  const inWeek = DAYS.filter((day) => days.includes(day))
  if (inWeek.length === DAYS.length) return 'every day'
  const first = DAYS.indexOf(inWeek[0] ?? 'mon')
  const isRun = inWeek.every((day, index) => DAYS[first + index] === day)
  const [start, end] = [inWeek[0], inWeek.at(-1)]
  if (isRun && inWeek.length > 2 && start !== undefined && end !== undefined) {
    return `${DAY_NAMES[start]} to ${DAY_NAMES[end]}`
  }
  return `on ${joinList(
    inWeek.map((day) => DAY_NAMES[day]),
    'and',
  )}`
}
