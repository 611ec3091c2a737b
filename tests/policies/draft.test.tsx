/** @jsxImportSource @kitajs/html */

import { expect, test } from 'bun:test'
import type { Condition, Policy } from '../../db/policy.ts'
import { linesOf, valuesOf } from '../../src/policies/draft/conditions.ts'
import { canOpen, draftOf, toOpenRule, toPolicy } from '../../src/policies/draft/draft.ts'
import { readRules } from '../../views/dashboard/rules/form.ts'
import { RuleFields } from '../../views/dashboard/rules/rules.tsx'
import { WHOLE } from '../every-field.ts'
import { fieldsIn } from '../form.ts'
import { prng } from '../prng.ts'
import { policyOf as badPolicyOf, nested } from './bad.ts'
import { RandomPolicies } from './random.ts'

/** The policy that results from rendering the builder's form and sending it unchanged. */
function throughForm(policy: unknown, rules: 'open' | 'closed'): unknown {
  const draft = draftOf(policy)
  if (rules === 'open') draft.rules = draft.rules.map(toOpenRule)
  const builder = {
    findings: { notes: new Map(), marks: new Map(), reasons: new Map(), absent: {} },
    focus: '',
    own: [],
    variables: [],
  }
  const html = (<RuleFields draft={draft} removed={null} builder={builder} />) as string
  const { source } = readRules(new URLSearchParams(fieldsIn(html)))
  return source !== null && 'draft' in source ? toPolicy(source.draft) : null
}

const policyOf = (when: unknown, more: Record<string, unknown> = {}) =>
  badPolicyOf(when, { id: 'r_0123456789', ...more })

test('any policy survives the form unchanged, its rules open or closed, ids included', () => {
  const random = new RandomPolicies(prng(20261105))
  for (let tries = 0; tries < 400; tries += 1) {
    const policy = random.policy(4)
    expect(throughForm(policy, 'open')).toEqual(policy)
    if (tries % 10 === 0) expect(throughForm(policy, 'closed')).toEqual(policy)
  }
})

const WINDOW = { op: 'timeWindow', days: ['fri', 'mon'], from: '00:00', to: '24:00', timeZone: 'europe/BERLIN' }
const at = (value: string) => ({ op: 'after', field: 'now', value })

test.each([
  ['days in an order of their own, and midnight at the end', WINDOW],
  ['an offset', at('2026-11-01T00:00:00+01:00')],
  ['no seconds', at('2026-11-01T09:30Z')],
  ['nine digits of a second', at('2026-11-01T09:30:01.123456789-03:30')],
  [
    'texts with quotes, spaces and nothing',
    { op: 'in', field: 'query.a.b', values: ['', ' a ', '"', '""', '"x"', 'a,b', '"x'] },
  ],
  ['equals nothing', { op: 'equals', field: 'query.x', value: '' }],
  ['a text with spaces round it', { op: 'contains', field: 'os', value: ' & <b> "' }],
  ['a device in another case', { op: 'equals', field: 'device', value: 'Mobile' }],
  ['groups at their deepest', nested(4, 'and')],
  ['nots at their deepest', nested(4)],
  ['a query name of odd letters', { op: 'exists', field: 'query.rules.0.when&=+%20é' }],
  ['250 values', { op: 'in', field: 'emailDomain', values: Array.from({ length: 250 }, (_, n) => `d${n}.example`) }],
] as [string, Condition][])('survives with %s', (_, when) => {
  expect(throughForm(policyOf(when), 'open')).toEqual(policyOf(when))
})

test.each([true, false])('a badge that is %p stays so, and an absent one stays absent', (showBadge) => {
  const policy = policyOf({ op: 'signedIn' }, { showBadge })
  expect(throughForm(policy, 'open')).toEqual(policy)
})

test('tabs keep their notes exactly', () => {
  const tabs = [
    { url: 'https://a.example/?a=1&amp;b=<script>', note: '\nsecond line\n\n"quoted" & more ' },
    { url: 'https://münchen.example/', note: '👋 שלום' },
    { url: 'https://b.example/' },
  ]
  const policy = policyOf({ op: 'signedIn' }, { tabs })
  expect(throughForm(policy, 'open')).toEqual(policy)
})

test('tabs keep every field that they can have', () => {
  expect(throughForm(WHOLE.resolutionPolicy, 'open')).toEqual(WHOLE.resolutionPolicy as never)
})

test('what a form cannot hold is not toOpenRule, and comes through closed', () => {
  const rules: unknown[] = [
    { name: 'a', when: { op: 'matches', value: 1 }, tabs: [] },
    { name: 'a', when: { op: 'signedIn' }, tabs: [], priority: 1 },
    { name: 5, when: null, tabs: 'x' },
    { name: 'a', when: at('tomorrow'), tabs: [] },
    { name: 'a', when: { op: 'or', of: Array(201).fill({ op: 'signedIn' }) }, tabs: [] },
    null,
  ]
  for (const json of rules) expect([json, canOpen({ json })]).toEqual([json, false])
  expect(throughForm({ version: 1, rules }, 'closed')).toEqual({ version: 1, rules })
})

test('a changed time condition is what the form says', () => {
  const fields = (changed: Record<string, string>) => {
    const draft = { rules: [toOpenRule({ json: policyOf(at('2026-11-01T09:30:00+01:00')).rules[0] })] }
    const builder = {
      findings: { notes: new Map(), marks: new Map(), reasons: new Map(), absent: {} },
      focus: '',
      own: [],
      variables: [],
    }
    const html = (<RuleFields draft={draft} removed={null} builder={builder} />) as string
    const sent = fieldsIn(html).map(([name, value]): [string, string] => [name, changed[name] ?? value])
    const { source } = readRules(new URLSearchParams(sent))
    const { rules } = toPolicy((source as { draft: typeof draft }).draft) as unknown as Policy
    return rules[0]?.when
  }
  const time = 'rules.0.when'
  expect(fields({ [`${time}.value`]: '2026-07-01T09:30' })).toMatchObject({ value: '2026-07-01T09:30:00+01:00' })
  expect(fields({ [`${time}.zone`]: 'Europe/Berlin' })).toMatchObject({ value: '2026-11-01T09:30:00+01:00' })
  const summer = { [`${time}.value`]: '2026-07-01T09:30', [`${time}.zone`]: 'Europe/Berlin' }
  expect(fields(summer)).toMatchObject({ value: '2026-07-01T09:30:00+02:00' })
  expect(fields({ [`${time}.op`]: 'before' })).toMatchObject({ op: 'before' })
})

test('values are lines: pasted ones lose the space around them, and every value can be toPolicy', () => {
  expect(valuesOf('  acme.com \n\n\tacme.de\n')).toEqual(['acme.com', 'acme.de'])
  const random = prng(7)
  for (let tries = 0; tries < 2000; tries += 1) {
    const values = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
      Array.from({ length: Math.floor(random() * 5) }, () => ' "a,é\u00a0'[Math.floor(random() * 7)]).join(''),
    )
    expect(valuesOf(linesOf(values))).toEqual(values)
  }
})
