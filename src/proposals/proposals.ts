import { and, eq, type SQL, sql } from 'drizzle-orm'
import { brokenConstraint, type Query, type Store } from '../../db/client.ts'
import { bundles, bundleVersions, type Content, owners, proposals } from '../../db/schema.ts'
import { NAMES, omit, pick } from '../bundles/content/content.ts'
import { diff, isSame } from '../bundles/content/diff.ts'
import { loadFor, type StoredBundle } from '../bundles/edit/bundles.ts'
import { dropNewIds } from '../bundles/edit/dry-run.ts'
import { type Edit, merged } from '../bundles/edit/edit.ts'
import { VERSION_COLUMNS } from '../bundles/edit/stored.ts'
import { changesLinks, checkSentLinks, withWholeLists } from '../bundles/links/link-shapes.ts'
import { refuseUnfitTemplates } from '../bundles/variables/placeholders.ts'
import { Problem } from '../core/problem.ts'
import { randomBase62 } from '../core/secrets.ts'
import { mebibytes } from '../core/words.ts'
import type { SignedIn, Subject } from '../identity/caller.ts'
import type { Mailing } from '../mail/notices.ts'
import type { Commit } from '../operations/idempotency.ts'
import { ownerId } from '../plans/owners.ts'
import { withStoredRuleIds } from '../policies/rule-ids.ts'
import { noteProposed } from './mails.ts'
import { merge } from './merge.ts'
import type { ProposalInFull } from './present.ts'
import { type NewProposal, type OneProposal, PROPOSAL_BOUNDS } from './shapes.ts'
import { IS_OPEN, OPEN, one, type Proposal } from './stored.ts'

/** Who proposes, and how the proposal is written. */
interface Proposing extends Pick<Edit, 'store' | 'blockedHosts' | 'caller'>, Mailing {
  commit: Commit
}

/**
 * Proposes an edit; changes nothing else.
 * @throws Problem NOT_FOUND, FORBIDDEN, BAD_REQUEST, INVALID_URLS; PLAN_LIMIT beyond the limits of open proposals, exact
 * under concurrency.
 */
export async function propose(input: NewProposal, proposing: Proposing): Promise<Proposal> {
  const { slug, baseVersion: sentBase, reason } = input
  const { store, mailer, caller, commit } = proposing
  const bundle = await loadFor(store.db, caller, slug, 'viewer')
  const baseVersion = sentBase ?? bundle.versionNumber
  const base = await contentOf(store, bundle, baseVersion)
  const changes = withWholeLists(base, changesIn(input))
  const proposed = await proposedContent(store.db, bundle, base, changes)
  checkSentLinks(input, proposed, () => {
    proposing.blockedHosts.refuse(proposed)
    refuseUnfitTemplates(proposed)
  })
  if (isSame(diff(base, proposed))) {
    throw new Problem('BAD_REQUEST', `this would change nothing in version ${baseVersion}: send the fields to change`)
  }
  const proposal: Proposal = {
    id: `p_${randomBase62(10)}`,
    slug: bundle.slug,
    title: bundle.title,
    baseVersion,
    changes,
    reason: reason?.trim() || null,
    proposedBy: caller.userId,
    createdAt: Date.now(),
    repairs: null,
    ...OPEN,
    proposer: null,
    keyName: null,
    decider: null,
  }
  try {
    // The input of a repeated call has the changes, which may be large, but not the lists made of changes to single links.
    const { urls, urlMetadata } = changes
    const made = changesLinks(input) && urls && urlMetadata ? { urls, urlMetadata } : {}
    const kept = { ...proposal, changes: made }
    const inserts = [insertion(store.db, bundle, proposal, caller), ...noteProposed(mailer, bundle, proposal, caller)]
    await commit([...inserts, ...withinBytes(bundle.owner)], kept)
  } catch (error) {
    const broken = brokenConstraint(error)
    if (isTooLarge(broken)) throw tooLarge()
    if (!broken?.includes('proposals.bundle_id')) throw error
    await loadFor(store.db, caller, slug, 'viewer')
    throw tooMany()
  }
  return proposal
}

/** The proposed fields of an edit. */
function changesIn(input: NewProposal) {
  return omit(['slug', 'baseVersion', 'reason'], input)
}

/** The answer to a repeated call, from what was stored for the first. */
export function replayed(first: Proposal, input: NewProposal): Proposal {
  const changes = omit(['addUrls', 'removeUrls', 'setMetadata'], changesIn(input))
  return { ...first, changes: { ...changes, ...first.changes } }
}

/** The condition that a proposal counts against the limits of open ones: those by the service have their own limit. */
const IS_COUNTED = sql`${IS_OPEN} AND ${proposals.repairs} IS NULL`

/** Inserts a proposal; violates NOT NULL if the bundle is gone or has another owner by now, or too many are open. */
function insertion(db: Store['db'], { id, owner }: StoredBundle, proposal: Proposal, caller: SignedIn) {
  const ofBundle = sql`(SELECT count(*) FROM ${proposals} WHERE ${proposals.bundleId} = ${id} AND ${IS_COUNTED})`
  const isRoom = sql`${ofBundle} < ${PROPOSAL_BOUNDS.open} AND ${openOfOwner(owner)} < ${PROPOSAL_BOUNDS.openOfOwner}`
  return db.insert(proposals).values({
    ...pick(['id', 'baseVersion', 'changes', 'reason', 'proposedBy', 'createdAt'], proposal),
    bundleId: sql`(SELECT ${bundles.id} FROM ${bundles} WHERE ${bundles.id} = ${id} AND ${bundles.ownerId} = ${ownerId(owner)} AND ${bundles.deletedAt} IS NULL AND ${isRoom})`,
    ownerId: ownerId(owner),
    keyId: caller.kind === 'key' ? caller.key.id : null,
  })
}

/** The condition that a new owner has room for the open proposals of a bundle. */
export function hasRoomFor(bundleId: number, owner: Subject): SQL {
  const moving = sql`(SELECT count(*) FROM ${proposals} WHERE ${proposals.bundleId} = ${bundleId} AND ${IS_COUNTED})`
  return sql`${openOfOwner(owner)} + ${moving} <= ${PROPOSAL_BOUNDS.openOfOwner}`
}

function openOfOwner(owner: Subject): SQL {
  return sql`(SELECT count(*) FROM ${proposals} WHERE ${proposals.ownerId} = ${ownerId(owner)} AND ${IS_COUNTED})`
}

/** The most decided proposals erased at once. With the overhead of their rows, this many are larger than any one proposal. */
const ERASED_AT_ONCE = 1000

/**
 * Erases decided proposals for an owner's bundles, oldest first, while the total size is too large; then violates NOT NULL if
 * it still is.
 */
export function withinBytes(owner: Subject): Query[] {
  const id = ownerId(owner)
  const excess = sql`(SELECT ${owners.proposalBytes} - ${PROPOSAL_BOUNDS.bytesOfOwner} FROM ${owners} WHERE ${owners.id} = ${id})`
  const oldest = sql`SELECT id, sum(size) OVER (ORDER BY decided_at, id) - size AS freed FROM
    (SELECT id, decided_at, ${proposals.bytes} AS size FROM ${proposals} WHERE ${proposals.ownerId} = ${id} AND ${proposals.decidedAt} IS NOT NULL ORDER BY ${proposals.decidedAt} LIMIT ${ERASED_AT_ONCE})`
  return [
    sql`DELETE FROM ${proposals} WHERE ${excess} > 0 AND id IN (SELECT id FROM (${oldest}) WHERE freed < ${excess})`,
    sql`UPDATE ${owners} SET proposal_bytes = NULL WHERE ${owners.id} = ${id} AND ${owners.proposalBytes} > ${PROPOSAL_BOUNDS.bytesOfOwner}`,
  ]
}

/** Whether `withinBytes` failed a transaction. @param broken the violated constraint. */
export function isTooLarge(broken: string | null): boolean {
  return broken?.includes('owners.proposal_bytes') ?? false
}

/** The error if an owner's open proposals have too many bytes. */
export function tooLarge(): Problem {
  return new Problem(
    'PLAN_LIMIT',
    `The open proposals for all bundles of this owner take ${mebibytes(PROPOSAL_BOUNDS.bytesOfOwner)}, the most there can be: withdraw one, or ask an editor to decide some.`,
  )
}

/** The error if a bundle or its owner has too many open proposals. */
export function tooMany(): Problem {
  const { open, openOfOwner } = PROPOSAL_BOUNDS
  return new Problem(
    'PLAN_LIMIT',
    `At most ${open} proposals may be open for a bundle, and ${openOfOwner} for all bundles of its owner: withdraw one, or ask an editor to decide some.`,
  )
}

/**
 * One proposal, with what it changes and what accepting it now would change.
 * @throws Problem NOT_FOUND, FORBIDDEN.
 */
export async function readInFull(store: Store, caller: SignedIn, { slug, id }: OneProposal): Promise<ProposalInFull> {
  const bundle = await loadFor(store.db, caller, slug, 'viewer')
  const { proposal } = await one(store.db, bundle, id)
  const { base, proposed } = await sidesOf(store, bundle, proposal)
  const difference = diff(base, proposed)
  const proposedPolicy = proposed.resolutionPolicy
  const named = [proposed, bundle, base].flatMap(({ variables }) => variables)
  const whole = { bundle, proposal, difference, proposedPolicy, named }
  if (proposal.state !== 'open') return { ...whole, effect: difference, changes: {}, conflicts: [] }
  const { changes, conflicts } = merge(base, bundle, proposed)
  return { ...whole, effect: diff(bundle, { ...bundle, ...changes }), changes, conflicts }
}

/** The content on which a proposal is based, and the proposed content. */
export async function sidesOf(store: Store, bundle: StoredBundle, { baseVersion, changes }: Proposal) {
  const base = await contentOf(store, bundle, baseVersion)
  return { base, proposed: await proposedContent(store.db, bundle, base, changes) }
}

async function contentOf({ db }: Store, bundle: StoredBundle, versionNumber: number): Promise<Content> {
  if (versionNumber === bundle.versionNumber) return pick(NAMES, bundle)
  const [version] = await db
    .select(VERSION_COLUMNS)
    .from(bundleVersions)
    .where(and(eq(bundleVersions.bundleId, bundle.id), eq(bundleVersions.versionNumber, versionNumber)))
    .all()
  if (version !== undefined) return pick(NAMES, version)
  throw new Problem('BAD_REQUEST', `baseVersion must be a version of this bundle: it is at ${bundle.versionNumber} now`)
}

/** The proposed content; rules that are not in the base have no ids. */
async function proposedContent(
  db: Store['db'],
  bundle: StoredBundle,
  base: Content,
  { resolutionPolicy, ...changes }: Proposal['changes'],
) {
  const content = merged(base, changes)
  if (resolutionPolicy === undefined || resolutionPolicy === null) {
    return { ...content, resolutionPolicy: resolutionPolicy === null ? null : base.resolutionPolicy }
  }
  const saved = { id: bundle.id, resolutionPolicy: base.resolutionPolicy }
  const { policy, newIds } = await withStoredRuleIds(db, saved, resolutionPolicy)
  return { ...content, resolutionPolicy: dropNewIds(policy, newIds) }
}
