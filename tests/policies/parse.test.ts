import { expect, spyOn, test } from 'bun:test'
import { type } from 'arktype'
import type { Issue } from '../../src/core/issue.ts'
import { pathText, reasonIn } from '../../src/core/issue-words.ts'
import type { Problem } from '../../src/core/problem.ts'
import { validate } from '../../src/operations/validate.ts'
import { Policy } from '../../src/policies/shapes.ts'
import { BAD, nested, policyOf, TAB, YES } from './bad.ts'

const Body = type({ resolutionPolicy: Policy })

const read = (resolutionPolicy: unknown) => validate<typeof Body.infer>(Body, { resolutionPolicy }).resolutionPolicy
/** What is wrong with a policy. */
const issuesOf = (resolutionPolicy: unknown): readonly Issue[] => {
  try {
    read(resolutionPolicy)
    return []
  } catch (error) {
    return (error as Problem).issues
  }
}
const condition = (when: unknown) => read(policyOf(when)).rules[0]?.when

test('every invalid policy is refused at its exact place, with what would be right', () => {
  expect(BAD.length).toBeGreaterThan(100)
  const wrong: unknown[] = []
  for (const [what, resolutionPolicy, path, expected] of BAD) {
    const [issue] = issuesOf(resolutionPolicy)
    const place = ['resolutionPolicy', path].filter((text) => text !== '').join('.')
    const said = issue === undefined ? '' : reasonIn(issue.reason).replace(/^must be /, '')
    const isSaid = typeof expected === 'string' ? said.includes(expected) : expected.test(said)
    if (issue === undefined || pathText(issue.path) !== place || !isSaid) wrong.push([what, expected, said])
  }
  expect(wrong).toEqual([])
})

test('several mistakes are all reported, each at its place', () => {
  const policy = policyOf({ op: 'and', of: [{ op: 'is' }, { op: 'exists', field: 'x', y: 1 }] })
  expect(issuesOf(policy).map(({ path }) => pathText(path))).toEqual([
    'resolutionPolicy.rules[0].when.of[0].op',
    'resolutionPolicy.rules[0].when.of[1].y',
    'resolutionPolicy.rules[0].when.of[1].field',
  ])
})

test('a policy at its bounds is accepted unchanged', () => {
  const rules = Array.from({ length: 50 }, (_, index) => ({
    name: `${index}`.padEnd(120, 'é'),
    showBadge: index % 2 === 0,
    when: { op: 'in', field: 'query.ref', values: Array.from({ length: 100 }, (_, value) => `v${value}`) },
    tabs: Array.from({ length: 20 }, () => TAB),
  }))
  expect<unknown>(read({ version: 1, rules })).toEqual({ version: 1, rules })
  for (const op of ['and', 'or', 'not']) expect<unknown>(condition(nested(4, op))).toEqual(nested(4, op))
  const value = '😀'.repeat(512)
  const equals = { op: 'equals', field: `query.${'x'.repeat(100)}`, value }
  expect<unknown>(condition(equals)).toEqual(equals)
  const most = { op: 'in', field: 'os', values: Array(250).fill('x') }
  expect<unknown>(condition(most)).toEqual(most)
  expect(read({ version: 1, rules: [] })).toEqual({ version: 1, rules: [] })
})

test('alternative notations are normalised', () => {
  expect(condition({ op: 'not', of: YES })).toEqual({ op: 'not', of: [{ op: 'signedIn' }] })
  expect(condition({ value: ['a'], field: 'os', op: 'in' })).toEqual({ op: 'in', field: 'os', values: ['a'] })
  const window = { op: 'timeWindow', from: '22:00', to: '24:00', timeZone: 'UTC' }
  expect(condition({ ...window, days: ['fri', 'mon', 'fri'] })).toMatchObject({ days: ['fri', 'mon'] })
  expect(read(policyOf(YES, { tabs: [{ url: '  https://a.example/ ' }] })).rules[0]?.tabs).toEqual([TAB])
})

test('a time zone may be written in any case, and many spellings of one delay nobody', () => {
  const zone = 'america/argentina/buenos_aires'
  const spelled = (number: number) =>
    [...zone].map((letter, index) => ((number >> index) & 1 ? letter.toUpperCase() : letter)).join('')
  const window = (timeZone: string) => ({ op: 'timeWindow', days: ['mon'], from: '00:00', to: '01:00', timeZone })
  expect(condition(window('EUROPE/berlin'))).toMatchObject({ timeZone: 'EUROPE/berlin' })
  const clocks = spyOn(Intl, 'DateTimeFormat')
  const of = Array.from({ length: 1900 }, (_, number) => window(spelled(number)))
  expect(() => condition({ op: 'or', of })).toThrow('at most 128 KiB')
  // Creating a clock is the slow part.
  expect(clocks).toHaveBeenCalledTimes(1)
  clocks.mockRestore()
})
