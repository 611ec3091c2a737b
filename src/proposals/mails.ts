import { type SQL, sql } from 'drizzle-orm'
import type { Query } from '../../db/client.ts'
import { member, notices, type ProposalMail, proposals, user } from '../../db/schema.ts'
import type { StoredBundle } from '../bundles/edit/bundles.ts'
import type { SignedIn } from '../identity/caller.ts'
import { type Mailing, noted, without } from '../mail/notices.ts'
import { PROPOSAL_BOUNDS } from './shapes.ts'
import type { Proposal } from './stored.ts'

/** The most proposals in a mail, the newest ones: as many as can be open, or as decided ones are kept. */
const MAX_WAITING = Math.max(PROPOSAL_BOUNDS.open, PROPOSAL_BOUNDS.closed)

/** Notes a new proposal for everybody who may decide it. A person is also notified of proposals by their own key. */
export function noteProposed(
  mailer: Mailing['mailer'],
  { id: bundleId, owner }: Pick<StoredBundle, 'id' | 'owner'>,
  { id, createdAt }: Proposal,
  caller: SignedIn,
): Query[] {
  const editors =
    owner.type === 'user'
      ? sql`${user.id} = ${owner.userId}`
      : sql`${user.id} IN (SELECT ${member.userId} FROM ${member} WHERE ${member.organizationId} = ${owner.organizationId} AND ${member.role} <> 'viewer')`
  const people = caller.kind === 'session' ? sql`${editors} AND ${user.id} <> ${caller.userId}` : editors
  return notedOf(mailer, { kind: 'proposed', bundleId, id, at: createdAt }, people)
}

/**
 * Notes a decision for the author of the proposal, and removes the proposal from mails about open ones. Must follow the write
 * that decides it, which may have found it already decided.
 */
export function noteDecided(
  mailer: Mailing['mailer'],
  { id: bundleId }: Pick<StoredBundle, 'id'>,
  { id, proposedBy }: Pick<Proposal, 'id' | 'proposedBy'>,
  { state, decidedBy, decidedAt }: Pick<Proposal, 'state' | 'decidedBy' | 'decidedAt'>,
): Query[] {
  const forget = sql`UPDATE ${notices} SET waiting = ${without([id])} WHERE ${notices.bundleId} = ${bundleId} AND ${notices.kind} = 'proposed' AND NOT EXISTS (SELECT 1 FROM ${proposals} WHERE ${proposals.id} = ${id} AND ${proposals.state} = 'open')`
  if (!mailer.isConfigured) return []
  if (state === 'withdrawn' || proposedBy === null || proposedBy === decidedBy) return [forget]
  const isDone = sql`EXISTS (SELECT 1 FROM ${proposals} WHERE ${proposals.id} = ${id} AND ${proposals.state} = ${state} AND ${proposals.decidedBy} = ${decidedBy} AND ${proposals.decidedAt} = ${decidedAt})`
  const author = sql`${user.id} = ${proposedBy} AND ${isDone}`
  return [forget, ...notedOf(mailer, { kind: 'decided', bundleId, id, at: decidedAt ?? 0 }, author)]
}

interface Cause {
  kind: ProposalMail
  bundleId: number
  /** The id of the proposal. */
  id: string
  at: number
}

function notedOf(mailer: Mailing['mailer'], { kind, bundleId, id, at }: Cause, people: SQL): Query[] {
  return noted(mailer, { kind, bundleId, ids: sql`json_array(${id})`, most: MAX_WAITING, dueAt: at }, people)
}
