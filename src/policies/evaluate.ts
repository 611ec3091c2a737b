import {
  type Comparison,
  type Condition,
  type ConditionOf,
  DAYS,
  type Field,
  type GroupOperator,
  type Leaf,
  type Policy,
  type Rule,
  type Traced,
} from '../../db/policy.ts'
import { windowTest } from './clock.ts'
import { isOfAccount } from './facts.ts'
import { remembered } from './remember.ts'

/** Somebody who looks at a launcher, as far as a policy may ask (decisions 6). */
export interface Viewer {
  readonly signedIn: boolean
  /** Milliseconds since 1970. */
  readonly now: number
  /** A fact in lower case, or null where it is absent; asked once for each field that matters. */
  fact(field: Field): string | null
}

/** What is known of one viewer while one policy is tried: each field has a place of its own. */
interface Facts {
  readonly viewer: Viewer
  readonly known: (string | null | undefined)[]
}

type Test = (facts: Facts) => boolean

/** A condition ready to be asked. */
interface Node {
  readonly condition: Condition
  readonly holds: Test
  readonly of: readonly Node[]
}

/** What one rule came to. */
export interface RuleTrace {
  ruleId: string
  name: string
  matched: boolean
  condition: Traced
}

/** A policy ready to be asked about viewers. Pure: the same viewer gets the same answer. */
export interface CompiledPolicy {
  /** Whether any condition asks about `field`; `signedIn` is asked for by its operator. */
  needs(field: Field | 'signedIn'): boolean
  /** Whether any condition asks who is signed in, or what their account tells. */
  needsAccount: boolean
  /** The first rule that holds for a viewer, or null. */
  match(viewer: Viewer): Rule | null
  /** What each rule came to, and each of its conditions; asks the very functions that `match` asks. */
  trace(viewer: Viewer): RuleTrace[]
}

/** Compiles a policy once, so that a view walks no tree, and viewers of a kind are answered for once (decisions 6). */
export function compile({ rules }: Policy): CompiledPolicy {
  const places: Places = new Map()
  const compiled = rules.map((rule) => ({ rule, when: node(rule.when, places) }))
  const match = (viewer: Viewer) => {
    const facts: Facts = { viewer, known: [] }
    for (const { rule, when } of compiled) if (when.holds(facts)) return rule
    return null
  }
  const conditions = rules.map(({ when }) => when)
  const fields = [...places.keys()].filter((field) => field !== 'signedIn')
  return {
    needs: (field) => places.has(field),
    needsAccount: places.has('signedIn') || fields.some(isOfAccount),
    match: remembered(conditions, fields, match),
    trace(viewer) {
      const facts: Facts = { viewer, known: [] }
      return compiled.map(({ rule, when }) => {
        const condition = traced(when, facts)
        return { ruleId: rule.id, name: rule.name, matched: condition.matched, condition }
      })
    },
  }
}

/** The place of each field that the policy asks about. */
type Places = Map<Field | 'signedIn', number>

function node(condition: Condition, places: Places): Node {
  if (!('of' in condition)) return { condition, holds: leaf(condition, places), of: [] }
  const of = condition.of.map((part) => node(part, places))
  return { condition, holds: compound(condition.op, of), of }
}

/** Loops, for they cost half of what `every` and `some` do, and most of a view's price is here. */
function compound(op: GroupOperator, of: readonly Node[]): Test {
  const parts = of.map(({ holds }) => holds)
  const decisive = op !== 'and'
  const found = op === 'or'
  return (facts) => {
    for (let at = 0; at < parts.length; at += 1) if (parts[at]!(facts) === decisive) return found
    return !found
  }
}

/** What asks each kind of condition. */
const TESTS: { readonly [Op in Leaf['op']]: (condition: ConditionOf<Op>, places: Places) => Test } = {
  signedIn(_, places) {
    places.set('signedIn', places.get('signedIn') ?? places.size)
    return ({ viewer }) => viewer.signedIn
  },
  before({ value }) {
    const time = Date.parse(value)
    return ({ viewer }) => viewer.now < time
  },
  after({ value }) {
    const time = Date.parse(value)
    return ({ viewer }) => viewer.now >= time
  },
  timeWindow(condition) {
    const isOpen = windowTest(
      condition,
      condition.days.map((day) => DAYS.indexOf(day)),
    )
    return ({ viewer }) => isOpen(viewer.now)
  },
  exists: ({ field }, places) => factTest(field, () => true, places),
  in({ field, values }, places) {
    const known = new Set(values.map((value) => value.toLowerCase()))
    return factTest(field, (fact) => known.has(fact), places)
  },
  equals: comparisonTest,
  startsWith: comparisonTest,
  endsWith: comparisonTest,
  contains: comparisonTest,
}

function leaf<Op extends Leaf['op']>(condition: ConditionOf<Op> & { op: Op }, places: Places): Test {
  return TESTS[condition.op](condition, places)
}

function comparisonTest({ op, field, value }: Comparison, places: Places): Test {
  const compare = COMPARE[op]
  const lower = value.toLowerCase()
  return factTest(field, (fact) => compare(fact, lower), places)
}

/** A test of one fact; absent it never holds. */
function factTest(field: Field, holds: (fact: string) => boolean, places: Places): Test {
  const place = places.get(field) ?? places.size
  places.set(field, place)
  return ({ viewer, known }) => {
    let fact = known[place]
    if (fact === undefined) known[place] = fact = viewer.fact(field)
    return fact !== null && holds(fact)
  }
}

/** How each operator compares two texts of the same case. */
export const COMPARE: Record<Comparison['op'], (fact: string, value: string) => boolean> = {
  equals: (fact, value) => fact === value,
  startsWith: (fact, value) => fact.startsWith(value),
  endsWith: (fact, value) => fact.endsWith(value),
  contains: (fact, value) => fact.includes(value),
}

function traced({ condition, holds, of }: Node, facts: Facts): Traced {
  const matched = holds(facts)
  if (!('of' in condition)) return { ...condition, matched }
  return { op: condition.op, matched, of: of.map((part) => traced(part, facts)) }
}
