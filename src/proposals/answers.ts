import { type Type, type } from 'arktype'
import { PROPOSAL_STATES } from '../../db/schema.ts'
import { content, linkAnswers } from '../bundles/content/answers.ts'
import { each, PROPOSABLE_NAMES, type ProposableName } from '../bundles/content/content.ts'
import { CONTENT_DOCS, LINK_DOCS } from '../bundles/content/field-docs.ts'
import { Variables } from '../bundles/content/shapes.ts'
import { LINK_NAMES } from '../bundles/links/link-fields.ts'
import { Slug } from '../core/fields.ts'
import { lazy } from '../core/lazy.ts'
import { NextCursor } from '../core/paging.ts'
import { inOrder, object, says, Time } from '../core/shape.ts'
import { SentPolicy } from '../policies/shapes.ts'
import { BASE_VERSION, ID, REASON } from './shapes.ts'

/** The shapes of the fields that can be proposed, all optional. */
const proposable = <Shapes extends Record<ProposableName, unknown>>(shapes: Shapes) =>
  Object.fromEntries(PROPOSABLE_NAMES.map((name) => [`${name}?`, shapes[name]])) as {
    [Name in ProposableName as `${Name}?`]: Shapes[Name]
  }

const changes = lazy(() =>
  object(
    {
      'urls?': content().urls,
      'urlMetadata?': content().urlMetadata,
      'variables?': says(Variables, ...CONTENT_DOCS.variables),
      ...proposable(content()),
      'resolutionPolicy?': says(SentPolicy.or('null'), ...CONTENT_DOCS.resolutionPolicy),
    },
    'ProposedChanges',
  ),
)

const sentChanges = lazy(() => says(changes(), 'The fields that it changes, as sent.', { title: 'Launch week' }))

const service = lazy(() => object({ type: "'service'" }, 'ServiceAuthor'))

const listed = lazy(
  () =>
    ({
      id: says('string', ...ID),
      slug: Slug,
      baseVersion: says('number.integer >= 1', ...BASE_VERSION),
      state: says(type.enumerated(...PROPOSAL_STATES), '`open` until it is decided.', 'open'),
      reason: says('string | null', ...REASON),
      proposedBy: says(
        type('string | null').or(service()),
        'Who proposed it; null once the account is deleted; { type: "service" } if it repairs a link that has moved or is broken.',
        'u_19xk',
      ),
      createdAt: says(Time(), 'When it was made.', '2026-11-20T09:00:00.000Z'),
      'decidedBy?': says('string | null', 'Who decided or withdrew it; null once the account is deleted.', 'u_19xk'),
      'decidedAt?': says(Time(), 'When that was.', '2026-11-20T10:00:00.000Z'),
      'note?': says('string', 'The message that came with the decision.', 'Not yet.'),
      'versionNumber?': says('number.integer >= 1', 'The version that accepting it made.', 3),
    }) as const,
)

/** A proposed edit. */
export const Proposal = lazy(() => object({ ...listed(), changes: sentChanges() }, 'Proposal'))

export const ListedProposals = lazy(() => object(listed(), 'ListedProposal').array())

/** The answer to list operations: proposals without their changes. */
export const ProposalList = lazy(() =>
  object({ proposals: says(ListedProposals(), 'Newest first.'), 'nextCursor?': NextCursor }),
)

const change = lazy(() =>
  object({ from: says('unknown', 'The value before.'), to: says('unknown', 'The value after.') }),
)

/** A list entry that differs; see `diff.ts`. */
const entry = <const Value>(value: Value) =>
  ({
    kind: says("'added' | 'removed' | 'kept'", '`kept`: in both, but changed or moved.', 'added'),
    'from?': says('number.integer >= 0', 'Its place before, from 0.', 0),
    'to?': says('number.integer >= 0', 'Its place after, from 0.', 1),
    'isMoved?': says('boolean', 'Whether its order changed.', false),
    value,
    'changes?': says({ '[string]': change() }, 'The old and new value of each field that differs.', {}),
  }) as const

const described = lazy(() => {
  const answers = linkAnswers()
  return each(LINK_NAMES, (name): unknown => says(answers[name] as Type, ...LINK_DOCS[name])) as typeof answers
})

const link = lazy(() => object({ url: says('string', 'The URL itself.', 'https://example.com/plan'), ...described() }))

const variable = lazy(() =>
  object({
    name: says('string', 'Its name.', 'id'),
    label: says('string', 'What the launcher calls it; an empty string is its name.', 'Customer number'),
    example: says('string', 'Shows what to fill in; an empty string is none.', '4711'),
    default: says('string', 'The value if none is given; an empty string is none.', '7d'),
    options: says('string[]', 'The only values that it can have; [] for any.', ['7d', '30d']),
  }),
)

const textChange = lazy(() =>
  says(
    object(
      {
        from: says('string', 'The text before; an empty string is none.', 'Launch day'),
        to: says('string', 'The text after; an empty string is none.', 'Launch week'),
      },
      'TextChange',
    ),
    'Its old and new text.',
  ),
)

const textChanges = lazy(() => proposable(each(PROPOSABLE_NAMES, () => textChange())))

/** What a proposal changes in the version that it is based on; see `BundleDiff`. */
export const Difference = lazy(() =>
  object(
    {
      fields: says(
        type(textChanges()).configure(inOrder(textChanges()), 'self'),
        'Texts and times, by name; an empty string is none.',
        { title: { from: 'Launch day', to: 'Launch week' } },
      ),
      links: says(
        object(entry(says(link(), 'The URL with its metadata.')), 'LinkDifference').array(),
        'The URLs that differ, with their metadata.',
      ),
      variables: says(
        object(entry(says(variable(), 'The variable.')), 'VariableDifference').array(),
        'The variables that differ.',
      ),
      rules: says(object(entry(says('object', 'The rule.')), 'RuleDifference').array(), 'The rules that differ.'),
    },
    'Difference',
  ),
)

const conflict = lazy(() =>
  object(
    {
      path: says('string', 'What it is.', 'Title'),
      base: says('string | null', 'The value that both changed; null for none.', 'Launch day'),
      newest: says('string | null', 'Its value in the newest version.', 'Launch eve'),
      proposed: says('string | null', 'Its proposed value.', 'Launch week'),
    },
    'Conflict',
  ),
)

/** A proposal with what it changes, and its conflicts with the newest version. */
export const ProposalInFull = lazy(() =>
  object(
    {
      ...listed(),
      changes: sentChanges(),
      difference: says(Difference(), 'What it changes of the version that it is based on.'),
      conflicts: says(
        conflict().array(),
        'What a newer version changed too; empty if it can be accepted as it is.',
        [],
      ),
    },
    'ProposalInFull',
  ),
)
