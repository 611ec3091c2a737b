import type { ProposedChanges } from '../../db/schema.ts'
import { iso } from '../core/time.ts'
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
