import type { Condition, Leaf } from '../../db/policy.ts'
import { COMPARE } from './evaluate.ts'
import { isOfAccount } from './facts.ts'

/**
 * Whether every viewer who matches `first` also matches `second`, judging by structure: true is certain, false means
 * “not proven”.
 * @param budget comparisons left, shared by all calls for one policy.
 */
export function implies(first: Condition, second: Condition, budget: { steps: number }): boolean {
  budget.steps -= 1
  if (budget.steps < 0) return false
  const goOn = (one: Condition, other: Condition) => implies(one, other, budget)
  if (first.op === 'or') return first.of.every((part) => goOn(part, second))
  if (second.op === 'and') return second.of.every((part) => goOn(first, part))
  if (second.op === 'or' && second.of.some((part) => goOn(first, part))) return true
  if (first.op === 'and') return first.of.some((part) => goOn(part, second))
  if (first.op === 'not' && second.op === 'not') return goOn(second.of[0]!, first.of[0]!)
  return !('of' in first) && !('of' in second) && leafImplies(first, second, budget)
}

function leafImplies(first: Leaf, second: Leaf, budget: { steps: number }): boolean {
  if (second.op === 'signedIn') return impliesSignedIn(first)
  if (second.op === 'timeWindow') return first.op === 'timeWindow' && JSON.stringify(first) === JSON.stringify(second)
  if (first.op === 'before' && second.op === 'before') return Date.parse(first.value) <= Date.parse(second.value)
  if (first.op === 'after' && second.op === 'after') return Date.parse(first.value) >= Date.parse(second.value)
  if (!isOfFact(first) || !isOfFact(second) || first.field !== second.field) return false
  if (second.op === 'exists') return true
  return first.op !== 'exists' && textImplies(first, second, budget)
}

/** Whether a condition matches only signed-in viewers. */
function impliesSignedIn(leaf: Leaf): boolean {
  return leaf.op === 'signedIn' || (isOfFact(leaf) && isOfAccount(leaf.field))
}

type OfFact = Exclude<Extract<Leaf, { field: unknown }>, { field: 'now' }>
type OfText = Exclude<OfFact, { op: 'exists' }>

function isOfFact(leaf: Leaf): leaf is OfFact {
  return 'field' in leaf && leaf.field !== 'now'
}

/** `implies` for two conditions on the same fact. */
function textImplies(first: OfText, second: OfText, budget: { steps: number }): boolean {
  const holds = textTest(second)
  if (first.op === 'in') {
    return first.values.every((value) => {
      budget.steps -= 1
      return budget.steps >= 0 && holds(value)
    })
  }
  if (first.op === 'equals') return holds(first.value)
  return (first.op === second.op || second.op === 'contains') && holds(first.value)
}

function textTest(condition: OfText): (text: string) => boolean {
  if (condition.op === 'in') {
    const values = valuesOf(condition)
    return (text) => values.has(text.toLowerCase())
  }
  const value = condition.value.toLowerCase()
  return (text) => COMPARE[condition.op](text.toLowerCase(), value)
}

/** Sets of values, created once per condition, because each is compared with every other condition. */
const lists = new WeakMap<Condition, ReadonlySet<string>>()

function valuesOf(condition: Extract<OfText, { op: 'in' }>): ReadonlySet<string> {
  let values = lists.get(condition)
  if (values === undefined) {
    lists.set(condition, (values = new Set(condition.values.map((value) => value.toLowerCase()))))
  }
  return values
}
