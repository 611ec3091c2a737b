import { and, desc, eq, getTableColumns, isNotNull, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { apiKeys, bundles, member, owners, proposals, user } from '../../db/schema.ts'
import { each, omit } from '../bundles/content/content.ts'
import { loadFor, type StoredBundle } from '../bundles/edit/bundles.ts'
import { keyIn, nextCursor, type Part, TimeKey } from '../core/paging.ts'
import { Problem } from '../core/problem.ts'
import type { SignedIn } from '../identity/caller.ts'
import { realEmailIn } from '../identity/sessions.ts'
import { ownerId, ownerIdOf, subjectIdOf } from '../plans/owners.ts'
import type { ProposalQuery } from './shapes.ts'

/** A proposal with the names of people and keys, which only pages show. */
export type Proposal = Omit<typeof proposals.$inferSelect, 'bundleId' | 'ownerId' | 'keyId' | 'bytes'> & {
  slug: string
  title: string | null
  /** The author's current name and email; null if the account was deleted. */
  proposer: { name: string; email: string } | null
  keyName: string | null
  decider: { name: string; email: string } | null
}

export type ListedProposal = Omit<Proposal, 'changes'>

/** A page of a list; the last has no `nextCursor`. */
export interface ProposalPage {
  proposals: ListedProposal[]
  nextCursor?: string
}

/** The proposals for a bundle, newest first. @throws Problem NOT_FOUND, FORBIDDEN. */
export async function listOf(
  { db }: Store,
  caller: SignedIn,
  { slug, state, ...part }: ProposalQuery,
): Promise<ProposalPage> {
  const { id } = await loadFor(db, caller, slug, 'viewer')
  const isListed = and(eq(proposals.bundleId, id), state === 'all' ? undefined : eq(proposals.state, state))
  return pageWhere(db, isListed, part)
}

/** The open proposals for all bundles of the acting subject, newest first; not those for deleted bundles. */
export async function listOpen({ db }: Store, { subject }: SignedIn, part: Part): Promise<ProposalPage> {
  return pageWhere(db, isOpenOf(ownerId(subject)), part)
}

/** The number of open proposals for bundles of the acting subject. */
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

/** The condition that a proposal is open, written as in indexes. */
export const IS_OPEN = sql`${proposals.state} = 'open'`

/** The number of open proposals for the bundle with a slug; 0 if there is no such bundle. */
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
 * The number of open proposals for each of several bundles, by id; bundles without any are missing.
 * @param ids bundles that the caller may see.
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

/** The condition that a proposal is open, for an owner’s bundle that is not deleted. */
function isOpenOf(owner: SQL) {
  return and(eq(proposals.ownerId, owner), IS_OPEN, sql`${bundles.deletedAt} IS NULL`)
}

/**
 * The stored proposals that a user made, newest first. Those for bundles that they may no longer read appear as open: former
 * members do not learn of decisions.
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

/** All proposals for a bundle, read one by one because each may be large. */
export async function* allOf({ db }: Store, bundleId: number): AsyncGenerator<Proposal> {
  for (const { id } of await listedWhere(db, eq(proposals.bundleId, bundleId))) {
    const [row] = await whole(db, bundleId, id)
    // Missing if it was decided and erased meanwhile.
    if (row !== undefined) yield row.proposal
  }
}

/**
 * A proposal for a bundle, and the key with which it was made.
 * @throws Problem NOT_FOUND.
 */
export async function one(db: Store['db'], bundle: StoredBundle, id: string) {
  const [row] = await whole(db, bundle.id, id)
  if (row !== undefined) return row
  throw new Problem('NOT_FOUND', 'This bundle has no proposal with this id. Old ones are erased once they are decided.')
}

/** The values of a proposal's state before it is decided. */
export const OPEN = { state: 'open', decidedBy: null, decidedAt: null, note: null, versionNumber: null } as const

/** A list with one proposal, its changes and its key, or empty. */
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

const NOT_SHOWN = ['bundleId', 'ownerId', 'keyId', 'changes', 'bytes'] as const
const own = omit(NOT_SHOWN, getTableColumns(proposals))

/** The query for proposals without their changes, with the names of people and keys. */
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
