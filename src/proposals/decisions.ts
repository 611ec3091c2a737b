import { and, desc, eq, ne, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { bundles, outbox, type ProposedChanges, proposals } from '../../db/schema.ts'
import { loadFor, type StoredBundle } from '../bundles/edit/bundles.ts'
import { type Edit, nextContent, writeVersion } from '../bundles/edit/edit.ts'
import { Problem } from '../core/problem.ts'
import { joinList } from '../core/words.ts'
import type { SignedIn } from '../identity/caller.ts'
import type { Mailing } from '../mail/notices.ts'
import { noteDecided } from './mails.ts'
import { type Conflict, merge } from './merge.ts'
import { sidesOf } from './proposals.ts'
import { type Acceptance, type OneProposal, PROPOSAL_BOUNDS, type Rejection } from './shapes.ts'
import { one, type Proposal } from './stored.ts'

/** The parameters for deciding proposals and noting mails about it. */
interface Deciding extends Mailing {
  store: Store
}

/**
 * Accepts a proposal: merges it onto the newest version, and saves the result as one version. One of several concurrent
 * decisions wins; concurrent edits each get a version.
 * @throws Problem NOT_FOUND, FORBIDDEN, VERSION_CONFLICT, PLAN_LIMIT, BAD_REQUEST, INVALID_URLS; PROPOSAL_CONFLICT if it
 * is not open, or conflicts with a newer version.
 */
export function accept(
  edit: Omit<Edit, 'slug'> & Deciding,
  { slug, id, note, ...instead }: Acceptance,
): Promise<StoredBundle> {
  const { store, mailer, caller } = edit
  return writeVersion({ ...edit, slug }, async (bundle) => {
    const { proposal } = await one(store.db, bundle, id)
    refuseDecided(proposal)
    const { base, proposed } = await sidesOf(store, bundle, proposal)
    const { changes, conflicts } = merge(base, bundle, proposed)
    refuseConflicts(conflicts.filter(({ field }) => !isSent(field, instead)))
    const next = await nextContent(edit, bundle, withSent(changes, instead))
    const decided = {
      state: 'accepted',
      decidedBy: caller.userId,
      decidedAt: Date.now(),
      note: note?.trim() || null,
    } as const
    const writes = (versionNumber: number): Query[] => [
      sql`UPDATE ${bundles} SET version_number = NULL WHERE ${bundles.id} = ${bundle.id} AND NOT EXISTS (SELECT 1 FROM ${proposals} WHERE ${openOne(bundle, id)})`,
      store.db
        .update(proposals)
        .set({ ...decided, versionNumber })
        .where(openOne(bundle, id)),
      ...noteDecided(mailer, bundle, proposal, decided),
      eraseOld(store.db, bundle),
    ]
    return { ...next, acceptance: { proposedBy: proposal.proposedBy, writes } }
  })
}

/**
 * Rejects an open proposal, with a note to its author.
 * @throws Problem NOT_FOUND, FORBIDDEN; PROPOSAL_CONFLICT if it is not open.
 */
export async function reject(deciding: Deciding, caller: SignedIn, rejection: Rejection): Promise<Proposal> {
  const { slug, id, note } = rejection
  const bundle = await loadFor(deciding.store.db, caller, slug, 'editor')
  const decided = { state: 'rejected', decidedBy: caller.userId, note: note?.trim() || null } as const
  return (await close(deciding, bundle, id, decided)) ?? reject(deciding, caller, rejection)
}

/**
 * Withdraws the caller’s own open proposal. A key can withdraw only those made with it: it must not end those of a person.
 * @throws Problem NOT_FOUND, FORBIDDEN; PROPOSAL_CONFLICT if it is not open.
 */
export async function withdraw(deciding: Deciding, caller: SignedIn, mine: OneProposal): Promise<Proposal> {
  const { slug, id } = mine
  const { db } = deciding.store
  const bundle = await loadFor(db, caller, slug, 'viewer')
  const { proposal, keyId } = await one(db, bundle, id)
  const isOwn = proposal.proposedBy === caller.userId && (caller.kind === 'session' || caller.key.id === keyId)
  if (!isOwn) {
    const what = caller.kind === 'session' ? 'Only who made this proposal' : 'Only the key that made this proposal'
    throw new Problem('FORBIDDEN', `${what} can withdraw it; an editor can reject it.`)
  }
  const decided = { state: 'withdrawn', decidedBy: caller.userId, note: null } as const
  return (await close(deciding, bundle, id, decided)) ?? withdraw(deciding, caller, mine)
}

/** Closes an open proposal. @returns null, having written nothing, if the bundle now belongs to another owner. */
async function close(
  { store, mailer }: Deciding,
  bundle: StoredBundle,
  id: string,
  decided: Pick<Proposal, 'state' | 'decidedBy' | 'note'>,
): Promise<Proposal | null> {
  const { proposal } = await one(store.db, bundle, id)
  refuseDecided(proposal)
  const decidedAt = Date.now()
  const [result] = await store.write([
    store.db
      .update(proposals)
      .set({ ...decided, decidedAt })
      .where(openOne(bundle, id)),
    ...noteDecided(mailer, bundle, proposal, { ...decided, decidedAt }),
    eraseOld(store.db, bundle),
  ])
  if (result?.rowsAffected === 1) return { ...proposal, ...decided, decidedAt }
  refuseDecided((await one(store.db, bundle, id)).proposal)
  return null
}

/** The condition for a proposal that is open and for the owner for whom the caller may decide. */
function openOne({ id: bundleId, ownerId }: StoredBundle, id: string) {
  const isTheirs = eq(proposals.ownerId, sql`${ownerId}`)
  return and(eq(proposals.id, id), eq(proposals.bundleId, bundleId), eq(proposals.state, 'open'), isTheirs)
}

/** Erases a bundle's older decided proposals, except some that still have to be sent to a webhook. */
function eraseOld(db: Store['db'], { id }: StoredBundle): Query {
  const isClosed = and(eq(proposals.bundleId, id), ne(proposals.state, 'open'))
  const newest = (count: number) =>
    db
      .select({ id: proposals.id })
      .from(proposals)
      .where(isClosed)
      .orderBy(desc(proposals.decidedAt), desc(proposals.id))
      .limit(count)
  const isUntold = sql`EXISTS (SELECT 1 FROM ${outbox} WHERE ${outbox.proposalId} = ${proposals.id} AND ${outbox.sentAt} IS NULL)`
  const isOld = sql`${proposals.id} NOT IN ${newest(PROPOSAL_BOUNDS.closed)}`
  const isKept = and(isUntold, sql`${proposals.id} IN ${newest(PROPOSAL_BOUNDS.untold)}`)
  return db.delete(proposals).where(and(isClosed, isOld, sql`NOT (${isKept})`))
}

function refuseDecided({ state, versionNumber }: Proposal): void {
  if (state === 'open') return
  const what = state === 'accepted' ? `accepted, as version ${versionNumber}` : state
  throw new Problem('PROPOSAL_CONFLICT', `This proposal has already been ${what}.`)
}

/** How many conflicts an error names. */
const MAX_NAMED = 5

function refuseConflicts(conflicts: readonly Conflict[]): void {
  if (conflicts.length === 0) return
  const named = conflicts.slice(0, MAX_NAMED).map(({ path }) => path)
  const rest = conflicts.length - named.length
  const what = joinList(rest === 0 ? named : [...named, `${rest} more`], 'and')
  const how = [...new Set(conflicts.map(({ field }) => SENT_AS[field] ?? field))]
  throw new Problem(
    'PROPOSAL_CONFLICT',
    `This proposal and a newer version both changed ${what}. get_proposal shows both; accept it with what to save as ${joinList(how, 'and')}, or reject it.`,
  )
}

/** The fields of an edit that decide conflicts, where their names differ. */
const SENT_AS: Partial<Record<Conflict['field'], string>> = { links: 'urls', rules: 'resolutionPolicy' }

/** Whether the acceptance has the field of a conflict, and so decides it. */
function isSent(field: Conflict['field'], sent: ProposedChanges): boolean {
  return (SENT_AS[field] ?? field) in sent
}

/** The merged changes, replaced by those sent; URLs sent alone keep the metadata of the newest version. */
function withSent({ urls, urlMetadata, ...changes }: ProposedChanges, sent: ProposedChanges): ProposedChanges {
  const links = urls === undefined || urlMetadata === undefined || sent.urls !== undefined ? {} : { urls, urlMetadata }
  return { ...links, ...changes, ...sent }
}
