import type { Condition, Leaf } from '../../db/policy.ts'
import { COMPARE } from './evaluate.ts'

/** How many pairs of conditions are looked at: what one policy holds could be made to take minutes. */
const MAX_STEPS = 20_000

/**
 * Whether every viewer for whom `first` holds is one for whom `second` holds, as far as their shapes tell: true
 * is certain, false may also mean that it was not seen.
 * @param budget steps left; shared by the questions of one policy.
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
  return !('of' in first) && !('of' in second) && leafImplies(first, second)
}

/** The steps that one policy may take. */
export function newBudget(): { steps: number } {
  return { steps: MAX_STEPS }
}

function leafImplies(first: Leaf, second: Leaf): boolean {
  if (first.op === second.op && JSON.stringify(first) === JSON.stringify(second)) return true
  if (second.op === 'signedIn') return 'field' in first && (first.field === 'emailDomain' || first.field === 'orgRole')
  if (first.op === 'before' && second.op === 'before') return Date.parse(first.value) <= Date.parse(second.value)
  if (first.op === 'after' && second.op === 'after') return Date.parse(first.value) >= Date.parse(second.value)
  if (!isOfFact(first) || !isOfFact(second) || first.field !== second.field) return false
  if (second.op === 'exists') return true
  return first.op !== 'exists' && textImplies(first, second)
}

type OfFact = Exclude<Extract<Leaf, { field: unknown }>, { field: 'now' }>
type OfText = Exclude<OfFact, { op: 'exists' }>

function isOfFact(leaf: Leaf): leaf is OfFact {
  return 'field' in leaf && leaf.field !== 'now'
}

/** Of two conditions on the same fact. */
function textImplies(first: OfText, second: OfText): boolean {
  if (first.op === 'in') return first.values.every(textTest(second))
  if (first.op === 'equals') return textTest(second)(first.value)
  return (first.op === second.op || second.op === 'contains') && textTest(second)(first.value)
}

function textTest(condition: OfText): (text: string) => boolean {
  if (condition.op === 'in') {
    const values = new Set(condition.values.map((value) => value.toLowerCase()))
    return (text) => values.has(text.toLowerCase())
  }
  const value = condition.value.toLowerCase()
  return (text) => COMPARE[condition.op](text.toLowerCase(), value)
}
