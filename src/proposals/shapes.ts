import { type } from 'arktype'
import { PROPOSAL_STATES } from '../../db/schema.ts'
import { GUARDED_NAMES, type GuardedName, NAMES } from '../bundles/content.ts'
import { changesLinks, isEitherWay, linkChanges } from '../bundles/link-shapes.ts'
import { isAtMostAsLong, sent } from '../bundles/shapes.ts'
import { part } from '../core/cursor.ts'
import { refuse } from '../core/shape.ts'
import { lines } from '../core/text-shapes.ts'
import { PROPOSAL_BOUNDS } from './bounds.ts'

const proposable = Object.fromEntries(
  Object.entries(sent).filter(([key]) => !GUARDED_NAMES.some((name) => key === `${name}?`)),
) as Omit<typeof sent, `${GuardedName}?`>

const Text = lines(PROPOSAL_BOUNDS.text)
const VERSION = '1 <= number.integer <= 999999999999999'
const ID = '0 < string <= 40'

/** The body of POST /api/links/:slug/proposals, with the slug of its path: that of an edit, and why. */
export const NewProposal = type({
  slug: 'string',
  ...proposable,
  ...linkChanges,
  'baseVersion?': VERSION,
  'reason?': Text,
  '+': 'reject',
})
  .narrow(isAtMostAsLong)
  .narrow(isEitherWay)
  .narrow((edit, ctx) => NAMES.some((name) => name in edit) || changesLinks(edit) || refuse(ctx, { code: 'no_change' }))

export type NewProposal = typeof NewProposal.infer

/** The query of GET /api/links/:slug/proposals. */
export const ProposalQuery = type({
  slug: 'string',
  state: type.enumerated(...PROPOSAL_STATES, 'all').default('open'),
  ...part,
  '+': 'reject',
})

export type ProposalQuery = typeof ProposalQuery.infer

/** The proposal in a path. */
export const OneProposal = type({ slug: 'string', id: ID, '+': 'reject' })

export type OneProposal = typeof OneProposal.infer

/** The body of an acceptance: what is saved instead of what merging gives. Metadata needs its URLs: it is parallel to them. */
export const Acceptance = type({ slug: 'string', id: ID, ...proposable, '+': 'reject' })
  .narrow(isAtMostAsLong)
  .narrow(
    ({ urls, urlMetadata }: { urls?: string[]; urlMetadata?: unknown[] }, ctx) =>
      urlMetadata === undefined || urls !== undefined || refuse(ctx, { code: 'metadata_without_urls' }, 'urlMetadata'),
  )

export type Acceptance = typeof Acceptance.infer

/** The body of a rejection. */
export const Rejection = type({ slug: 'string', id: ID, 'note?': Text, '+': 'reject' })

export type Rejection = typeof Rejection.infer
