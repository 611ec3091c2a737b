import { and, desc, eq, getTableColumns, isNotNull, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { apiKeys, bundles, member, owners, proposals, user } from '../../db/schema.ts'
import { each } from '../bundles/content.ts'
import { loadFor, type StoredBundle } from '../bundles/roles.ts'
import { keyIn, nextCursor, type Part, TimeKey } from '../core/cursor.ts'
import { Problem } from '../core/problem.ts'
import type { SignedIn } from '../identity/caller.ts'
import { realEmailIn } from '../identity/sessions.ts'
import { ownerId, ownerIdOf, subjectIdOf } from '../plans/owners.ts'
import type { ProposalQuery } from './shapes.ts'

/** A proposal with the names of people and keys, which only pages show. */
export type Proposal = Omit<typeof proposals.$inferSelect, 'bundleId' | 'ownerId' | 'keyId' | 'bytes'> & {
  slug: string
  title: string | null
  /** With their current name; null if the account was deleted. */
  proposer: { name: string; email: string } | null
  keyName: string | null
  decider: { name: string; email: string } | null
}

export type ListedProposal = Omit<Proposal, 'changes'>

/** A page of a list; without `nextCursor`, the last. */
export interface ProposalPage {
  proposals: ListedProposal[]
  nextCursor?: string
}

/** The proposals of a bundle, newest first. @throws Problem NOT_FOUND, FORBIDDEN. */
export async function listOf(
  { db }: Store,
  caller: SignedIn,
  { slug, state, ...part }: ProposalQuery,
): Promise<ProposalPage> {
  const { id } = await loadFor(db, caller, slug, 'viewer')
  const isListed = and(eq(proposals.bundleId, id), state === 'all' ? undefined : eq(proposals.state, state))
  return pageWhere(db, isListed, part)
}

/** The open proposals of all bundles of the acting subject, newest first; not those of deleted bundles. */
export async function listOpen({ db }: Store, { subject }: SignedIn, part: Part): Promise<ProposalPage> {
  return pageWhere(db, isOpenOf(ownerId(subject)), part)
}

/** How many proposals for bundles of the acting subject are open. */
export async function countOpen({ db }: Store, subject: SignedIn['subject']): Promise<number> {
  const [row] = await openIn[subject.type](db).all({ owner: subjectIdOf(subject) })
  return row?.open ?? 0
}

const openIn = each(['user', 'organization'], (type) =>
  prepared((db) =>
    db
      .select({ open: sql<number>`count(*)` })
      .from(proposals)
      .innerJoin(bundles, eq(bundles.id, proposals.bundleId))
      .where(isOpenOf(ownerIdOf(type, sql.placeholder('owner'))))
      .prepare(),
  ),
)

/** Whether a proposal is open, as indexes have it. */
export const IS_OPEN = sql`${proposals.state} = 'open'`

/** How many proposals are open for the bundle with a slug; 0 if there is none. */
export async function countOpenFor({ db }: Store, slug: string): Promise<number> {
  const [row] = await openFor(db).all({ slug })
  return row?.open ?? 0
}

const openFor = prepared((db) =>
  db
    .select({ open: sql<number>`count(*)` })
    .from(proposals)
    .innerJoin(bundles, eq(bundles.id, proposals.bundleId))
    .where(and(eq(bundles.slug, sql.placeholder('slug')), IS_OPEN))
    .prepare(),
)

/**
 * How many proposals are open for each of several bundles, by id; a bundle without any is missing.
 * @param ids of bundles that the caller may see.
 */
export async function countsOpen({ db }: Store, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const counts = await openByBundle(db).all({ ids: JSON.stringify(ids) })
  return new Map(counts.map(({ id, open }) => [id, open]))
}

const openByBundle = prepared((db) =>
  db
    .select({ id: proposals.bundleId, open: sql<number>`count(*)` })
    .from(proposals)
    .where(and(sql`${proposals.bundleId} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`, IS_OPEN))
    .groupBy(proposals.bundleId)
    .prepare(),
)

/** Whether a proposal is open and its bundle, which is not deleted, an owner’s. */
function isOpenOf(owner: SQL) {
  return and(eq(proposals.ownerId, owner), IS_OPEN, sql`${bundles.deletedAt} IS NULL`)
}

/**
 * The proposals that a user made and that are kept, newest first. Of a bundle that they may no longer read, as they made it: what
 * became of it since is not told to former members.
 */
export async function madeBy({ db }: Store, userId: string): Promise<ListedProposal[]> {
  const isTheirs = eq(proposals.proposedBy, userId)
  const isMember = and(eq(member.organizationId, owners.organizationId), eq(member.userId, userId))
  const [found, readable] = await Promise.all([
    listedWhere(db, isTheirs),
    db
      .select({ id: proposals.id })
      .from(proposals)
      .innerJoin(owners, eq(owners.id, proposals.ownerId))
      .leftJoin(member, isMember)
      .where(and(isTheirs, or(eq(owners.userId, userId), isNotNull(member.id)))),
  ])
  const ids = new Set(readable.map(({ id }) => id))
  return found.map((proposal) => (ids.has(proposal.id) ? proposal : { ...proposal, ...OPEN, decider: null }))
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
 * A proposal of a bundle, and the key that it was made with.
 * @throws Problem NOT_FOUND.
 */
export async function one(db: Store['db'], bundle: StoredBundle, id: string) {
  const [row] = await whole(db, bundle.id, id)
  if (row !== undefined) return row
  throw new Problem('NOT_FOUND', 'This bundle has no proposal with this id. Old ones are erased once they are decided.')
}

/** What a proposal has not got before it is decided. */
export const OPEN = { state: 'open', decidedBy: null, decidedAt: null, note: null, versionNumber: null } as const

/** A list of one proposal with its changes, or of none. */
export async function whole(db: Store['db'], bundleId: number, id: string) {
  const isThis = and(eq(proposals.bundleId, bundleId), eq(proposals.id, id))
  const [[listed], [rest]] = await db.batch([
    listing(db).where(isThis),
    db.select({ changes: proposals.changes, keyId: proposals.keyId }).from(proposals).where(isThis),
  ])
  if (listed === undefined || rest === undefined) return []
  const proposal: Proposal = { ...listed, changes: rest.changes }
  return [{ proposal, keyId: rest.keyId }]
}

const [proposer, decider] = [alias(user, 'proposer'), alias(user, 'decider')]

const { bundleId: _, ownerId: __, keyId: ___, changes: ____, bytes: _____, ...own } = getTableColumns(proposals)

/** Proposals without their changes, with names. */
function listing(db: Store['db']) {
  return db
    .select({
      ...own,
      slug: bundles.slug,
      title: bundles.title,
      proposer: { name: proposer.name, email: realEmailIn(proposer) },
      keyName: apiKeys.name,
      decider: { name: decider.name, email: realEmailIn(decider) },
    })
    .from(proposals)
    .innerJoin(bundles, eq(bundles.id, proposals.bundleId))
    .leftJoin(proposer, eq(proposer.id, proposals.proposedBy))
    .leftJoin(decider, eq(decider.id, proposals.decidedBy))
    .leftJoin(apiKeys, eq(apiKeys.id, proposals.keyId))
}

function listedWhere(db: Store['db'], where: SQL | undefined, limit = -1): Promise<ListedProposal[]> {
  return listing(db).where(where).orderBy(desc(proposals.createdAt), desc(proposals.id)).limit(limit).all()
}

async function pageWhere(db: Store['db'], where: SQL | undefined, { limit, cursor }: Part): Promise<ProposalPage> {
  const key = keyIn(cursor, TimeKey)
  const isAfter = key === null ? undefined : sql`(${proposals.createdAt}, ${proposals.id}) < (${key[0]}, ${key[1]})`
  const found = await listedWhere(db, and(where, isAfter), limit === undefined ? undefined : limit + 1)
  const page = found.slice(0, limit)
  return { proposals: page, ...nextCursor(page, found.length > page.length, ({ createdAt, id }) => [createdAt, id]) }
}
