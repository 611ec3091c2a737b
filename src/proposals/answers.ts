import { type } from 'arktype'
import { PROPOSAL_STATES } from '../../db/schema.ts'
import { TEXT_NAMES, TIME_NAMES, VALUE_NAMES } from '../bundles/content.ts'
import { UrlMetadata } from '../bundles/shapes.ts'
import { lazy } from '../core/lazy.ts'
import { Time } from '../core/shape.ts'
import { SentPolicy } from '../policies/shapes.ts'

const optional = <Name extends string, const Shape>(names: readonly Name[], shape: () => Shape) =>
  Object.fromEntries(names.map((name) => [`${name}?`, shape()])) as { [Key in Name as `${Key}?`]: Shape }

const changes = lazy(() =>
  type({
    'urls?': 'string[]',
    'urlMetadata?': UrlMetadata.array(),
    ...optional(TEXT_NAMES, () => 'string | null' as const),
    ...optional(TIME_NAMES, () => Time().or('null')),
    'resolutionPolicy?': SentPolicy.or('null'),
    '+': 'reject',
  }).configure({ named: 'ProposedChanges' }, 'self'),
)

const listed = lazy(
  () =>
    ({
      id: 'string',
      slug: 'string',
      baseVersion: 'number.integer >= 1',
      state: type.enumerated(...PROPOSAL_STATES),
      reason: 'string | null',
      proposedBy: 'string | null',
      createdAt: Time(),
      'decidedBy?': 'string | null',
      'decidedAt?': Time(),
      'note?': 'string',
      'versionNumber?': 'number.integer >= 1',
    }) as const,
)

/** A proposed edit. */
export const Proposal = lazy(() =>
  type({ ...listed(), changes: changes(), '+': 'reject' }).configure({ named: 'Proposal' }, 'self'),
)

/** Proposals without their changes. */
export const ProposalList = lazy(() =>
  type({
    proposals: type({ ...listed(), '+': 'reject' })
      .configure({ named: 'ListedProposal' }, 'self')
      .array(),
    '+': 'reject',
  }),
)

const change = lazy(() => type({ from: 'unknown', to: 'unknown', '+': 'reject' }))

/** An entry of a list that differs; see `list-diff.ts`. */
const entry = <const Value>(value: Value) =>
  ({
    kind: "'added' | 'removed' | 'kept'",
    'from?': 'number.integer >= 0',
    'to?': 'number.integer >= 0',
    'isMoved?': 'boolean',
    value,
    'changes?': type({ '[string]': change() }),
    '+': 'reject',
  }) as const

const link = lazy(() =>
  type({
    url: 'string',
    note: 'string',
    section: 'string',
    tags: 'string[]',
    openPolicy: "'auto' | 'manual'",
    '+': 'reject',
  }),
)

const textChange = lazy(() =>
  type({ from: 'string', to: 'string', '+': 'reject' }).configure({ named: 'TextChange' }, 'self'),
)

/** What a proposal changes of the version that it is based on; see `BundleDiff`. */
export const Difference = lazy(() =>
  type({
    fields: type(optional(VALUE_NAMES, textChange)),
    links: type(entry(link())).configure({ named: 'LinkDifference' }, 'self').array(),
    rules: type(entry('object')).configure({ named: 'RuleDifference' }, 'self').array(),
    '+': 'reject',
  }).configure({ named: 'Difference' }, 'self'),
)

/** A proposal with what it changes, and what of it clashes with the newest version. */
export const ProposalInFull = lazy(() =>
  type({
    ...listed(),
    changes: changes(),
    difference: Difference(),
    conflicts: type({
      path: 'string',
      base: 'string | null',
      newest: 'string | null',
      proposed: 'string | null',
      '+': 'reject',
    })
      .configure({ named: 'Conflict' }, 'self')
      .array(),
    '+': 'reject',
  }).configure({ named: 'ProposalInFull' }, 'self'),
)
