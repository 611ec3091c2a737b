import { type } from 'arktype'
import { PROPOSAL_STATES } from '../../db/schema.ts'
import { content, linkAnswers } from '../bundles/answers.ts'
import { each, PROPOSABLE_NAMES, type ProposableName } from '../bundles/content.ts'
import { UrlMetadata } from '../bundles/link-shapes.ts'
import { Variables } from '../bundles/variable-shapes.ts'
import { lazy } from '../core/lazy.ts'
import { Time } from '../core/shape.ts'
import { SentPolicy } from '../policies/shapes.ts'

/** A shape for each field that can be proposed, none of which is required. */
const proposable = <Shapes extends Record<ProposableName, unknown>>(shapes: Shapes) =>
  Object.fromEntries(PROPOSABLE_NAMES.map((name) => [`${name}?`, shapes[name]])) as {
    [Name in ProposableName as `${Name}?`]: Shapes[Name]
  }

const changes = lazy(() =>
  type({
    'urls?': 'string[]',
    'urlMetadata?': UrlMetadata.array(),
    'variables?': Variables,
    ...proposable(content()),
    'resolutionPolicy?': SentPolicy.or('null'),
    '+': 'reject',
  }).configure({ named: 'ProposedChanges' }, 'self'),
)

const service = lazy(() => type({ type: "'service'", '+': 'reject' }).configure({ named: 'ServiceAuthor' }, 'self'))

const listed = lazy(
  () =>
    ({
      id: 'string',
      slug: 'string',
      baseVersion: 'number.integer >= 1',
      state: type.enumerated(...PROPOSAL_STATES),
      reason: 'string | null',
      proposedBy: type('string | null').or(service()),
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
    'nextCursor?': 'string',
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

const link = lazy(() => type({ url: 'string', ...linkAnswers(), '+': 'reject' }))

const variable = lazy(() =>
  type({ name: 'string', label: 'string', example: 'string', default: 'string', options: 'string[]', '+': 'reject' }),
)

const textChange = lazy(() =>
  type({ from: 'string', to: 'string', '+': 'reject' }).configure({ named: 'TextChange' }, 'self'),
)

/** What a proposal changes of the version that it is based on; see `BundleDiff`. */
export const Difference = lazy(() =>
  type({
    fields: type(proposable(each(PROPOSABLE_NAMES, () => textChange()))),
    links: type(entry(link())).configure({ named: 'LinkDifference' }, 'self').array(),
    variables: type(entry(variable())).configure({ named: 'VariableDifference' }, 'self').array(),
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
