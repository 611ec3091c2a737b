import { type } from 'arktype'
import type { Condition, Tab as StoredTab } from '../../db/policy.ts'
import { refuse, refusing, type ShapeOf } from '../core/shape.ts'
import { line, lines, Url, withText } from '../core/text-shapes.ts'
import { readCondition } from './conditions.ts'
import { isRuleId, RULE_ID } from './rule-id.ts'

/** Limits of a policy, in entries, Unicode code points and bytes of JSON. */
export const POLICY_BOUNDS = { rules: 50, tabs: 20, name: 120, note: 500, section: 60, bytes: 128 * 1024 } as const

/** A condition tree in canonical form; each error has its path in the tree. */
const When = type('object')
  .as<Condition>()
  // Read here and once more below: what is piped is looked at only when all else is right, which would hide its errors.
  .narrow((raw, ctx) => {
    const read = readCondition(raw)
    if (!Array.isArray(read)) return true
    for (const { path, reason } of read) refuse(ctx, reason, ...path)
    return false
  })
  .describe('a condition: an object with an op')
  .configure({ $ref: '#/$defs/Condition' }, 'self')
  .pipe((raw) => readCondition(raw) as Condition)

const Tab = type({
  url: Url,
  'note?': lines(POLICY_BOUNDS.note),
  'section?': line(POLICY_BOUNDS.section).narrow(withText),
  '+': 'reject',
} as const satisfies ShapeOf<StoredTab>)

const Rule = type({
  'id?': type('string').narrow(
    refusing({ pattern: RULE_ID.source }, (id: string) => (isRuleId(id) ? null : { code: 'not_a_rule_id' })),
  ),
  'showBadge?': 'boolean',
  name: line(POLICY_BOUNDS.name).narrow(withText),
  when: When,
  tabs: Tab.array().atLeastLength(1).atMostLength(POLICY_BOUNDS.tabs),
  '+': 'reject',
})

/** A policy as sent: rules may lack ids. */
export const SentPolicy = type({
  version: '1',
  rules: Rule.array().atMostLength(POLICY_BOUNDS.rules),
  '+': 'reject',
})

/** The same in canonical form, of a bounded size. */
export const Policy = SentPolicy.narrow(({ rules }, ctx) => {
  const first = new Map<string, number>()
  for (const [index, { name }] of rules.entries()) {
    const rule = first.get(name)
    if (rule === undefined) first.set(name, index)
    else refuse(ctx, { code: 'name_taken', rule }, 'rules', index, 'name')
  }
  return first.size === rules.length
}).pipe((policy, ctx) => {
  // Without ids, so that an accepted policy can be sent back as it was returned.
  const text = JSON.stringify({ ...policy, rules: policy.rules.map(({ id: _, ...rule }) => rule) })
  const isSmall = text.length <= POLICY_BOUNDS.bytes && Buffer.byteLength(text) <= POLICY_BOUNDS.bytes
  const reason = { code: 'policy_too_large', kib: POLICY_BOUNDS.bytes / 1024 } as const
  return isSmall ? policy : ctx.error({ code: 'predicate', reason } as { code: 'predicate' })
})

/** The same, or null for none. */
export const PolicyOrNone = Policy.or('null').configure({ whole: Policy }, 'self')

/** A parsed policy; its rules get ids when saved. */
export type SentPolicy = typeof Policy.infer
