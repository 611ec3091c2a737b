import type { Variable } from '../../db/schema.ts'
import type { BundleDiff } from '../bundles/diff.ts'
import type { StoredBundle } from '../bundles/roles.ts'
import type { Difference } from './answers.ts'
import type { Conflict } from './merge.ts'
import { toProposal } from './present.ts'
import type { Proposal } from './stored.ts'

/** A proposal with what it means for its bundle. */
export interface ProposalInFull {
  bundle: StoredBundle
  proposal: Proposal
  /** From its base to what is proposed. */
  difference: BundleDiff
  /** The same from the newest version to what accepting it would save; the same as `difference` once it is decided. */
  effect: BundleDiff
  /** What accepting it would save, without what is in conflict. */
  changes: Proposal['changes']
  /** The proposed rules, for a conflict about them. */
  proposedPolicy: Proposal['changes']['resolutionPolicy']
  conflicts: Conflict[]
  /** What is proposed of them, those of the bundle and of the base, by whose labels rules are said. */
  named: readonly Variable[]
}

/** A proposal with what it changes. */
export function toFull({ proposal, difference, conflicts }: ProposalInFull) {
  // The schema has no words for read-only lists.
  const shown = difference as unknown as ReturnType<typeof Difference>['infer']
  return {
    ...toProposal(proposal),
    difference: shown,
    conflicts: conflicts.map(({ field: _, conditions: __, ...conflict }) => conflict),
  }
}
