import type { Condition, Field, Policy } from '../../db/policy.ts'
import { definitionOf } from './facts.ts'
import { implies, newBudget } from './implies.ts'

/** Something allowed in a policy that is probably a mistake. */
export interface Warning {
  /** Its JSON path, as in errors. */
  path: string
  message: string
}

/**
 * Warnings about a valid policy (decisions 6): unreachable rules, times in the past, impossible values, domain conditions
 * that match more than intended. Pure.
 * @param now milliseconds since 1970.
 */
export function lint({ rules }: Policy, now: number): Warning[] {
  const budget = newBudget()
  return rules.flatMap(({ when }, index) => {
    const path = `resolutionPolicy.rules[${index}]`
    const warnings: Warning[] = []
    visitConditions(when, `${path}.when`, true, (condition, place, isWanted) => {
      const message = problemWith(condition, isWanted, now)
      if (message !== null) warnings.push({ path: place, message })
    })
    const earlier = rules.slice(0, index).findIndex((rule) => implies(when, rule.when, budget))
    if (earlier === -1) return warnings
    const isSame = implies(rules[earlier]!.when, when, budget)
    const message = isSame
      ? `is a duplicate of rules[${earlier}], which is tried first: no one gets these tabs`
      : `is unreachable: everyone it matches gets the tabs of rules[${earlier}], which is tried first`
    return [{ path, message }, ...warnings]
  })
}

type ConditionVisitor = (condition: Condition, path: string, isWanted: boolean) => void

/** Visits every node; `isWanted` is false under an odd number of `not`, where a mismatch is wanted. */
function visitConditions(condition: Condition, path: string, isWanted: boolean, visitor: ConditionVisitor): void {
  visitor(condition, path, isWanted)
  if (!('of' in condition)) return
  for (const [index, part] of condition.of.entries()) {
    visitConditions(part, `${path}.of[${index}]`, condition.op === 'not' ? !isWanted : isWanted, visitor)
  }
}

function problemWith(condition: Condition, isWanted: boolean, now: number): string | null {
  switch (condition.op) {
    case 'before':
      return isWanted && Date.parse(condition.value) <= now
        ? `has been over since ${condition.value}: it never matches again`
        : null
    case 'and':
      return isWanted && isEmptySpan(condition.of) ? 'ends before it begins: it never matches' : null
    case 'endsWith':
      return tooWide(condition.field, condition.value) ?? noDomain(condition.field, condition.value)
    case 'equals':
      return impossible(condition.field, condition.value)
    case 'in':
      return condition.values.map((value) => impossible(condition.field, value)).find((text) => text !== null) ?? null
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

function tooWide(field: Field, value: string): string | null {
  if (!definitionOf(field)?.isDomain) return null
  if (value.startsWith('.') || value.startsWith('@') || !value.includes('.')) return null
  return `"${value}" also ends "not${value}": use equals for the domain itself and endsWith ".${value}" for its subdomains`
}

/** Why no viewer can have such a value. */
function impossible(field: Field, value: string): string | null {
  const { values, format } = definitionOf(field) ?? {}
  if (values !== undefined && !values.includes(value.toLowerCase())) {
    return `${field} is one of ${values.join(', ')}, so "${value}" never matches`
  }
  if (format !== undefined && !format.pattern.test(value))
    return `${field} is ${format.words}, so "${value}" never matches`
  return noDomain(field, value)
}

function noDomain(field: Field, value: string): string | null {
  const { isDomain, normalize } = definitionOf(field) ?? {}
  if (!isDomain) return null
  if (/[@/:]/.test(value)) return `${field} is a domain alone, such as acme.com, so "${value}" never matches`
  return normalize === undefined ? null : notAsSent(value, normalize)
}

/** Browsers send `münchen.example` as `xn--mnchen-3ya.example`. */
function notAsSent(domain: string, normalize: (domain: string) => string | null): string | null {
  if (!/[^\u0000-\u007f]/.test(domain)) return null
  const sent = normalize(domain)
  return sent === null ? null : `browsers send "${domain}" as "${sent}": use that form, or it never matches`
}
