import { and, type SQL, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { param, prepared, preparedStatements } from '../../db/prepared.ts'
import { bundles, owners } from '../../db/schema.ts'
import type { Paged } from '../core/paging.ts'
import { fitting, MAX_MESSAGE, piecesOf } from '../core/parts.ts'
import type { SignedIn, Subject } from '../identity/caller.ts'
import { inLongReadSlot, waitForReadSlot } from '../operations/read-slots.ts'
import { subjectIdOf } from '../plans/owners.ts'
import { eachShape, isListed, matching, ORDERS, ownerOf, type Searching, type Shape, searched } from './list-order.ts'
import { pinnedIn, type Sized } from './pinned.ts'
import type { StoredBundle } from './roles.ts'
import { foundInIndex, indexCondition } from './search.ts'
import type { Listing } from './shapes.ts'
import { contentBytes } from './stored.ts'

/** A bundle in a list of somebody’s. */
export type ListedBundle = StoredBundle & { isPinned: boolean }

/** A page of a subject's bundles. */
export interface Listed extends Paged {
  bundles: ListedBundle[]
  /** How many of them fit into one message. */
  inMessage: number
  /** Counts the entries of all pages, which takes longer than reading one page. */
  count(): Promise<number>
  subject: Subject
}

/**
 * Lists the active subject’s bundles, those that the caller has pinned first.
 * @param listing `q` is searched for in slugs, titles, descriptions, links, notes and tags, ignoring case; `tag` must
 * equal a link's tag exactly.
 */
export async function list(store: Store, caller: SignedIn, listing: Listing): Promise<Listed> {
  const { limit, offset } = listing
  const { page, count } = isLong(listing) ? longList(store, caller, listing) : shortList(store, caller, listing)
  const pinned = await pinnedIn(store, caller, listing)
  // One more than asked for, to learn whether there is another page.
  const first = pinned.slice(offset, offset + limit + 1)
  const rest = { limit: limit + 1 - first.length, offset: Math.max(0, offset - pinned.length) }
  const { rows, inMessage } = await page(first, { ...rest, pinned: JSON.stringify(pinned.map(({ id }) => id)) })
  const shown = rows.slice(0, limit)
  const isFirst = new Set(first.map(({ id }) => id))
  return {
    bundles: shown.map(
      ({ addressHash: _, ...bundle }): ListedBundle => ({
        ...bundle,
        owner: caller.subject,
        isPinned: isFirst.has(bundle.id),
      }),
    ),
    inMessage: Math.min(inMessage, shown.length),
    count,
    pagination: { limit, offset },
    hasMore: rows.length > limit,
    subject: caller.subject,
  }
}

type Row = typeof bundles.$inferSelect

/** No pinned bundles. */
const NONE = '[]'

/** Whether a bundle is not among those in the placeholder `pinned`. */
const isUnpinned = () => sql`${bundles.id} NOT IN (SELECT value FROM json_each(${sql.placeholder('pinned')}))`

/** A page without the pinned bundles, whose ids are a list in JSON. */
interface Rest {
  limit: number
  offset: number
  pinned: string
}

interface Queries {
  /** @param first the pinned bundles on the page. */
  page(first: readonly Sized[], rest: Rest): Promise<{ rows: Row[]; inMessage: number }>
  count: Listed['count']
}

/** Entries that a page may skip in the order of an index, without taking long. */
const MAX_SHORT_OFFSET = 1_000

/** Whether a page may take long, because more than its entries must be read. */
function isLong({ q, tag, sort, offset }: Listing): boolean {
  return q !== undefined || tag !== undefined || sort === 'title' || offset > MAX_SHORT_OFFSET
}

/** A list in the order of an index, without conditions that the index does not have. */
function shortList({ db }: Store, caller: SignedIn, { sort, state }: Listing): Queries {
  const { subject, userId } = caller
  const queries = short(db)({ sort, state, subject: subject.type })
  const { smallPage, sizes, count } = queries
  const owner = subjectIdOf(subject)
  return {
    async page(first, rest) {
      await waitForReadSlot(userId)
      const rows = rest.pinned === NONE ? await smallPage.all({ owner, ...rest }) : []
      if (rows.length > 0) return { rows, inMessage: rest.limit }
      return read(queries, caller, [...first, ...(await sizes.all({ owner, ...rest }))])
    },
    async count() {
      await waitForReadSlot(userId)
      return (await count.all({ owner }))[0]?.total ?? 0
    },
  }
}

/** Short queries. */
const short = prepared((db) =>
  eachShape((shape: Shape) => ({
    /** For who has pinned none. Empty where the owner's bundles may not fit into one message. */
    smallPage: db
      .select()
      .from(bundles)
      .where(isListed(shape, ifSmall(ownerOf(shape.subject))))
      .orderBy(...ORDERS[shape.sort])
      .limit(sql.placeholder('limit'))
      .offset(sql.placeholder('offset'))
      .prepare(),
    sizes: db
      .select({ id: bundles.id, bytes: contentBytes() })
      .from(bundles)
      .where(and(isListed(shape), isUnpinned()))
      .orderBy(...ORDERS[shape.sort])
      .limit(sql.placeholder('limit'))
      .offset(sql.placeholder('offset'))
      .prepare(),
    count: db.select({ total: sql<number>`count(*)` }).from(bundles).where(isListed(shape)).prepare(),
    /**
     * Some may be gone since their ids were found. CASE, so that SQLite reads these bundles, and does not look for them
     * among all of the owner.
     */
    byIds: db
      .select()
      .from(bundles)
      .where(
        sql`${bundles.id} IN (SELECT value FROM json_each(${sql.placeholder('ids')})) AND CASE WHEN ${isListed(shape)} THEN 1 END`,
      )
      .prepare(),
  })),
)

/**
 * Reads the bundles of a page, a megabyte at a time: reads of a file block the event loop.
 * @returns those that were not deleted meanwhile, and how many fit into one message.
 */
async function read(
  { byIds }: ReturnType<ReturnType<typeof short>>,
  { subject, userId }: SignedIn,
  page: readonly Sized[],
): Promise<{ rows: Row[]; inMessage: number }> {
  const rows: Row[] = []
  for (const piece of piecesOf(page)) {
    await waitForReadSlot(userId)
    const ids = JSON.stringify(piece.map(({ id }) => id))
    const found = await byIds.all({ owner: subjectIdOf(subject), ids })
    const byId = new Map(found.map((row) => [row.id, row]))
    rows.push(...piece.flatMap(({ id }) => byId.get(id) ?? []))
  }
  return { rows, inMessage: fitting(page) }
}

/**
 * The owner's id if all their bundles fit into one message, because all their versions do; else null. As a condition of its
 * own, SQLite would check it for each bundle of the owner.
 */
function ifSmall(ownerId: SQL): SQL<number> {
  return sql<number>`(SELECT ${owners.id} FROM ${owners} WHERE ${owners.id} = ${ownerId} AND ${owners.historyBytes} <= ${sql.raw(String(MAX_MESSAGE))})`
}

/** Any list: long reads find the ids and sizes, short ones read the bundles of the page. */
function longList(store: Store, caller: SignedIn, listing: Listing): Queries {
  const { subject, userId } = caller
  const { q, tag, sort, state } = listing
  const texts = [q, tag].filter((text) => text !== undefined)
  const indexed = indexCondition(texts)
  const shape = { sort, state, subject: subject.type, isSearch: q !== undefined, isTagged: tag !== undefined }
  const owner = subjectIdOf(subject)
  const values = { owner, indexed, ...searched({ q, tag }) }
  /** Asks the index; if it finds too many, reads the list in its order. */
  const find = async (what: LongShape['what'], rest: Rest | null): Promise<unknown> => {
    for (const by of indexed === null ? (['order'] as const) : (['index', 'order'] as const)) {
      const [query] = long(store.db, { ...shape, what, by }, { ...values, ...rest })
      const found = query === undefined ? null : await inLongReadSlot(userId, () => store.readLong(query))
      if (found !== null) return found
    }
    return null
  }
  return {
    async page(first, rest) {
      const found = JSON.parse(String((await find('page', rest)) ?? '[]')) as [id: number, bytes: number][]
      const page = found.map(([id, bytes]): Sized => ({ id, bytes }))
      return read(short(store.db)({ sort, state, subject: subject.type }), caller, [...first, ...page])
    },
    count: async () => Number(await find('count', null)),
  }
}

type LongShape = Shape & Searching & { what: 'page' | 'count'; by: 'index' | 'order' }

/** If the index finds more, a page is soon full in its own order. */
const MAX_FOUND = 500

const long = preparedStatements((_, { what, by, ...shape }: LongShape) => {
  const { sort, subject } = shape
  const where = matching(shape)
  const answer = (from: SQL): SQL =>
    what === 'count'
      ? sql`SELECT count(*) FROM ${from} WHERE ${where}`
      : sql`SELECT json_group_array(json_array(id, bytes)) FROM (SELECT ${bundles.id}, ${contentBytes()} AS bytes FROM ${from} WHERE ${where} AND ${isUnpinned()} ORDER BY ${sql.join(ORDERS[sort], sql`, `)} LIMIT ${param('limit')} OFFSET ${param('offset')})`
  if (by === 'order') return [answer(sql`${bundles}`)]
  // CROSS JOIN, so that SQLite reads the bundles found, and not all in the order of the page.
  const among = sql`(SELECT DISTINCT id FROM found) AS each_found CROSS JOIN ${bundles} ON ${bundles.id} = each_found.id`
  return [
    sql`WITH found(id) AS MATERIALIZED (${foundInIndex(ownerOf(subject))} LIMIT ${sql.raw(String(MAX_FOUND + 1))})
      SELECT CASE WHEN (SELECT count(*) FROM found) <= ${sql.raw(String(MAX_FOUND))} THEN (${answer(among)}) END`,
  ]
})
