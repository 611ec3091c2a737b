import { type } from 'arktype'
import { BASES, type Condition, type Tab as StoredTab } from '../../db/policy.ts'
import { randomBase62 } from '../core/secrets.ts'
import { checked, object, refuse, refusing, type ShapeOf, says } from '../core/shape.ts'
import { line, lines, Url, withText } from '../core/text-shapes.ts'
import { readCondition } from './conditions.ts'

// Descriptions of fields that are both sent and answered, each with an example.

export const TAB_DOCS = {
  url: ['The tab’s URL: http: or https:.', 'https://example.com/plan'],
  note: ['A line shown below it.', 'Read this first'],
  section: ['The heading above it; neighbours with the same share it.', 'Before you start'],
} as const

export const RULE_DOCS = {
  id: ['Send it back to keep the rule’s identity; omit it for a new rule.', 'r_4fGk2bNq8Z'],
  name: ['The rule’s name, unique within the policy.', 'Acme staff'],
  showBadge: ['Whether matching viewers see “For: <name>”.', true],
  when: ['Which viewers the rule is for.', { op: 'equals', field: 'emailDomain', value: 'acme.com' }],
  base: ['`bundle`: its current links come before `tabs`.', 'bundle'],
  omit: ['Those of them to leave out, by URL.', ['https://example.com/press']],
  tabs: ['The tabs that matching viewers get: all, or after `base`.', [{ url: 'https://example.com/plan' }]],
} as const

export const RULES_DOC = 'Tried in order; the first match wins.'

export const POLICY_DOC =
  'Shows different viewers different tabs; null for none. If none matches, the viewer gets `urls`. ' +
  'At most 128 KiB of JSON. For example, {"version":1,"rules":[{"name":"Acme staff","when":{"op":"equals","field":' +
  '"emailDomain","value":"acme.com"},"tabs":[{"url":"https://intranet.acme.com/plan"}]}]} shows people ' +
  'at acme.com their own plan.'

export const MATCHED_RULE_ID = ['The rule that the viewer matched; null if none.', 'r_4fGk2bNq8Z'] as const

export const MATCHED = ['Whether it matches this viewer.', true] as const

/** The description of a condition, also for documents of tools and `docs/policies.md`. */
export const CONDITION_DOC =
  'A condition on the viewer. and, or (`of`: conditions) and not (`of`: one) combine up to 4 levels. ' +
  'equals, startsWith, endsWith, contains (`field`, `value`) and in (`field`, `values`) compare a field with a string, ' +
  'ignoring case; exists (`field`): it is known; signedIn; before, after (`field`: now, `value`: a time with its UTC ' +
  'offset); timeWindow (`days`, `from`, `to`, `timeZone`). Fields: emailDomain (verified, of a signed-in viewer), ' +
  'orgRole (viewer, editor, admin), language (such as de-AT), client (browser, agent, script), device (desktop, ' +
  'mobile, tablet), os, browser (such as ios, firefox), country (two letters), referrerDomain, query.<name> (of a ' +
  'variable: its value). An unknown field does not match.'

const RANDOM_LENGTH = 10

const RULE_ID = /^r_[0-9A-Za-z]{10}$/

/** Whether a text has the format of a rule's id. */
export function isRuleId(text: string): boolean {
  return RULE_ID.test(text)
}

export function newRuleId(): string {
  return `r_${randomBase62(RANDOM_LENGTH)}`
}

/** Limits of a policy, in entries, Unicode code points and bytes of JSON. */
export const POLICY_BOUNDS = {
  rules: 50,
  tabs: 20,
  omit: 25,
  name: 120,
  note: 500,
  section: 60,
  bytes: 128 * 1024,
} as const

/** A condition tree in canonical form; each error has its path in the tree. */
const When = type('object')
  .as<Condition>()
  // Read here and again below: a pipe runs only when everything else is valid, which would hide its errors.
  .narrow((raw, ctx) => {
    const read = readCondition(raw)
    if (!Array.isArray(read)) return true
    for (const { path, reason } of read) refuse(ctx, reason, ...path)
    return false
  })
  .describe('a condition: an object with an op')
  .configure({ $ref: '#/$defs/Condition' }, 'self')
  .pipe((raw) => readCondition(raw) as Condition)

const Tab = object(
  {
    url: says(Url, ...TAB_DOCS.url),
    'note?': says(lines(POLICY_BOUNDS.note), ...TAB_DOCS.note),
    'section?': says(line(POLICY_BOUNDS.section).narrow(withText), ...TAB_DOCS.section),
  } as const satisfies ShapeOf<StoredTab>,
  'NewTab',
)

const Rule = object(
  {
    'id?': says(
      type('string').narrow(
        refusing({ pattern: RULE_ID.source }, (id: string) => (isRuleId(id) ? null : { code: 'not_a_rule_id' })),
      ),
      ...RULE_DOCS.id,
    ),
    name: says(line(POLICY_BOUNDS.name).narrow(withText), ...RULE_DOCS.name),
    'showBadge?': says('boolean', ...RULE_DOCS.showBadge),
    when: says(When, ...RULE_DOCS.when),
    'base?': says(type.enumerated(...BASES), ...RULE_DOCS.base),
    'omit?': says(Url.array().atMostLength(POLICY_BOUNDS.omit), ...RULE_DOCS.omit),
    tabs: says(Tab.array().atMostLength(POLICY_BOUNDS.tabs), ...RULE_DOCS.tabs),
  },
  'NewRule',
)

/** A policy as sent: rules may lack ids. */
export const SentPolicy = object(
  { version: '1', rules: says(Rule.array().atMostLength(POLICY_BOUNDS.rules), RULES_DOC) },
  'Policy',
)

const canonical = SentPolicy.narrow(({ rules }, ctx) => {
  const first = new Map<string, number>()
  let isFit = true
  const refuseRule: typeof refuse = (...refused) => (isFit = refuse(...refused))
  for (const [index, { name, base = 'none', omit = [], tabs }] of rules.entries()) {
    const rule = first.get(name)
    if (rule === undefined) first.set(name, index)
    else refuseRule(ctx, { code: 'name_taken', rule }, 'rules', index, 'name')
    if (base === 'bundle') continue
    if (omit.length > 0) refuseRule(ctx, { code: 'omit_without_bundle' }, 'rules', index, 'omit')
    if (tabs.length === 0) refuseRule(ctx, { code: 'too_few', limit: 1, of: 'entry' }, 'rules', index, 'tabs')
  }
  return isFit
}).pipe((policy, ctx) => {
  // Measured without ids, so that an accepted policy can be sent back as it was returned.
  const text = JSON.stringify({ ...policy, rules: policy.rules.map(({ id: _, ...rule }) => rule) })
  const isSmall = text.length <= POLICY_BOUNDS.bytes && Buffer.byteLength(text) <= POLICY_BOUNDS.bytes
  const reason = { code: 'policy_too_large', kib: POLICY_BOUNDS.bytes / 1024 } as const
  return isSmall ? policy : ctx.error({ code: 'predicate', reason } as { code: 'predicate' })
})

/** A policy in canonical form, of a bounded size. */
export const Policy = checked(SentPolicy, canonical)

/** A policy in canonical form, or null for none. */
export const PolicyOrNone = says(Policy.or('null'), POLICY_DOC).configure({ whole: Policy }, 'self')

/** A parsed policy; its rules get ids when saved. */
export type SentPolicy = typeof Policy.infer
