import type { Comparison, Condition, ConditionOf, Field, InstantOperator, Leaf } from '../../../db/policy.ts'
import { joinList } from '../../../src/core/words.ts'
import { DAY_NAMES } from './days.ts'
import { FACT_WORDS, isFact } from './facts.ts'
import { VERBS } from './words.ts'

/** The exact wording of a condition: `signed in and (country is “DE” or “AT”)`. Plain text, to be escaped. */
export function conditionWords(condition: Condition): string {
  if (!('of' in condition)) return leafWords(condition)
  const { op, of } = condition
  if (op === 'not') return `not ${of.map((part) => `(${conditionWords(part)})`).join('')}`
  return of.map((part) => (of.length > 1 ? nested(part) : conditionWords(part))).join(` ${op} `)
}

function leafWords<Op extends Leaf['op']>(leaf: ConditionOf<Op> & { op: Op }): string {
  return LEAF_WORDS[leaf.op](leaf)
}

const LEAF_WORDS: { readonly [Op in Leaf['op']]: (leaf: ConditionOf<Op>) => string } = {
  signedIn: () => 'signed in',
  equals: comparisonWords,
  in: ({ field, values }) => `${fieldName(field)} is ${joinList(values.map(quoted), 'or')}`,
  startsWith: comparisonWords,
  endsWith: comparisonWords,
  contains: comparisonWords,
  exists: ({ field }) => `${fieldName(field)} is known`,
  before: instantWords,
  after: instantWords,
  timeWindow({ days, from, to, timeZone }) {
    const names = days.map((day) => `${DAY_NAMES[day]}s`)
    return `on ${joinList(names, 'and')} from ${from} to ${to} (${timeZone})`
  },
}

function comparisonWords({ op, field, value }: Comparison): string {
  return `${fieldName(field)} ${op === 'equals' ? 'is' : VERBS[op]} ${quoted(value)}`
}

function instantWords({ op, value }: ConditionOf<InstantOperator>): string {
  return `${op} ${value}`
}

/** A group within a group gets brackets. */
function nested(condition: Condition): string {
  const words = conditionWords(condition)
  const isSeveral = (condition.op === 'and' || condition.op === 'or') && condition.of.length > 1
  return isSeveral ? `(${words})` : words
}

function fieldName(field: Field): string {
  return isFact(field) ? FACT_WORDS[field].name : `?${field.slice('query.'.length)}`
}

function quoted(text: string): string {
  return `“${text}”`
}
