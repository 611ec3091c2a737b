import { type } from 'arktype'
import { PROPOSAL_STATES } from '../../db/schema.ts'
import { GUARDED_NAMES, type GuardedName, NAMES } from '../bundles/content/content.ts'
import { isAtMostAsLong, sent } from '../bundles/content/shapes.ts'
import { changesLinks, isEitherWay, linkChanges } from '../bundles/links/link-shapes.ts'
import { Slug } from '../core/fields.ts'
import { part } from '../core/paging.ts'
import { checked, object, refuse, says } from '../core/shape.ts'
import { lines } from '../core/text-shapes.ts'

// Descriptions of the fields of proposals that are both sent and answered, each with an example.

export const ID = ['Identifies the proposal.', 'p_4fGk2bNq8Z'] as const
export const REASON = ['Why; shown to the editors who decide.', 'It takes until Friday.'] as const
export const BASE_VERSION = ['The version that the changes are based on; the newest if omitted.', 2] as const

/** Limits of proposals: the length of a text in Unicode code points, and numbers of proposals. */
export const PROPOSAL_BOUNDS = {
  text: 500,
  /** Open ones for a bundle. */
  open: 20,
  /** Open ones for all of an owner's bundles. */
  openOfOwner: 200,
  /** Decided ones kept for a bundle: the newest. */
  closed: 20,
  /** The same if they still have to be sent to a webhook. */
  untold: 200,
  /** Total bytes for all of an owner's bundles, with the overhead of rows; beyond it the oldest decided ones are erased. */
  bytesOfOwner: 16 * 2 ** 20,
} as const

const proposable = Object.fromEntries(
  Object.entries(sent).filter(([key]) => !GUARDED_NAMES.some((name) => key === `${name}?`)),
) as Omit<typeof sent, `${GuardedName}?`>

const Text = lines(PROPOSAL_BOUNDS.text)
const VERSION = '1 <= number.integer <= 999999999999999'
const Id = says('0 < string <= 40', ...ID)

const proposed = object({
  slug: Slug,
  ...proposable,
  ...linkChanges,
  'baseVersion?': says(VERSION, ...BASE_VERSION),
  'reason?': says(Text, ...REASON),
})

/** The body of POST /api/links/:slug/proposals, with the slug of its path: the fields of an edit, and a reason. */
export const NewProposal = checked(
  proposed,
  proposed
    .narrow(isAtMostAsLong)
    .narrow(isEitherWay)
    .narrow(
      (edit, ctx) => NAMES.some((name) => name in edit) || changesLinks(edit) || refuse(ctx, { code: 'no_change' }),
    ),
)

export type NewProposal = typeof NewProposal.infer

/** The query of GET /api/links/:slug/proposals. */
export const ProposalQuery = object({
  slug: Slug,
  state: says(type.enumerated(...PROPOSAL_STATES, 'all'), 'Lists those in this state, or all.', 'open').default('open'),
  ...part,
})

export type ProposalQuery = typeof ProposalQuery.infer

/** The proposal in a path. */
export const OneProposal = object({ slug: Slug, id: Id })

export type OneProposal = typeof OneProposal.infer

/** A message to whoever made the proposal. */
const note = says(Text, 'To whoever made it.', 'We moved this to another bundle.')

const accepted = object({ slug: Slug, id: Id, ...proposable, 'note?': note })

/**
 * The body of an acceptance: values to save instead of merged ones, and a message. Metadata needs its URLs, because it is
 * parallel to them.
 */
export const Acceptance = checked(
  accepted,
  accepted
    .narrow(isAtMostAsLong)
    .narrow(
      ({ urls, urlMetadata }: { urls?: string[]; urlMetadata?: unknown[] }, ctx) =>
        urlMetadata === undefined ||
        urls !== undefined ||
        refuse(ctx, { code: 'metadata_without_urls' }, 'urlMetadata'),
    ),
)

export type Acceptance = typeof Acceptance.infer

/** The body of a rejection. */
export const Rejection = object({
  slug: Slug,
  id: Id,
  'note?': note,
})

export type Rejection = typeof Rejection.infer
