import type {
  Comparison,
  Condition,
  ConditionOf,
  Day,
  Fact,
  Field,
  FieldOperator,
  GroupOperator,
  TimeWindow,
} from '../../../../db/policy.ts'
import type { Variable } from '../../../../db/schema.ts'
import { labelOf } from '../../../../src/bundles/variables/variables.ts'
import { asSentence, joinList } from '../../../../src/core/words.ts'
import { wallTimeOf } from '../../../../src/policies/clock.ts'
import { fullDate } from '../relative-time.tsx'
import { FACT_WORDS, type FactSentence, isolated } from './facts.ts'

// Conditions in plain words: "Signed in with an address at acme.com, on a phone".

/** The parts of a variable that the wording needs. */
type Named = Pick<Variable, 'name' | 'label'>

/** The limits of a text: values per list, conditions per group, and letters per value. */
interface Limits {
  values: number
  parts: number
  letters: number
}

/** The options of a wording. */
interface Saying extends Limits {
  /** The bundle’s variables: conditions on these use their labels. */
  variables: readonly Named[]
}

const SHORT: Limits = { values: 3, parts: 8, letters: 48 }
const FULL: Limits = { values: Infinity, parts: Infinity, letters: Infinity }

export const GROUP_HEADS = { and: 'All of', or: 'Any of', not: 'None of' } as const satisfies Record<
  GroupOperator,
  string
>

/** A condition as a shortened sentence without a full stop, as a summary of a rule. */
export function summaryOf(condition: Condition, variables: readonly Named[] = []): string {
  return asSentence(wordsOf(condition, { ...SHORT, variables }, 0))
}

/** The wording of each single condition, in the order of the sentence. */
export function phrasesOf(condition: Condition, variables: readonly Named[] = []): string[] {
  const limits = { ...SHORT, variables }
  if (!('of' in condition)) return [leafWords(condition, limits)]
  const [only] = condition.of
  if (condition.op === 'not' && only !== undefined && !('of' in only)) return [notWords(only, limits, 0)]
  return condition.of.flatMap((part) => phrasesOf(part, variables))
}

/** The full wording of a condition within a sentence. Plain text, to be escaped. */
export function conditionWords(condition: Condition, variables: readonly Named[] = []): string {
  return wordsOf(condition, { ...FULL, variables }, 0)
}

function wordsOf(condition: Condition, limits: Saying, depth: number): string {
  if (!('of' in condition)) return leafWords(condition, limits)
  if (condition.op === 'not') return notWords(condition.of[0], limits, depth)
  const parts = condition.of.slice(0, limits.parts).map((part) => wordsOf(part, limits, depth + 1))
  const more = condition.of.length - parts.length
  if (more > 0) parts.push(`${more} more`)
  if (parts.length === 1) return parts[0]!
  if (condition.op === 'and') return bracketed(signedInFirst(parts), depth > 0)
  const either = `${parts.length === 2 ? 'either ' : ''}${joinList(parts, 'or')}`
  return bracketed(either, depth > 1 || (depth > 0 && parts.length > 2))
}

function bracketed(words: string, isInside: boolean): string {
  return isInside ? `(${words})` : words
}

/** Merges "signed in" and the address into one phrase. */
function signedInFirst(parts: readonly string[]): string {
  return parts.join(', ').replace(/^signed in, (?=with an address|as )/, 'signed in ')
}

function notWords(condition: Condition | undefined, limits: Saying, depth: number): string {
  if (condition === undefined) return 'not …'
  if ('of' in condition) {
    const inner = wordsOf(condition, limits, 0)
    return condition.op === 'not' ? `not (${inner})` : `not ${bracketed(inner, condition.of.length > 1 || depth > 0)}`
  }
  if (condition.op === 'before') return `from ${timeWords(condition.value)} on`
  if (condition.op === 'after') return `before ${timeWords(condition.value)}`
  const words = leafWords(condition, limits)
  for (const [is, isNot] of OPPOSITES) if (words.startsWith(is)) return isNot + words.slice(is.length)
  return `not ${words}`
}

/** Beginnings of phrases, with those of their opposites. */
const OPPOSITES = [
  ['with ', 'without '],
  ['when ', 'unless '],
] as const

function leafWords(leaf: Exclude<Condition, { op: GroupOperator }>, limits: Saying): string {
  switch (leaf.op) {
    case 'signedIn':
      return 'signed in'
    case 'before':
      return `before ${timeWords(leaf.value)}`
    case 'after':
      return `from ${timeWords(leaf.value)} on`
    case 'timeWindow':
      return windowWords(leaf)
    case 'language':
      return factWords({ ...leaf, op: 'equals', field: 'language' }, FACT_WORDS.language.sentence, limits)
    default:
      return isFact(leaf.field) ? factWords(leaf, FACT_WORDS[leaf.field].sentence, limits) : queryWords(leaf, limits)
  }
}

type FieldLeaf = ConditionOf<FieldOperator>

function factWords(leaf: FieldLeaf, words: FactSentence, limits: Limits): string {
  const { at, the, any, value = isolated, beginning } = words
  if (leaf.op === 'exists') return any
  if (leaf.op === 'in') return at + valuesWords(leaf.values, limits, value)
  const cut = shortened(leaf.value, limits)
  if (leaf.op === 'equals') return at + value(cut)
  if (leaf.op === 'startsWith' && beginning !== undefined) return at + beginning(cut)
  return `${the} ${VERBS[leaf.op]} ${isolated(cut)}`
}

/** The operators that compare a part of a value. */
export const VERBS = {
  startsWith: 'begins with',
  endsWith: 'ends with',
  contains: 'contains',
} as const satisfies Record<Exclude<Comparison['op'], 'equals'>, string>

function queryWords(leaf: FieldLeaf, limits: Saying): string {
  const parameter = leaf.field.slice('query.'.length)
  const variable = limits.variables.find(({ name }) => name === parameter)
  if (variable !== undefined) return variableWords(leaf, labelOf(variable), limits)
  const name = isolated(`?${shortened(parameter, limits)}`)
  if (leaf.op === 'exists') return `with ${name} in the link`
  if (leaf.op === 'in') return `with ${name} = ${valuesWords(leaf.values, limits, isolated)} in the link`
  const value = isolated(shortened(leaf.value, limits))
  if (leaf.op === 'equals') return `with ${name} = ${value} in the link`
  return `with ${name} in the link that ${VERBS[leaf.op]} ${value}`
}

function variableWords(leaf: FieldLeaf, label: string, limits: Limits): string {
  // Without quotes, because it is the name of a field on the page.
  const the = `when \u2068${shortened(label, limits)}\u2069`
  if (leaf.op === 'exists') return `${the} is filled in`
  if (leaf.op === 'in') return `${the} is ${valuesWords(leaf.values, limits, isolated)}`
  const value = isolated(shortened(leaf.value, limits))
  return leaf.op === 'equals' ? `${the} is ${value}` : `${the} ${VERBS[leaf.op]} ${value}`
}

function valuesWords(values: readonly string[], limits: Limits, name: (value: string) => string): string {
  const first = values.slice(0, limits.values).map((value) => name(shortened(value, limits)))
  const more = values.length - first.length
  return joinList(more > 0 ? [...first, `${more} more`] : first, 'or')
}

function shortened(value: string, { letters }: Limits): string {
  const all = [...value]
  return all.length > letters ? `${all.slice(0, letters).join('')}…` : value
}

function timeWords(value: string): string {
  const { wall, zone } = wallTimeOf(value)
  if (wall === '') return isolated(value)
  const [date = '', time = ''] = wall.split('T')
  return `${fullDate.format(Date.parse(`${date}T00:00:00Z`))}, ${time} ${zone === 'UTC' ? zone : `(UTC${zone})`}`
}

function windowWords({ days, from, to, timeZone }: TimeWindow): string {
  const isNextDay = to < from && to !== '00:00'
  const hours = from === to || (from === '00:00' && to === '24:00') ? 'all day' : `${from} to ${to}`
  return `${daysWords(days)}, ${hours}${isNextDay ? ' the next day' : ''} (${timeZone.replaceAll('_', ' ')})`
}

export const DAY_NAMES: Readonly<Record<Day, string>> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
}

/** From Monday, as in ISO 8601. */
export const DAYS = Object.keys(DAY_NAMES) as Day[]

/** Days in words; three or more consecutive days as a range. */
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

/** Whether a condition's field is a fact and not a query parameter. */
function isFact(field: Field): field is Fact {
  return Object.hasOwn(FACT_WORDS, field)
}
