import { expect, test } from 'bun:test'
import { draftOf, toOpenRule, toPolicy } from '../../src/policies/draft/draft.ts'
import { edit, type Removed } from '../../src/policies/draft/edits.ts'
import { prng } from '../prng.ts'
import { RandomPolicies } from './random.ts'

const SIGNED_IN = { op: 'signedIn' }
const PHONE = { op: 'equals', field: 'device', value: 'mobile' }
const OWN = [
  { url: 'https://one.example/', note: 'One', section: '' },
  { url: 'https://two.example/', note: '', section: '' },
]
const rule = (name: string, when: object = SIGNED_IN) => ({
  id: `r_000000000${name}`,
  name,
  when,
  tabs: [{ url: `https://${name}.example/` }],
})

/** A policy after pressing some buttons, its rules open. */
function pressed(rules: readonly unknown[], ...actions: string[]) {
  const draft = draftOf({ version: 1, rules })
  draft.rules = draft.rules.map(toOpenRule)
  let removed: Removed | null = null
  let focus = ''
  for (const action of actions) ({ removed, focus } = edit({ draft, own: OWN, removed }, action.split(' ')))
  return { rules: toPolicy(draft).rules as ReturnType<typeof rule>[], focus }
}
const names = (...actions: string[]) =>
  pressed([rule('a'), rule('b'), rule('c')], ...actions).rules.map(({ name }) => name)
const when = (condition: object, ...actions: string[]) => pressed([rule('a', condition)], ...actions).rules[0]?.when

test('rules are moved, duplicated, removed and restored, ids included', () => {
  expect(names('rule.up 2')).toEqual(['a', 'c', 'b'])
  expect(names('rule.down 0', 'rule.down 1')).toEqual(['b', 'c', 'a'])
  expect(names('rule.move 0 2')).toEqual(['b', 'c', 'a'])
  expect(names('rule.move 2 0')).toEqual(['c', 'a', 'b'])
  expect(names('rule.up 0', 'rule.down 2', 'rule.move 1 9')).toEqual(['a', 'b', 'c'])
  expect(names('rule.copy 1')).toEqual(['a', 'b', 'b 2', 'c'])
  expect(names('rule.remove 1')).toEqual(['a', 'c'])
  const before = [rule('a'), rule('b'), rule('c')]
  expect(pressed(before, 'rule.remove 1', 'rule.undo').rules).toEqual(before)
  expect(pressed(before, 'rule.copy 0').rules[1]).not.toHaveProperty('id')
})

test('no more rules and tabs are added than allowed', () => {
  const many = Array.from({ length: 50 }, (_, n) => rule(`${n}`))
  for (const action of ['rule.add', 'rule.copy 0', 'rule.start phone'])
    expect(pressed(many, action).rules).toHaveLength(50)
  const full = { ...rule('a'), tabs: Array.from({ length: 19 }, (_, n) => ({ url: `https://${n}.example/` })) }
  expect(pressed([full], 'tab.all 0').rules[0]?.tabs).toHaveLength(20)
  expect(pressed([full], 'tab.add 0', 'tab.add 0', 'tab.own 0 1').rules[0]?.tabs).toHaveLength(20)
})

test('tabs of the bundle replace a blank one, and none is added twice', () => {
  const { rules } = pressed([], 'rule.add', 'tab.own 0 1', 'tab.all 0', 'tab.all 0')
  expect(rules[0]?.tabs).toEqual([
    { url: 'https://two.example/' },
    { url: 'https://one.example/', note: 'One' },
  ] as never)
  expect(pressed([], 'rule.add', 'tab.all 0', 'tab.down 0 0').rules[0]?.tabs[0]?.url).toBe('https://two.example/')
})

test('conditions are added to a single one, to groups, and to “none of”', () => {
  expect(when(PHONE, 'if.add rules.0.when')).toEqual({ op: 'and', of: [PHONE, {}] })
  expect(when(PHONE, 'if.group rules.0.when')).toEqual({ op: 'and', of: [PHONE, { op: 'or', of: [{}] }] })
  const not = { op: 'not', of: [PHONE] }
  expect(when(not, 'if.add rules.0.when')).toEqual({ op: 'not', of: [{ op: 'or', of: [PHONE, {}] }] })
  expect(when(not, 'if.add rules.0.when', 'if.add rules.0.when')).toEqual({
    op: 'not',
    of: [{ op: 'or', of: [PHONE, {}, {}] }],
  })
  expect(when({ op: 'or', of: [SIGNED_IN, PHONE] }, 'if.nest rules.0.when.of.1')).toEqual({
    op: 'or',
    of: [SIGNED_IN, { op: 'and', of: [PHONE] }],
  })
})

test('a group is removed with or without its contents, and leaves no empty one', () => {
  const grouped = { op: 'and', of: [SIGNED_IN, { op: 'or', of: [PHONE, SIGNED_IN] }] }
  expect(when(grouped, 'if.lift rules.0.when.of.1')).toEqual({ op: 'and', of: [SIGNED_IN, PHONE, SIGNED_IN] })
  expect(when(grouped, 'if.remove rules.0.when.of.1')).toEqual({ op: 'and', of: [SIGNED_IN] })
  expect(when({ op: 'and', of: [{ op: 'or', of: [PHONE] }] }, 'if.remove rules.0.when.of.0.of.0')).toEqual({})
  expect(when({ op: 'and', of: [PHONE] }, 'if.lift rules.0.when')).toEqual(PHONE)
  expect(when(PHONE, 'if.remove rules.0.when')).toEqual({})
})

test('whatever is pressed, in any order and anywhere, nothing breaks and no id is invented', () => {
  const random = new RandomPolicies(prng(99))
  const actions =
    'rule.add rule.open rule.close rule.up rule.down rule.move rule.copy rule.remove rule.undo rule.start '
      .concat(
        'if.add if.group if.nest if.lift if.remove tab.add tab.own tab.all tab.up tab.down tab.remove nonsense toString',
      )
      .split(' ')
  const place = () => random.pick(['0', '1', '7', '-1', 'x', '', '1e9', 'phone', '__proto__'])
  const path = () =>
    `rules.${place()}.when${['', '.of.0', '.of.1.of.0', '.of.9', '.of.x'][Math.floor(random.next() * 5)]}`
  for (let tries = 0; tries < 200; tries += 1) {
    const policy = random.policy(4)
    const known = new Set(policy.rules.map(({ id }) => id))
    const presses = Array.from({ length: 12 }, () => {
      const name = random.pick(actions)
      return `${name} ${name.startsWith('if.') ? path() : `${place()} ${place()}`}`
    })
    const { rules } = pressed(policy.rules, ...presses)
    const ids = rules.map(({ id }) => id).filter((id) => id !== undefined)
    expect(ids.every((id) => known.has(id))).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
  }
})
