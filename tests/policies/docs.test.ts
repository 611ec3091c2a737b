import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type } from 'arktype'
import { FACTS } from '../../db/policy.ts'
import { Variables } from '../../src/bundles/content/shapes.ts'
import { compile } from '../../src/policies/evaluate.ts'
import { lint } from '../../src/policies/lint.ts'
import { OPERATORS } from '../../src/policies/operators.ts'
import { CONDITION_DOC, Policy } from '../../src/policies/shapes.ts'
import { describedViewer, SentViewer } from '../../src/policies/viewer.ts'
import { policyOf } from './bad.ts'

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/policies.md', import.meta.url)), 'utf8')
const [policy, following, conditions, asked, preview] = [...PAGE.matchAll(/```json\n([\s\S]*?)```/g)].map(
  ([, json = '']) => JSON.parse(json),
)

test('the policy in docs/policies.md is valid, and does what the page says', () => {
  const read = Policy.assert(policy)
  expect<unknown>(read).toEqual(policy)
  const rules = read.rules.map((rule, index) => ({ ...rule, id: `r_${index}` }))
  expect(lint({ ...read, rules }, Date.UTC(2026, 0, 1))).toEqual([])
  const viewer = SentViewer.assert(preview.viewer)
  expect(compile({ ...read, rules }).match(describedViewer(viewer, 0))?.name).toBe('Acme staff')
  const outside = { ...viewer, emailDomain: 'notacme.com' }
  expect(compile({ ...read, rules }).match(describedViewer(outside, 0))?.name).toBe('German, in office hours')
})

test('the rule on a variable in docs/policies.md is valid, and lacks nothing', () => {
  const variables = Variables.assert(asked.variables)
  const { rules } = Policy.assert(asked.resolutionPolicy)
  expect(lint({ version: 1, rules: rules.map((rule) => ({ ...rule, id: 'r_0' })) }, 0, variables)).toEqual([])
  const { name } = variables[0] ?? {}
  expect(rules[0]).toMatchObject({
    when: { field: `query.${name}` },
    tabs: [{ url: expect.stringContaining(`{${name}}`) }],
  })
})

test('the rule that follows the bundle in docs/policies.md is valid, and lacks nothing', () => {
  const [rule] = Policy.assert({ version: 1, rules: [following] }).rules
  const urls = ['https://example.com/', ...(rule?.omit ?? [])]
  expect(lint({ version: 1, rules: [{ id: 'r_0', ...rule! }] }, 0, [], urls)).toEqual([])
  expect(rule?.base).toBe('bundle')
})

test('every viewer field is in docs/policies.md, and in what the API says of conditions', () => {
  for (const fact of FACTS) {
    expect([fact, PAGE.includes(`\`${fact}\``)]).toEqual([fact, true])
    expect([fact, new RegExp(`\\b${fact}\\b`).test(CONDITION_DOC)]).toEqual([fact, true])
  }
})

test('every condition in docs/policies.md is valid as written, and every operator is documented', () => {
  for (const condition of conditions) {
    const read = Policy(policyOf(condition))
    if (read instanceof type.errors) throw new Error(`${JSON.stringify(condition)}: ${read.summary}`)
    expect<unknown>(read.rules[0]?.when).toEqual(condition)
  }
  const refused = Policy(policyOf({ op: '?' }))
  expect(refused).toBeInstanceOf(type.errors)
  expect(conditions.map(({ op }: { op: string }) => op)).toEqual(Object.keys(OPERATORS))
})
