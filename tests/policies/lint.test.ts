import { expect, test } from 'bun:test'
import type { Condition, Policy } from '../../db/policy.ts'
import { implies, lint, newBudget, warningsOf } from '../../src/policies/lint.ts'
import { describedViewer } from '../../src/policies/viewer.ts'
import { prng } from '../prng.ts'
import { naiveHolds } from './naive.ts'
import { RandomPolicies } from './random.ts'

const NOW = Date.UTC(2026, 6, 1)
const policyOf = (...whens: Condition[]): Policy => ({
  version: 1,
  rules: whens.map((when, index) => ({
    id: `r_${index}`,
    name: `${index}`,
    when,
    tabs: [{ url: 'https://a.example/' }],
  })),
})
const YES: Condition = { op: 'signedIn' }
const is = (field: 'os' | 'device' | 'orgRole' | 'country' | 'emailDomain', value: string): Condition => ({
  op: 'equals',
  field,
  value,
})
const ends = (value: string): Condition => ({ op: 'endsWith', field: 'emailDomain', value })
const before = (value: string): Condition => ({ op: 'before', field: 'now', value })
const after = (value: string): Condition => ({ op: 'after', field: 'now', value })
const all = (...of: Condition[]): Condition => ({ op: 'and', of })
const any = (...of: Condition[]): Condition => ({ op: 'or', of })
const not = (part: Condition): Condition => ({ op: 'not', of: [part] })

/** Policies and their expected warnings, by place and a word of the message. */
const CASES: [what: string, conditions: Condition[], warned: [path: string, says: RegExp][]][] = [
  ['nothing wrong', [ends('.acme.com'), YES, not(YES), before('2026-08-01T00:00:00Z')], []],
  ['a duplicate', [is('os', 'ios'), is('os', 'iOS')], [['rules[1]', /duplicate of rules\[0\]/]]],
  ['a duplicate in another order', [all(YES, is('os', 'ios')), all(is('os', 'ios'), YES)], [['rules[1]', /duplicate/]]],
  ['narrower after wider', [YES, all(YES, is('os', 'ios'))], [['rules[1]', /unreachable.*rules\[0\]/]]],
  ['wider after narrower', [all(YES, is('os', 'ios')), YES], []],
  ['part of an or', [any(YES, is('os', 'ios')), is('os', 'ios')], [['rules[1]', /unreachable/]]],
  ['a domain after signed in', [YES, is('emailDomain', 'acme.com')], [['rules[1]', /unreachable/]]],
  ['below a domain', [ends('.acme.com'), is('emailDomain', 'mail.acme.com')], [['rules[1]', /unreachable/]]],
  ['the third after the first', [YES, is('os', 'ios'), is('orgRole', 'admin')], [['rules[2]', /unreachable.*\[0\]/]]],
  ['a list within a list', [{ op: 'in', field: 'os', values: ['a', 'b'] }, is('os', 'B')], [['rules[1]', /unreach/]]],
  [
    'query names of another case',
    [
      { op: 'exists', field: 'query.a' },
      { op: 'exists', field: 'query.A' },
    ],
    [],
  ],
  ['a domain that is too wide', [ends('acme.com')], [['rules[0].when', /notacme\.com/]]],
  ['too wide, within', [any(YES, not(ends('acme.com')))], [['rules[0].when.of[1].of[0]', /notacme\.com/]]],
  ['over', [before('2026-06-01T00:00:00Z')], [['rules[0].when', /over since/]]],
  ['over, but not wanted', [not(before('2026-06-01T00:00:00Z'))], []],
  ['a span', [all(after('2026-07-02T00:00:00Z'), before('2026-07-03T00:00:00Z'))], []],
  [
    'a span that ends before it begins',
    [all(after('2026-09-01T00:00:00Z'), before('2026-08-01T00:00:00Z'))],
    [['rules[0].when', /ends before it begins/]],
  ],
  ['no such device', [is('device', 'phone')], [['rules[0].when', /desktop, mobile, tablet.*"phone"/]]],
  ['no such role', [is('orgRole', 'owner')], [['rules[0].when', /viewer, editor, admin/]]],
  ['a country by its name', [is('country', 'Germany')], [['rules[0].when', /two letters/]]],
  [
    'an address as a domain',
    [is('emailDomain', 'ann@acme.com')],
    [['rules[0].when', /Write the domain without @: acme\.com$/]],
  ],
  [
    'letters that languages begin with',
    [{ op: 'startsWith', field: 'language', value: 'fi' }],
    [['rules[0].when', /only begin with "fi": use \{ "op": "language", "value": "fi" \}/]],
  ],
  ['a language', [{ op: 'language', value: 'fi' }], []],
  ['a tablet', [is('device', 'tablet')], [['rules[0].when', /does not match most iPads/]]],
  ['a device’s end', [{ op: 'endsWith', field: 'device', value: 'top' }], []],
]

test('a policy that is probably a mistake gets a warning at its place', () => {
  const wrong: unknown[] = []
  for (const [what, conditions, warned] of CASES) {
    const found = warningsOf(lint(policyOf(...conditions), NOW))
    const isRight =
      found.length === warned.length &&
      warned.every(([path, says], index) => {
        return found[index]?.path === `resolutionPolicy.${path}` && says.test(found[index]?.message ?? '')
      })
    if (!isRight) wrong.push([what, found])
  }
  expect(wrong).toEqual([])
})

const VARIABLES = [{ name: 'customer' }, { name: 'land' }, { name: 'region', options: ['EU', 'us'] }]
const asked = (field: string, value: string): Condition => ({ op: 'equals', field: `query.${field}`, value })

test.each<[what: string, condition: Condition, says: RegExp | null]>([
  ['a variable', asked('customer', '4711'), null],
  ['an option in another case', asked('region', 'eu'), null],
  ['a part of an option', { op: 'startsWith', field: 'query.region', value: 'U' }, null],
  ['a variable that has a value', { op: 'exists', field: 'query.region' }, null],
  ['another parameter', asked('utm_source', 'mail'), null],
  ['a parameter with a meaning of its own', asked('lang', 'de'), null],
  ['a mistyped name', asked('custmer', '4711'), /^query\.custmer: no such variable \(customer\?\)$/],
  ['a name in another case', { op: 'exists', field: 'query.Customer' }, /no such variable \(customer\?\)/],
  ['a mistyped name that is not wanted', not(asked('regoin', 'eu')), /no such variable \(region\?\)/],
  ['no option', asked('region', 'asia'), /^query\.region is one of EU, us, so "asia" never matches$/],
  ['one of several', { op: 'in', field: 'query.region', values: ['eu', 'asia'] }, /"asia" never matches/],
  ['a part of none', { op: 'contains', field: 'query.region', value: 'x' }, /"x" never matches/],
])('in rules of a bundle with variables: %s', (_, condition, says) => {
  const found = warningsOf(lint(policyOf(condition), NOW, VARIABLES)).map(({ message }) => message)
  expect(found).toEqual(says === null ? [] : [expect.stringMatching(says)])
  // Without variables, whatever a link’s query has is a rule’s to read.
  expect(lint(policyOf(condition), NOW)).toEqual([])
})

test('no rule is called unreachable that some viewer reaches', () => {
  const random = new RandomPolicies(prng(7))
  let implied = 0
  for (let round = 0; round < 30_000; round += 1) {
    const [first, second] = [random.condition(3), random.condition(3)]
    if (!implies(first, second, newBudget())) continue
    implied += 1
    for (let viewers = 0; viewers < 20; viewers += 1) {
      const viewer = random.viewer()
      // A viewer with a domain or a role is signed in.
      if (viewer.emailDomain !== undefined || viewer.orgRole !== undefined) viewer.signedIn = true
      if (naiveHolds(first, viewer) && !naiveHolds(second, viewer)) expect({ first, second, viewer }).toBeNull()
    }
  }
  expect(implied).toBeGreaterThan(300)
})

/** How often conditions are read during the analysis: a machine-independent measure of work. */
function readsOf(...whens: Condition[]): number {
  let reads = 0
  const known = new WeakMap<object, object>()
  const watched = <T extends object>(value: T): T => {
    const proxy = new Proxy(value, {
      get(target, key, receiver) {
        reads += 1
        const part: unknown = Reflect.get(target, key, receiver)
        return typeof part === 'object' && part !== null ? watched(part) : part
      },
    })
    if (!known.has(value)) known.set(value, proxy)
    return known.get(value) as T
  }
  lint(policyOf(...whens.map(watched)), NOW)
  return reads
}

/** About the number of steps allowed per policy, and far from all pairs of conditions. */
const MAX_READS = 30 * newBudget().steps

test('the analysis of a policy designed to be slow stops at its step limit', () => {
  const deep = (depth: number): Condition => {
    if (depth === 0) return { op: 'equals', field: 'os', value: 'x' }
    return { op: depth % 2 ? 'and' : 'or', of: Array.from({ length: 5 }, () => deep(depth - 1)) }
  }
  expect(readsOf(...Array.from({ length: 50 }, () => deep(4)))).toBeLessThan(MAX_READS)
  const values = Array.from({ length: 250 }, (_, index) => `${index}`)
  const lists = Array.from({ length: 50 }, () => any({ op: 'in', field: 'os', values }, YES))
  expect(readsOf(...lists)).toBeLessThan(MAX_READS)
})

test('a long list that is compared many times delays nobody', () => {
  const values = Array.from({ length: 240 }, (_, index) => 'x'.repeat(300) + index)
  const long: Condition = { op: 'in', field: 'query.a', values }
  const short = Array.from(
    { length: 200 },
    (_, index): Condition => ({ op: 'in', field: 'query.a', values: [`${index}`] }),
  )
  expect(readsOf(any(any(any(any(long)))), all(all(all(all(...short)))))).toBeLessThan(MAX_READS)
})

test('a domain with letters that browsers do not send gets a warning, and is previewed as sent', () => {
  const from = (value: string): Condition => ({ op: 'equals', field: 'referrerDomain', value })
  const warnings = warningsOf(lint(policyOf(from('münchen.example'), from('xn--mnchen-3ya.example')), NOW))
  expect(warnings.map(({ path }) => path)).toEqual(['resolutionPolicy.rules[0].when'])
  expect(warnings[0]?.message).toContain('"xn--mnchen-3ya.example"')
  const facts = [{ referrerDomain: 'MÜNCHEN.example' }, { referrerDomain: 'a.example' }, { referrerDomain: '' }, {}]
  expect(facts.map((viewer) => describedViewer(viewer, NOW).fact('referrerDomain'))).toEqual([
    'xn--mnchen-3ya.example',
    'a.example',
    null,
    null,
  ])
})
