import type { Comparison, Condition, Field, Leaf, Policy, Rule, Traced } from '../../db/policy.ts'
import { windowTest } from './clock.ts'
import { DAYS } from './conditions.ts'
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
function compound(op: 'and' | 'or' | 'not', of: readonly Node[]): Test {
  const parts = of.map(({ holds }) => holds)
  const decisive = op !== 'and'
  const found = op === 'or'
  return (facts) => {
    for (let at = 0; at < parts.length; at += 1) if (parts[at]!(facts) === decisive) return found
    return !found
  }
}

function leaf(condition: Leaf, places: Places): Test {
  switch (condition.op) {
    case 'signedIn':
      places.set('signedIn', places.get('signedIn') ?? places.size)
      return ({ viewer }) => viewer.signedIn
    case 'before': {
      const time = Date.parse(condition.value)
      return ({ viewer }) => viewer.now < time
    }
    case 'after': {
      const time = Date.parse(condition.value)
      return ({ viewer }) => viewer.now >= time
    }
    case 'timeWindow': {
      const isOpen = windowTest(
        condition,
        condition.days.map((day) => DAYS.indexOf(day)),
      )
      return ({ viewer }) => isOpen(viewer.now)
    }
    default:
      return factTest(condition.field, comparing(condition), places)
  }
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

type OfField = Extract<Leaf, { field: Field }>

function comparing(condition: OfField): (fact: string) => boolean {
  if (condition.op === 'exists') return () => true
  if (condition.op === 'in') {
    const values = new Set(condition.values.map((value) => value.toLowerCase()))
    return (fact) => values.has(fact)
  }
  const compare = COMPARE[condition.op]
  const value = condition.value.toLowerCase()
  return (fact) => compare(fact, value)
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
