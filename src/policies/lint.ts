import type { Condition, Field, Leaf, Policy, Rule } from '../../db/policy.ts'
import type { Variable } from '../../db/schema.ts'
import { isNear } from '../core/distance.ts'
import type { Path } from '../core/issue.ts'
import { pathText, phrase, type Words } from '../core/issue-words.ts'
import { isReserved } from '../core/launcher-link.ts'
import { dropFullStop, inSentence } from '../core/words.ts'
import { follows, isEmptied } from './base.ts'
import { COMPARE, isInRange } from './evaluate.ts'
import { definitionOf, isOfAccount } from './facts.ts'

/** The properties of a variable that limit its values. */
type Asked = Pick<Variable, 'name' | 'options'>

/** Why something that a policy may contain is probably a mistake. */
export type Concern =
  /** `rule`: the index of the rule that is tried first. */
  | { code: 'duplicate_rule' | 'unreachable_rule'; rule: number }
  | { code: 'over'; since: string }
  | { code: 'ends_before_it_begins' }
  | { code: 'too_wide'; value: string }
  | { code: 'no_such_value'; field: string; value: string; values: readonly string[] }
  | { code: 'no_such_variable'; name: string; near: string }
  | { code: 'other_format'; field: Field; value: string; format: string }
  /** `domain`: the one probably meant. */
  | { code: 'not_a_domain'; value: string; domain: string }
  | { code: 'copies_bundle' | 'leaves_no_tab' | 'not_in_bundle' }
  | { code: 'not_as_sent'; value: string; sent: string }
  | { code: 'not_whole_subtags'; value: string }
  | { code: 'tablet_as_computer' }
  /** For the viewer in a preview: the launcher's message about the value. */
  | { code: 'refused_value'; message: string }

/** A concern with its path, in the form of errors. */
export interface Finding {
  path: Path
  concern: Concern
}

/**
 * Findings in a valid policy: unreachable rules, times in the past, impossible values, domain conditions
 * that match more than intended. Pure.
 * @param now milliseconds since 1970. @param variables of the bundle. @param urls of the bundle.
 */
export function lint(
  { rules }: Policy,
  now: number,
  variables: readonly Asked[] = [],
  urls: readonly string[] = [],
): Finding[] {
  const budget = newBudget()
  return rules.flatMap((rule, index) => {
    const { when } = rule
    const path = ['resolutionPolicy', 'rules', index]
    const found: Finding[] = []
    visitConditions(when, [...path, 'when'], true, (condition, place, isWanted) => {
      const concern = concernOf(condition, isWanted, now) ?? ofVariable(condition, variables)
      if (concern !== null) found.push({ path: place, concern })
    })
    found.push(...ofTabs(rule, path, urls))
    const earlier = rules
      .slice(0, index)
      .findIndex((earlier) => !isEmptied(earlier, urls) && implies(when, earlier.when, budget))
    if (earlier === -1) return found
    const isSame = implies(rules[earlier]!.when, when, budget)
    return [{ path, concern: { code: isSame ? 'duplicate_rule' : 'unreachable_rule', rule: earlier } }, ...found]
  })
}

/** The findings about the tabs of a rule, given the bundle's links. */
function ofTabs(rule: Rule, path: Path, urls: readonly string[]): Finding[] {
  const { omit = [], tabs } = rule
  if (!follows(rule)) {
    const isCopy = urls.length > 0 && urls.every((url) => tabs.some((tab) => tab.url === url))
    return isCopy ? [{ path: [...path, 'tabs'], concern: { code: 'copies_bundle' } }] : []
  }
  const gone = omit.flatMap((url, at): Finding[] =>
    urls.includes(url) ? [] : [{ path: [...path, 'omit', at], concern: { code: 'not_in_bundle' } }],
  )
  return isEmptied(rule, urls) ? [...gone, { path: [...path, 'tabs'], concern: { code: 'leaves_no_tab' } }] : gone
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
    case 'startsWith':
      return condition.field === 'language' ? { code: 'not_whole_subtags', value: condition.value } : null
    case 'equals':
      return impossible(condition.field, condition.value) ?? ofTablet(condition.field, [condition.value])
    case 'in':
      return (
        condition.values.map((value) => impossible(condition.field, value)).find((found) => found !== null) ??
        ofTablet(condition.field, condition.values)
      )
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

/** An iPad identifies itself as a Mac, unless its owner has requested mobile pages. */
function ofTablet(field: Field, values: readonly string[]): Concern | null {
  const isOfTablets = field === 'device' && values.some((value) => value.toLowerCase() === 'tablet')
  return isOfTablets ? { code: 'tablet_as_computer' } : null
}

function noDomain(field: Field, value: string): Concern | null {
  const { isDomain, normalize } = definitionOf(field) ?? {}
  if (!isDomain) return null
  if (/[@/:]/.test(value)) return { code: 'not_a_domain', value, domain: domainIn(value) }
  return normalize === undefined ? null : notAsSent(value, normalize)
}

/** The domain in an address of mail or of the web; an example if there is none. */
function domainIn(value: string): string {
  const domain = value
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/^.*@/, '')
    .replace(/[/:].*$/, '')
  return domain.includes('.') ? domain : 'acme.com'
}

/** Browsers send `münchen.example` as `xn--mnchen-3ya.example`. */
function notAsSent(domain: string, normalize: (domain: string) => string | null): Concern | null {
  if (!/[^\u0000-\u007f]/.test(domain)) return null
  const sent = normalize(domain)
  return sent === null ? null : { code: 'not_as_sent', value: domain, sent }
}

/** The concern about a condition on a variable, or on a name that looks like a mistyped one. */
function ofVariable(condition: Condition, variables: readonly Asked[]): Concern | null {
  if (!('field' in condition) || condition.field === 'now' || !condition.field.startsWith('query.')) return null
  const { field } = condition
  const name = field.slice('query.'.length)
  const variable = variables.find((known) => known.name === name)
  if (variable === undefined) {
    // Rules may read any other parameter too, so only a name close to a variable's is a mistake.
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

/** The number of comparisons allowed for one policy. */
export function newBudget(): { steps: number } {
  return { steps: MAX_STEPS }
}

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
  if (second.op === 'language') return isOfLanguage(first, second.value.toLowerCase(), budget)
  if (first.op === 'language') return isOfFact(second) && rangeImplies(first.value.toLowerCase(), second)
  if (!isOfFact(first) || !isOfFact(second) || first.field !== second.field) return false
  if (second.op === 'exists') return true
  return first.op !== 'exists' && textImplies(first, second, budget)
}

/** Whether a condition matches only languages in a range. */
function isOfLanguage(leaf: Leaf, range: string, budget: { steps: number }): boolean {
  if (leaf.op === 'language') return isInRange(leaf.value.toLowerCase(), range)
  if (!isOfFact(leaf) || leaf.field !== 'language') return false
  const values = leaf.op === 'in' ? leaf.values : leaf.op === 'equals' ? [leaf.value] : []
  budget.steps -= values.length
  return budget.steps >= 0 && values.length > 0 && values.every((value) => isInRange(value.toLowerCase(), range))
}

/** Whether every language in a range matches a condition on the same fact. */
function rangeImplies(range: string, second: OfFact): boolean {
  if (second.field !== 'language') return false
  if (second.op === 'exists') return true
  return (
    (second.op === 'startsWith' || second.op === 'contains') && COMPARE[second.op](range, second.value.toLowerCase())
  )
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

/** The ends of sentences that begin with the path. */
const WARNINGS: Words<Concern> = {
  duplicate_rule: ({ rule }) => `is a duplicate of rules[${rule}], which is tried first: no one gets these tabs`,
  unreachable_rule: ({ rule }) =>
    `is unreachable: everyone it matches gets the tabs of rules[${rule}], which is tried first`,
  over: ({ since }) => `has been over since ${since}: it never matches again`,
  ends_before_it_begins: 'ends before it begins: it never matches',
  too_wide: ({ value }) =>
    `"${value}" also ends "not${value}": use equals for the domain itself and endsWith ".${value}" for its subdomains`,
  no_such_value: ({ field, value, values }) =>
    `${field} is one of ${someOf(values).join(', ')}, so "${value}" never matches`,
  no_such_variable: ({ name, near }) => `query.${name}: no such variable (${near}?)`,
  other_format: ({ field, value, format }) => `${field} is ${format}, so "${value}" never matches`,
  not_a_domain: (concern) => `"${concern.value}" never matches. ${domainAlone(concern)}`,
  copies_bundle:
    'has every link of the bundle in a list of its own, so edits of the bundle do not reach it: follow the bundle, with base "bundle"',
  leaves_no_tab: 'leaves no tab, so the next rule is tried: add one, or take a link out of omit',
  not_in_bundle: 'is not a link of this bundle: saving drops it',
  not_as_sent: ({ value, sent }) => `browsers send "${value}" as "${sent}": use that form, or it never matches`,
  not_whole_subtags: ({ value }) =>
    `also matches languages that only begin with "${value}": use { "op": "language", "value": "${value.replace(/-$/, '')}" } for whole tags`,
  tablet_as_computer: 'does not match most iPads: they say that they are computers of the system macos',
  refused_value: ({ message }) => `is refused: ${dropFullStop(inSentence(message))}`,
}

/** What to write in place of an address. */
export function domainAlone({ value, domain }: { value: string; domain: string }): string {
  return `Write the domain ${value.includes('@') ? 'without @' : 'alone'}: ${domain}`
}

/** Findings worded for the API. */
export function warningsOf(findings: readonly Finding[]): { path: string; message: string }[] {
  return findings.map(({ path, concern }) => ({ path: pathText(path), message: warningIn(concern) }))
}

/** A concern as the end of a sentence that begins with the path. */
export function warningIn(concern: Concern): string {
  return phrase(WARNINGS, concern)
}

/** Maximum number of a variable's options that are listed. */
const MAX_LISTED = 10

function someOf(values: readonly string[]): readonly string[] {
  const more = values.length - MAX_LISTED
  return more > 0 ? [...values.slice(0, MAX_LISTED), `and ${more} more`] : values
}
