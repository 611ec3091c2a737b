import { type } from 'arktype'
import type { Condition, Tab as StoredTab, Traced } from '../../db/policy.ts'
import { lazy } from '../core/lazy.ts'
import type { ShapeOf } from '../core/shape.ts'

const Tab = lazy(() =>
  type({
    url: 'string',
    'note?': 'string',
    'section?': 'string',
    '+': 'reject',
  } as const satisfies ShapeOf<StoredTab>).configure({ named: 'Tab' }, 'self'),
)

/** A saved policy, whose rules have ids. */
export const SavedPolicy = lazy(() =>
  type({
    version: '1',
    rules: type({
      id: 'string',
      name: 'string',
      'showBadge?': 'boolean',
      when: type('object').configure({ $ref: '#/$defs/Condition' }, 'self').as<Condition>(),
      tabs: Tab().array(),
      '+': 'reject',
    })
      .configure({ named: 'Rule' }, 'self')
      .array(),
    '+': 'reject',
  }).configure({ named: 'SavedPolicy' }, 'self'),
)

/** The tabs that a viewer would get, and why. */
export const Preview = lazy(() =>
  type({
    matchedRuleId: 'string | null',
    matchedRuleName: 'string | null',
    tabs: Tab().array(),
    trace: type({
      ruleId: 'string',
      name: 'string',
      matched: 'boolean',
      condition: type('object').configure({ $ref: '#/$defs/TracedCondition' }, 'self').as<Traced>(),
      '+': 'reject',
    }).array(),
    warnings: type({ path: 'string', message: 'string', '+': 'reject' }).array(),
    '+': 'reject',
  }),
)

/** The same as a value; `trace` has every rule in order, including those after the match. */
export type Preview = ReturnType<typeof Preview>['infer']
