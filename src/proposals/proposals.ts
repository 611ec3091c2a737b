import { and, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { readWithCatchUp } from '../../db/catch-up.ts'
import { brokenConstraint, type Store } from '../../db/client.ts'
import { apiKeys, bundles, bundleVersions, type Content, proposals, user } from '../../db/schema.ts'
import { loadFor, type StoredBundle } from '../bundles/access.ts'
import { NAMES, pick } from '../bundles/content.ts'
import { type BundleDiff, diff, isSame } from '../bundles/diff.ts'
import { withoutNewIds } from '../bundles/dry-run.ts'
import { merged } from '../bundles/merge.ts'
import { VERSION_COLUMNS } from '../bundles/stored.ts'
import type { Edit } from '../bundles/versions.ts'
import type { Commit } from '../core/idempotency.ts'
import { Problem } from '../core/problem.ts'
import { randomBase62 } from '../core/secrets.ts'
import type { SignedIn } from '../identity/caller.ts'
import { ownerId } from '../plans/owners.ts'
import { withStoredRuleIds } from '../policies/rule-ids.ts'
import { type Conflict, merge } from './merge.ts'
import { type NewProposal, type OneProposal, PROPOSAL_BOUNDS, type ProposalQuery } from './shapes.ts'

/** A proposal with the names of people and keys, which only pages show. */
export type Proposal = Omit<typeof proposals.$inferSelect, 'bundleId' | 'ownerId' | 'keyId'> & {
  slug: string
  title: string | null
  /** With their current name; null if the account was deleted. */
  proposer: { name: string; email: string } | null
  /** The name of the key that it was made with. */
  keyName: string | null
  decider: { name: string; email: string } | null
}

/** A proposal in a list. */
export type ListedProposal = Omit<Proposal, 'changes'>

/** A proposal with what it means for its bundle. */
export interface ProposalInFull {
  bundle: StoredBundle
  proposal: Proposal
  /** From its base to what is proposed. */
  difference: BundleDiff
  /** The same from the newest version to what accepting it would save; the same as `difference` once it is decided. */
  effect: BundleDiff
  conflicts: Conflict[]
}

/** Who proposes, and how it is written. */
interface Proposing extends Pick<Edit, 'store' | 'blockedHosts' | 'caller'> {
  commit: Commit
}

/**
 * Proposes an edit (decisions 15); changes nothing else.
 * @throws Problem NOT_FOUND, FORBIDDEN, BAD_REQUEST, INVALID_URLS; PLAN_LIMIT beyond what may be open, exact under
 * concurrency.
 */
export async function propose(input: NewProposal, proposing: Proposing): Promise<Proposal> {
  const { slug, baseVersion: sentBase, reason, ...changes } = input
  const { store, caller, commit } = proposing
  const bundle = await loadFor(store.db, caller, slug, 'viewer')
  const baseVersion = sentBase ?? bundle.versionNumber
  const base = await contentOf(store, bundle, baseVersion)
  const proposed = await proposedContent(store.db, bundle, base, changes)
  proposing.blockedHosts.refuse(proposed)
  if (isSame(diff(base, proposed))) {
    throw new Problem(
      'BAD_REQUEST',
      `this would change nothing of version ${baseVersion}: send what should become different`,
    )
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
    ...OPEN,
  }
  try {
    await commit([insertion(store.db, bundle, proposal, caller)], proposal)
  } catch (error) {
    if (!brokenConstraint(error)?.includes('proposals.bundle_id')) throw error
    await loadFor(store.db, caller, slug, 'viewer')
    throw tooMany()
  }
  return proposal
}

const OPEN = {
  state: 'open',
  decidedBy: null,
  decidedAt: null,
  note: null,
  versionNumber: null,
  proposer: null,
  keyName: null,
  decider: null,
} as const

/** Inserts a proposal; violates NOT NULL if the bundle is gone, or too many are open. */
function insertion(db: Store['db'], { id, owner }: StoredBundle, proposal: Proposal, caller: SignedIn) {
  const isOpen = sql`${proposals.state} = 'open'`
  const ofBundle = sql`(SELECT count(*) FROM ${proposals} WHERE ${proposals.bundleId} = ${id} AND ${isOpen})`
  const ofOwner = sql`(SELECT count(*) FROM ${proposals} WHERE ${proposals.ownerId} = ${ownerId(owner)} AND ${isOpen})`
  const isRoom = sql`${ofBundle} < ${PROPOSAL_BOUNDS.open} AND ${ofOwner} < ${PROPOSAL_BOUNDS.openOfOwner}`
  return db.insert(proposals).values({
    ...pick(['id', 'baseVersion', 'changes', 'reason', 'proposedBy', 'createdAt'], proposal),
    bundleId: sql`(SELECT ${bundles.id} FROM ${bundles} WHERE ${bundles.id} = ${id} AND ${bundles.deletedAt} IS NULL AND ${isRoom})`,
    ownerId: ownerId(owner),
    keyId: caller.kind === 'key' ? caller.key.id : null,
  })
}

function tooMany(): Problem {
  const { open, openOfOwner } = PROPOSAL_BOUNDS
  return new Problem(
    'PLAN_LIMIT',
    `At most ${open} proposals may be open for a bundle, and ${openOfOwner} for all bundles of its owner: withdraw one, or ask an editor to decide some.`,
  )
}

/**
 * The proposals of a bundle, newest first.
 * @throws Problem NOT_FOUND, FORBIDDEN.
 */
export async function listOf(
  { db }: Store,
  caller: SignedIn,
  { slug, state }: ProposalQuery,
): Promise<ListedProposal[]> {
  const { id } = await loadFor(db, caller, slug, 'viewer')
  return listedWhere(db, and(eq(proposals.bundleId, id), state === 'all' ? undefined : eq(proposals.state, state)))
}

/** The open proposals of all bundles of the acting subject, newest first; not those of deleted bundles. */
export async function listOpen({ db }: Store, { subject }: SignedIn): Promise<ListedProposal[]> {
  const mine = eq(proposals.ownerId, ownerId(subject))
  return listedWhere(db, and(mine, sql`${proposals.state} = 'open'`, sql`${bundles.deletedAt} IS NULL`))
}

/** The proposals that a user made and that are kept, newest first. */
export function madeBy({ db }: Store, userId: string): Promise<ListedProposal[]> {
  return listedWhere(db, eq(proposals.proposedBy, userId))
}

/** All proposals of a bundle, read one by one because each may be large. */
export async function* allOf({ db }: Store, bundleId: number): AsyncGenerator<Proposal> {
  for (const { id } of await listedWhere(db, eq(proposals.bundleId, bundleId))) {
    const [row] = await whole(db, bundleId, id)
    // Decided and erased meanwhile.
    if (row !== undefined) yield row.proposal
  }
}

/**
 * One proposal, with what it changes and what accepting it would change now.
 * @throws Problem NOT_FOUND, FORBIDDEN.
 */
export async function readInFull(store: Store, caller: SignedIn, { slug, id }: OneProposal): Promise<ProposalInFull> {
  const bundle = await loadFor(store.db, caller, slug, 'viewer')
  const { proposal } = await one(store.db, bundle, id)
  const { base, proposed } = await sidesOf(store, bundle, proposal)
  const difference = diff(base, proposed)
  if (proposal.state !== 'open') return { bundle, proposal, difference, effect: difference, conflicts: [] }
  const { changes, conflicts } = merge(base, bundle, proposed)
  return { bundle, proposal, difference, effect: diff(bundle, { ...bundle, ...changes }), conflicts }
}

/** The content that a proposal started from, and the proposed one. */
export async function sidesOf(store: Store, bundle: StoredBundle, { baseVersion, changes }: Proposal) {
  const base = await contentOf(store, bundle, baseVersion)
  return { base, proposed: await proposedContent(store.db, bundle, base, changes) }
}

/**
 * A proposal of a bundle, and the key that it was made with.
 * @throws Problem NOT_FOUND.
 */
export async function one(db: Store['db'], bundle: StoredBundle, id: string) {
  const [row] = await readWithCatchUp(db, () => whole(db, bundle.id, id))
  if (row !== undefined) return row
  throw new Problem('NOT_FOUND', 'This bundle has no proposal with this id. Old ones are erased once they are decided.')
}

/** A list of one proposal with its changes, or of none. */
async function whole(db: Store['db'], bundleId: number, id: string) {
  const isThis = and(eq(proposals.bundleId, bundleId), eq(proposals.id, id))
  const [[listed], [rest]] = await db.batch([
    listing(db).where(isThis),
    db.select({ changes: proposals.changes, keyId: proposals.keyId }).from(proposals).where(isThis),
  ])
  if (listed === undefined || rest === undefined) return []
  const proposal: Proposal = { ...listed, changes: rest.changes }
  return [{ proposal, keyId: rest.keyId }]
}

/** A bundle's content at a version. */
async function contentOf({ db }: Store, bundle: StoredBundle, versionNumber: number): Promise<Content> {
  if (versionNumber === bundle.versionNumber) return pick(NAMES, bundle)
  const [version] = await readWithCatchUp(db, () =>
    db
      .select(VERSION_COLUMNS)
      .from(bundleVersions)
      .where(and(eq(bundleVersions.bundleId, bundle.id), eq(bundleVersions.versionNumber, versionNumber)))
      .all(),
  )
  if (version !== undefined) return pick(NAMES, version)
  throw new Problem('BAD_REQUEST', `baseVersion must be a version of this bundle: it is at ${bundle.versionNumber} now`)
}

/** The content that a proposal asks for; rules that are new to the base have no ids. */
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
  return { ...content, resolutionPolicy: withoutNewIds(policy, newIds) }
}

const [proposer, decider] = [alias(user, 'proposer'), alias(user, 'decider')]

/** As `realEmail`. */
const addressOf = {
  proposer: sql<string>`coalesce(${proposer.takenEmail}, ${proposer.email})`,
  decider: sql<string>`coalesce(${decider.takenEmail}, ${decider.email})`,
}

const { bundleId: _, ownerId: __, keyId: ___, changes: ____, ...own } = getTableColumns(proposals)

/** Proposals without their changes, with names. */
function listing(db: Store['db']) {
  return db
    .select({
      ...own,
      slug: bundles.slug,
      title: bundles.title,
      proposer: { name: proposer.name, email: addressOf.proposer },
      keyName: apiKeys.name,
      decider: { name: decider.name, email: addressOf.decider },
    })
    .from(proposals)
    .innerJoin(bundles, eq(bundles.id, proposals.bundleId))
    .leftJoin(proposer, eq(proposer.id, proposals.proposedBy))
    .leftJoin(decider, eq(decider.id, proposals.decidedBy))
    .leftJoin(apiKeys, eq(apiKeys.id, proposals.keyId))
}

function listedWhere(db: Store['db'], where: SQL | undefined): Promise<ListedProposal[]> {
  return readWithCatchUp(db, () =>
    listing(db).where(where).orderBy(desc(proposals.createdAt), desc(proposals.id)).all(),
  )
}
