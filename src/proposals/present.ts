import type { ProposedChanges, Variable } from '../../db/schema.ts'
import { omit } from '../bundles/content/content.ts'
import type { BundleDiff } from '../bundles/content/diff.ts'
import type { StoredBundle } from '../bundles/edit/bundles.ts'
import { iso } from '../core/time.ts'
import type { Difference } from './answers.ts'
import type { Conflict } from './merge.ts'
import type { ListedProposal, Proposal } from './stored.ts'

/** The service as the author of a proposal. */
const SERVICE = { type: 'service' } as const

export function toListed(proposal: ListedProposal) {
  const {
    id,
    slug,
    baseVersion,
    state,
    reason,
    proposedBy,
    repairs,
    createdAt,
    decidedBy,
    decidedAt,
    note,
    versionNumber,
  } = proposal
  return {
    id,
    slug,
    baseVersion,
    state,
    reason,
    proposedBy: repairs === null ? proposedBy : SERVICE,
    createdAt: iso(createdAt),
    ...(decidedAt === null ? {} : { decidedBy, decidedAt: iso(decidedAt) }),
    ...(note === null ? {} : { note }),
    ...(versionNumber === null ? {} : { versionNumber }),
  }
}

export function toProposal(proposal: Proposal) {
  return { ...toListed(proposal), changes: proposal.changes as Required<ProposedChanges> }
}

/** A proposal with its effects on the bundle. */
export interface ProposalInFull {
  bundle: StoredBundle
  proposal: Proposal
  /** The difference between its base and the proposed content. */
  difference: BundleDiff
  /** The difference between the newest version and what accepting it would save; once it is decided, equal to `difference`. */
  effect: BundleDiff
  /** The changes that accepting it would save, without conflicts. */
  changes: Proposal['changes']
  /** The proposed rules, for a conflict about them. */
  proposedPolicy: Proposal['changes']['resolutionPolicy']
  conflicts: Conflict[]
  /** The variables of the proposal, the bundle and the base, whose labels describe rules in words. */
  named: readonly Variable[]
}

/** A proposal with what it changes, as the API answers it. */
export function toFull({ proposal, difference, conflicts }: ProposalInFull) {
  // The schema cannot express read-only lists.
  const shown = difference as unknown as ReturnType<typeof Difference>['infer']
  return {
    ...toProposal(proposal),
    difference: shown,
    conflicts: conflicts.map((conflict) => omit(['field', 'conditions'], conflict)),
  }
}
