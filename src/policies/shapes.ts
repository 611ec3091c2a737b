import { type } from 'arktype'
import type { Condition, Tab as StoredTab } from '../../db/policy.ts'
import { type ShapeOf, withJsonSchema } from '../core/shape.ts'
import { line, lines, Url, withText } from '../core/text-shapes.ts'
import { readCondition } from './conditions.ts'
import { isRuleId, RULE_ID } from './rule-id.ts'

/** Limits of a policy (spec 8, decisions 6), in entries, Unicode code points and bytes of JSON. */
export const POLICY_BOUNDS = { rules: 50, tabs: 20, name: 120, note: 500, section: 60, bytes: 128 * 1024 } as const

/** A condition tree in canonical form; each error has its path in the tree. */
const When = type('object')
  .as<Condition>()
  .describe('a condition: an object with an op')
  .configure({ $ref: '#/$defs/Condition' }, 'self')
  .pipe((raw, ctx): Condition => {
    const read = readCondition(raw)
    if (!Array.isArray(read)) return read
    for (const { path, expected } of read) ctx.error({ code: 'predicate', expected, relativePath: path })
    // Unused: the errors above reject the input.
    return { op: 'signedIn' }
  })

const Tab = type({
  url: Url,
  'note?': lines(POLICY_BOUNDS.note),
  'section?': line(POLICY_BOUNDS.section).narrow(withText('a section that is not blank')),
  '+': 'reject',
} as const satisfies ShapeOf<StoredTab>)

/** The parts of a rule, separately, for reporting all errors of one. */
export const RULE_PARTS = {
  name: line(POLICY_BOUNDS.name).narrow(withText('a name that is not blank')),
  when: When,
  tabs: Tab.array().atLeastLength(1).atMostLength(POLICY_BOUNDS.tabs),
} as const

const Rule = type({
  'id?': type('string').narrow(
    withJsonSchema(
      { pattern: RULE_ID.source },
      (id: string, ctx: { mustBe(expected: string): false }) =>
        isRuleId(id) || ctx.mustBe('the id of a rule of this bundle'),
    ),
  ),
  'showBadge?': 'boolean',
  ...RULE_PARTS,
  '+': 'reject',
})

/** A policy as sent (spec 2.3, decisions 6): rules may lack ids. */
export const SentPolicy = type({
  version: '1',
  rules: Rule.array().atMostLength(POLICY_BOUNDS.rules),
  '+': 'reject',
})

/** The same in canonical form. Its errors are BAD_REQUEST and have a JSON path. */
export const Policy = SentPolicy.pipe((policy, ctx) => {
  const first = new Map<string, number>()
  for (const [index, { name }] of policy.rules.entries()) {
    const earlier = first.get(name)
    if (earlier !== undefined) {
      const expected = `another name than that of rules[${earlier}]`
      return ctx.error({ code: 'predicate', expected, relativePath: ['rules', index, 'name'] })
    }
    first.set(name, index)
  }
  // Without ids, so that an accepted policy can be sent back as it was returned.
  const text = JSON.stringify({ ...policy, rules: policy.rules.map(({ id: _, ...rule }) => rule) })
  const isSmall = text.length <= POLICY_BOUNDS.bytes && Buffer.byteLength(text) <= POLICY_BOUNDS.bytes
  return isSmall ? policy : ctx.error(`at most ${POLICY_BOUNDS.bytes / 1024} KiB of JSON`)
})

/** A parsed policy; its rules get ids when saved. */
export type SentPolicy = typeof Policy.infer
