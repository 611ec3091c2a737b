import type { Condition, Field, Policy } from '../../db/policy.ts'
import type { Variable } from '../../db/schema.ts'
import { isNear } from '../core/distance.ts'
import type { Path } from '../core/issue.ts'
import { isReserved } from '../core/launcher-link.ts'
import { COMPARE } from './evaluate.ts'
import { definitionOf } from './facts.ts'
import { implies } from './implies.ts'

/** What of a variable limits its values. */
type Asked = Pick<Variable, 'name' | 'options'>

/** Why something that is allowed in a policy is probably a mistake; `lint-words.ts` has the words. */
export type Concern =
  /** `rule`: the index of the rule that is tried first. */
  | { code: 'duplicate_rule' | 'unreachable_rule'; rule: number }
  | { code: 'over'; since: string }
  | { code: 'ends_before_it_begins' }
  | { code: 'too_wide'; value: string }
  | { code: 'no_such_value'; field: string; value: string; values: readonly string[] }
  | { code: 'no_such_variable'; name: string; near: string }
  | { code: 'other_format'; field: Field; value: string; format: string }
  | { code: 'not_a_domain'; field: Field; value: string }
  | { code: 'not_as_sent'; value: string; sent: string }
  /** Of the viewer on whom a policy is tried: what the launcher says about the value. */
  | { code: 'refused_value'; message: string }

/** A concern, with its path as in errors. */
export interface Finding {
  path: Path
  concern: Concern
}

/**
 * Findings in a valid policy: unreachable rules, times in the past, impossible values, domain conditions
 * that match more than intended. Pure.
 * @param now milliseconds since 1970. @param variables of the bundle.
 */
export function lint({ rules }: Policy, now: number, variables: readonly Asked[] = []): Finding[] {
  const budget = newBudget()
  return rules.flatMap(({ when }, index) => {
    const path = ['resolutionPolicy', 'rules', index]
    const found: Finding[] = []
    visitConditions(when, [...path, 'when'], true, (condition, place, isWanted) => {
      const concern = concernOf(condition, isWanted, now) ?? ofVariable(condition, variables)
      if (concern !== null) found.push({ path: place, concern })
    })
    const earlier = rules.slice(0, index).findIndex((rule) => implies(when, rule.when, budget))
    if (earlier === -1) return found
    const isSame = implies(rules[earlier]!.when, when, budget)
    return [{ path, concern: { code: isSame ? 'duplicate_rule' : 'unreachable_rule', rule: earlier } }, ...found]
  })
}

type ConditionVisitor = (condition: Condition, path: Path, isWanted: boolean) => void

/** Visits every node; `isWanted` is false under an odd number of `not`, where a mismatch is wanted. */
function visitConditions(condition: Condition, path: Path, isWanted: boolean, visitor: ConditionVisitor): void {
  visitor(condition, path, isWanted)
  if (!('of' in condition)) return
  for (const [index, part] of condition.of.entries()) {
    visitConditions(part, [...path, 'of', index], condition.op === 'not' ? !isWanted : isWanted, visitor)
  }
}

function concernOf(condition: Condition, isWanted: boolean, now: number): Concern | null {
  switch (condition.op) {
    case 'before':
      return isWanted && Date.parse(condition.value) <= now ? { code: 'over', since: condition.value } : null
    case 'and':
      return isWanted && isEmptySpan(condition.of) ? { code: 'ends_before_it_begins' } : null
    case 'endsWith':
      return tooWide(condition.field, condition.value) ?? noDomain(condition.field, condition.value)
    case 'equals':
      return impossible(condition.field, condition.value)
    case 'in':
      return condition.values.map((value) => impossible(condition.field, value)).find((found) => found !== null) ?? null
    default:
      return null
  }
}

/** Whether an `and` has an `after` that is not earlier than a `before`. */
function isEmptySpan(parts: readonly Condition[]): boolean {
  const times = (op: 'before' | 'after') =>
    parts.filter((part) => part.op === op).map((part) => Date.parse('value' in part ? part.value : ''))
  return Math.max(...times('after')) >= Math.min(...times('before'))
}

function tooWide(field: Field, value: string): Concern | null {
  if (!definitionOf(field)?.isDomain) return null
  if (value.startsWith('.') || value.startsWith('@') || !value.includes('.')) return null
  return { code: 'too_wide', value }
}

/** Why no viewer can have such a value. */
function impossible(field: Field, value: string): Concern | null {
  const { values, format } = definitionOf(field) ?? {}
  if (values !== undefined && !values.includes(value.toLowerCase())) {
    return { code: 'no_such_value', field, value, values }
  }
  if (format !== undefined && !format.pattern.test(value))
    return { code: 'other_format', field, value, format: format.words }
  return noDomain(field, value)
}

function noDomain(field: Field, value: string): Concern | null {
  const { isDomain, normalize } = definitionOf(field) ?? {}
  if (!isDomain) return null
  if (/[@/:]/.test(value)) return { code: 'not_a_domain', field, value }
  return normalize === undefined ? null : notAsSent(value, normalize)
}

/** Browsers send `münchen.example` as `xn--mnchen-3ya.example`. */
function notAsSent(domain: string, normalize: (domain: string) => string | null): Concern | null {
  if (!/[^\u0000-\u007f]/.test(domain)) return null
  const sent = normalize(domain)
  return sent === null ? null : { code: 'not_as_sent', value: domain, sent }
}

/** What is wrong with a condition on a variable, or on a name that looks like a mistyped one. */
function ofVariable(condition: Condition, variables: readonly Asked[]): Concern | null {
  if (!('field' in condition) || condition.field === 'now' || !condition.field.startsWith('query.')) return null
  const { field } = condition
  const name = field.slice('query.'.length)
  const variable = variables.find((known) => known.name === name)
  if (variable === undefined) {
    // Rules may read any other parameter too, so only a name that is close to a variable's is a mistake.
    const near = isReserved(name) ? undefined : variables.find((known) => isNear(name, known.name))
    return near === undefined ? null : { code: 'no_such_variable', name, near: near.name }
  }
  const { options } = variable
  if (options === undefined || condition.op === 'exists') return null
  const wanted = condition.op === 'in' ? condition.values : [condition.value]
  const compare = condition.op === 'in' ? COMPARE.equals : COMPARE[condition.op]
  const value = wanted.find((one) => !options.some((option) => compare(option.toLowerCase(), one.toLowerCase())))
  return value === undefined ? null : { code: 'no_such_value', field, value, values: options }
}

/** Maximum comparisons per policy; without it, a crafted policy could take minutes. */
const MAX_STEPS = 50_000

/** The comparisons allowed for one policy. */
export function newBudget(): { steps: number } {
  return { steps: MAX_STEPS }
}
