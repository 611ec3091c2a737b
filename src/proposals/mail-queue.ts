import { type SQL, sql } from 'drizzle-orm'
import type { Query } from '../../db/client.ts'
import { member, type ProposalMail, proposalMails, proposals, user } from '../../db/schema.ts'
import type { StoredBundle } from '../bundles/roles.ts'
import type { SignedIn } from '../identity/caller.ts'
import type { Mailer } from '../mail/mailer.ts'
import { SWITCHES } from '../mail/switches.ts'
import { PROPOSAL_BOUNDS } from './bounds.ts'
import type { Proposal } from './stored.ts'

// What is to be mailed is noted in the transaction of its cause, so that no mail is lost or made up. `mails.ts` sends it.

/** Of one bundle, a person gets a mail of each kind at most so often. */
export const MAIL_EVERY_MS = 3_600_000

/** Proposals that a mail tells of: the newest; as many as can be open, or as decided ones are kept. */
const MAX_WAITING = Math.max(PROPOSAL_BOUNDS.open, PROPOSAL_BOUNDS.closed)

/** What says whether mails reach anybody; if not, nothing is noted. */
export interface Mailing {
  mailer: Pick<Mailer, 'isConfigured'>
}

/** Notes a new proposal for everybody who may decide it. What somebody’s own key proposes is news to them. */
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
  return noted(mailer, { kind: 'proposed', bundleId, id, at: createdAt }, people)
}

/**
 * Notes a decision for who made the proposal, and no longer tells anybody that the proposal waits for one. Comes after the
 * write that decides it, which may have found it decided already.
 */
export function noteDecided(
  mailer: Mailing['mailer'],
  { id: bundleId }: Pick<StoredBundle, 'id'>,
  { id, proposedBy }: Pick<Proposal, 'id' | 'proposedBy'>,
  { state, decidedBy, decidedAt }: Pick<Proposal, 'state' | 'decidedBy' | 'decidedAt'>,
): Query[] {
  const forget = sql`UPDATE ${proposalMails} SET waiting = ${without([id])} WHERE ${proposalMails.bundleId} = ${bundleId} AND ${proposalMails.kind} = 'proposed' AND NOT EXISTS (SELECT 1 FROM ${proposals} WHERE ${proposals.id} = ${id} AND ${proposals.state} = 'open')`
  if (!mailer.isConfigured) return []
  if (state === 'withdrawn' || proposedBy === null || proposedBy === decidedBy) return [forget]
  const isDone = sql`EXISTS (SELECT 1 FROM ${proposals} WHERE ${proposals.id} = ${id} AND ${proposals.state} = ${state} AND ${proposals.decidedBy} = ${decidedBy} AND ${proposals.decidedAt} = ${decidedAt})`
  const author = sql`${user.id} = ${proposedBy} AND ${isDone}`
  return [forget, ...noted(mailer, { kind: 'decided', bundleId, id, at: decidedAt ?? 0 }, author)]
}

/** What is waiting in a row without some proposals, as JSON. */
export function without(ids: readonly string[]): SQL {
  return sql`(SELECT json_group_array(value) FROM json_each(${proposalMails.waiting}) WHERE value NOT IN (SELECT value FROM json_each(${JSON.stringify(ids)})))`
}

interface Cause {
  kind: ProposalMail
  bundleId: number
  /** Of the proposal. */
  id: string
  at: number
}

function noted(mailer: Mailing['mailer'], { kind, bundleId, id, at }: Cause, people: SQL): Query[] {
  if (!mailer.isConfigured) return []
  const isWanted = sql`${user.emailVerified} AND ${user.disabledAt} IS NULL AND ${SWITCHES[kind]}`
  const room = sql`CASE WHEN json_array_length(${proposalMails.waiting}) < ${MAX_WAITING} THEN ${proposalMails.waiting} ELSE json_remove(${proposalMails.waiting}, '$[0]') END`
  return [
    sql`INSERT INTO ${proposalMails} (user_id, bundle_id, kind, waiting, due_at)
      SELECT ${user.id}, ${bundleId}, ${kind}, json_array(${id}), ${at} FROM ${user} WHERE ${people} AND ${isWanted}
      ON CONFLICT (user_id, bundle_id, kind) DO UPDATE SET waiting = json_insert(${room}, '$[#]', ${id}),
        due_at = coalesce(${proposalMails.dueAt}, max(${at}, coalesce(${proposalMails.sentAt}, 0) + ${MAIL_EVERY_MS}))`,
  ]
}
