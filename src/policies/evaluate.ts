import { LRUCache } from 'lru-cache'
import {
  type Base,
  type Comparison,
  type Condition,
  type ConditionOf,
  DAYS,
  type Field,
  type GroupOperator,
  type Leaf,
  type Policy,
  type Traced,
} from '../../db/policy.ts'
import { follows, NO_LINKS, type Own, ownTabsOf, type ShownRule, shownTabs } from './base.ts'
import { windowTest } from './clock.ts'
import { leavesOf } from './conditions.ts'
import { isOfAccount, type ViewerRequest } from './facts.ts'
import { type Viewer, viewerOf } from './viewer.ts'

/** The facts about a viewer read so far in one evaluation, by index of field. */
interface Facts {
  readonly viewer: Viewer
  readonly known: (string | null | undefined)[]
}

type Test = (facts: Facts) => boolean

/** A compiled condition. */
interface Node {
  readonly condition: Condition
  readonly holds: Test
  readonly of: readonly Node[]
}

/** The result of one rule. */
export interface RuleTrace {
  ruleId: string
  name: string
  base?: Base
  omit?: string[]
  matched: boolean
  condition: Traced
}

/** A compiled policy. Pure: equal viewers get equal answers. */
interface CompiledPolicy {
  /** Whether any condition depends on `field`, or on being signed in. */
  needs(field: Field | 'signedIn'): boolean
  /** Whether any condition depends on the viewer’s account. */
  needsAccount: boolean
  /** The first matching rule that leaves a tab, or null. */
  match(viewer: Viewer): ShownRule | null
  /** The result of each rule and each of its conditions, from the same tests as `match`. */
  trace(viewer: Viewer): RuleTrace[]
}

/**
 * Compiles a policy, so that views need neither walk the tree nor put the tabs of rules together, and caches its results by kind
 * of viewer.
 * @param own the bundle's links.
 */
export function compile({ rules }: Policy, own: Own = NO_LINKS): CompiledPolicy {
  const places: Places = new Map()
  const compiled = rules.map((rule) => ({ rule, when: node(rule.when, places) }))
  const ownTabs = rules.some(follows) ? ownTabsOf(own) : []
  const shown = compiled
    .map(({ rule, when }) => ({ rule: follows(rule) ? { ...rule, tabs: shownTabs(rule, ownTabs) } : rule, when }))
    .filter(({ rule }) => rule.tabs.length > 0)
  const match = (viewer: Viewer) => {
    const facts: Facts = { viewer, known: [] }
    for (const { rule, when } of shown) if (when.holds(facts)) return rule
    return null
  }
  const conditions = rules.map(({ when }) => when)
  const fields = [...places.keys()].filter((field) => field !== 'signedIn')
  return {
    needs: (field) => places.has(field),
    needsAccount: places.has('signedIn') || fields.some(isOfAccount),
    match: memoizeMatch(conditions, fields, match),
    trace(viewer) {
      const facts: Facts = { viewer, known: [] }
      return compiled.map(({ rule, when }) => {
        const condition = traced(when, facts)
        const { id, name, base, omit } = rule
        const based = { ...(base === undefined ? {} : { base }), ...(omit === undefined ? {} : { omit }) }
        return { ruleId: id, name, ...based, matched: condition.matched, condition }
      })
    },
  }
}

/** The index of each field that the policy depends on. */
type Places = Map<Field | 'signedIn', number>

function node(condition: Condition, places: Places): Node {
  if (!('of' in condition)) return { condition, holds: leaf(condition, places), of: [] }
  const of = condition.of.map((part) => node(part, places))
  return { condition, holds: compound(condition.op, of), of }
}

/** Plain loops, because they take half the time of `every` and `some`, and this dominates the cost of a view. */
function compound(op: GroupOperator, of: readonly Node[]): Test {
  const parts = of.map(({ holds }) => holds)
  const decisive = op !== 'and'
  const found = op === 'or'
  return (facts) => {
    for (let at = 0; at < parts.length; at += 1) if (parts[at]!(facts) === decisive) return found
    return !found
  }
}

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
  language({ value }, places) {
    const range = value.toLowerCase()
    return factTest('language', (fact) => isInRange(fact, range), places)
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

/** A test of one fact; an unknown fact never matches. */
function factTest(field: Field, holds: (fact: string) => boolean, places: Places): Test {
  const place = places.get(field) ?? places.size
  places.set(field, place)
  return ({ viewer, known }) => {
    let fact = known[place]
    if (fact === undefined) known[place] = fact = viewer.fact(field)
    return fact !== null && holds(fact)
  }
}

/** How each operator compares two strings in lower case. */
export const COMPARE: Record<Comparison['op'], (fact: string, value: string) => boolean> = {
  equals: (fact, value) => fact === value,
  startsWith: (fact, value) => fact.startsWith(value),
  endsWith: (fact, value) => fact.endsWith(value),
  contains: (fact, value) => fact.includes(value),
}

/** Whether a language tag equals a range, or begins with it and a hyphen; both in lower case. */
export function isInRange(tag: string, range: string): boolean {
  return tag === range || tag.startsWith(`${range}-`)
}

function traced({ condition, holds, of }: Node, facts: Facts): Traced {
  const matched = holds(facts)
  if (!('of' in condition)) return { ...condition, matched }
  return { op: condition.op, matched, of: of.map((part) => traced(part, facts)) }
}

/** There are few kinds of viewers; this keeps a policy's cache below 24 KiB. */
const MAX_KINDS = 64
const MAX_KEY_LENGTH = 300
const MINUTE_MS = 60_000

/**
 * Caches `match` per kind of viewer: equal facts, at times that no condition distinguishes. The cost of a view then hardly grows
 * with the number of rules.
 * @param fields every field on which the conditions depend.
 */
function memoizeMatch(
  conditions: readonly Condition[],
  fields: readonly Field[],
  match: (viewer: Viewer) => ShownRule | null,
): (viewer: Viewer) => ShownRule | null {
  const period = periods(conditions)
  const known = new LRUCache<string, { rule: ShownRule | null }>({ max: MAX_KINDS })
  return (viewer) => {
    let kind = viewer.signedIn ? period(viewer.now) : `-${period(viewer.now)}`
    for (const field of fields) {
      const fact = viewer.fact(field)
      // Length-prefixed, so that different facts cannot give the same key.
      kind += fact === null ? ';' : `;${fact.length}:${fact}`
    }
    if (kind.length > MAX_KEY_LENGTH) return match(viewer)
    let answer = known.get(kind)
    if (answer === undefined) known.set(kind, (answer = { rule: match(viewer) }))
    return answer.rule
  }
}

/** Identifies a period during which no time condition changes its result. */
function periods(conditions: readonly Condition[]): (now: number) => string {
  const leaves = conditions.flatMap(leavesOf)
  const instants = leaves.flatMap((leaf) =>
    leaf.op === 'before' || leaf.op === 'after' ? [Date.parse(leaf.value)] : [],
  )
  const hasWindow = leaves.some(({ op }) => op === 'timeWindow')
  return (now) => {
    let passed = 0
    for (const instant of instants) if (instant <= now) passed += 1
    return `${hasWindow ? Math.floor(now / MINUTE_MS) : ''}.${passed}`
  }
}

/** A compiled policy in the form for launchers. */
export interface LauncherPolicy extends Pick<CompiledPolicy, 'needs' | 'needsAccount'> {
  /** The first rule that the sender of a request matches, or null. */
  match(request: ViewerRequest): ShownRule | null
}

/** Compiles a policy for a launcher. @param own the bundle's links. */
export function launcherPolicy(policy: Policy, own: Own): LauncherPolicy {
  const { needs, needsAccount, match } = compile(policy, own)
  return { needs, needsAccount, match: (request) => match(viewerOf(request)) }
}
