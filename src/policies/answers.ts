import { type } from 'arktype'
import { BASES, type Condition, type Tab as StoredTab, type Traced } from '../../db/policy.ts'
import { Warnings } from '../core/fields.ts'
import { lazy } from '../core/lazy.ts'
import { object, type ShapeOf, says } from '../core/shape.ts'
import { MATCHED, MATCHED_RULE_ID, RULE_DOCS, RULES_DOC, TAB_DOCS } from './shapes.ts'

const Tab = lazy(() =>
  object(
    {
      url: says('string', ...TAB_DOCS.url),
      'note?': says('string', ...TAB_DOCS.note),
      'section?': says('string', ...TAB_DOCS.section),
    } as const satisfies ShapeOf<StoredTab>,
    'Tab',
  ),
)

/** A saved policy, whose rules have ids. */
export const SavedPolicy = lazy(() => object({ version: '1', rules: says(rule().array(), RULES_DOC) }, 'SavedPolicy'))

/** What a rule's tabs begin with; absent where they replace the bundle's. */
export const base = lazy(() => ({
  'base?': says(type.enumerated(...BASES), ...RULE_DOCS.base),
  'omit?': says('string[]', ...RULE_DOCS.omit),
}))

const rule = lazy(() =>
  object(
    {
      id: says('string', ...RULE_DOCS.id),
      name: says('string', ...RULE_DOCS.name),
      'showBadge?': says('boolean', ...RULE_DOCS.showBadge),
      when: says(type('object').configure({ $ref: '#/$defs/Condition' }, 'self').as<Condition>(), ...RULE_DOCS.when),
      ...base(),
      tabs: says(Tab().array(), ...RULE_DOCS.tabs),
    },
    'Rule',
  ),
)

const ruleTrace = lazy(() =>
  object(
    {
      ruleId: says('string', 'The rule.', 'r_4fGk2bNq8Z'),
      name: says('string', 'The rule’s name.', 'Acme staff'),
      ...base(),
      matched: says('boolean', ...MATCHED),
      condition: says(
        type('object').configure({ $ref: '#/$defs/TracedCondition' }, 'self').as<Traced>(),
        'The rule’s condition, with the result of each of its nodes.',
      ),
    },
    'RuleTrace',
  ),
)

/** The tabs that a viewer would get, and why. */
export const Preview = lazy(() =>
  object({
    matchedRuleId: says('string | null', ...MATCHED_RULE_ID),
    matchedRuleName: says('string | null', 'The name of that rule.', 'Acme staff'),
    tabs: says(Tab().array(), ...RULE_DOCS.tabs),
    trace: says(
      ruleTrace().array(),
      'Every rule in order, including those after the match, with the result of each of its conditions.',
    ),
    warnings: Warnings(),
  }),
)

/** A preview as a value; `trace` has every rule in order, including those after the match. */
export type Preview = ReturnType<typeof Preview>['infer']
