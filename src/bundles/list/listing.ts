import { type Type, type } from 'arktype'
import { and, type SQL, sql } from 'drizzle-orm'
import type { Store } from '../../../db/client.ts'
import { isUnread } from '../../../db/feed.ts'
import { param, prepared, preparedStatements } from '../../../db/prepared.ts'
import { bundleChanges, bundles, owners, pins } from '../../../db/schema.ts'
import { keyIn, nextCursor, noCursor, type Paged } from '../../core/paging.ts'
import { fitting, MAX_MESSAGE, piecesOf } from '../../core/parts.ts'
import { inLongReadSlot, waitForReadSlot } from '../../core/scheduling.ts'
import type { SignedIn, Subject } from '../../identity/caller.ts'
import { subjectIdOf } from '../../plans/owners.ts'
import type { Listing } from '../content/shapes.ts'
import type { StoredBundle } from '../edit/bundles.ts'
import { contentBytes } from '../edit/stored.ts'
import {
  eachShape,
  isAfter,
  isListed,
  matching,
  ORDERS,
  ownerOf,
  type Searching,
  type Shape,
  searched,
  shapeOf,
} from './list-order.ts'
import { entryOf, fold, ownerTerm } from './search.ts'

type Row = typeof bundles.$inferSelect

/** The JSON for no pinned bundles. */
const NONE = '[]'

/** The condition that a bundle is not among those in the placeholder `pinned`. */
const isUnpinned = () => sql`${bundles.id} NOT IN (SELECT value FROM json_each(${sql.placeholder('pinned')}))`

/** The part of a page without pinned bundles; `pinned` is the JSON list of their ids. */
interface Rest {
  limit: number
  offset: number
  pinned: string
  key: Place['key']
  keyId: Place['keyId']
}

interface Queries {
  /** @param first the pinned bundles on the page. */
  page(first: readonly Sized[], rest: Rest): Promise<{ rows: Row[]; inMessage: number }>
  /** The number of entries on all pages. */
  count(): Promise<number>
}

/** A listing with whether its page begins after an entry. */
type Found = Listing & { isAfter: boolean }

/** The condition for where a page begins. */
const placed = ({ sort, isAfter: isIt }: Pick<Shape, 'sort' | 'isAfter'>) => (isIt ? isAfter(sort) : undefined)

/** A list in the order of an index, with only conditions that the index covers. */
function shortList({ db }: Store, caller: SignedIn, { sort, state, isAfter, externalId }: Found): Queries {
  const { subject, userId } = caller
  const queries = short(db)({ sort, state, subject: subject.type, isAfter, isNamed: externalId !== undefined })
  const { smallPage, sizes, count } = queries
  const values = { owner: subjectIdOf(subject), ...searched({ externalId }) }
  return {
    async page(first, rest) {
      await waitForReadSlot(userId)
      const rows = rest.pinned === NONE ? await smallPage.all({ ...values, ...rest }) : []
      if (rows.length > 0) return { rows, inMessage: rest.limit }
      return read(queries, caller, [...first, ...(await sizes.all({ ...values, ...rest }))])
    },
    async count() {
      await waitForReadSlot(userId)
      return (await count.all(values))[0]?.total ?? 0
    },
  }
}

/** Short queries. */
const short = prepared((db) =>
  eachShape((shape: Shape) => ({
    /** A page for callers who have pinned none. Empty if the owner's bundles may not fit into one message. */
    smallPage: db
      .select()
      .from(bundles)
      .where(and(isListed(shape, ifSmall(ownerOf(shape.subject))), placed(shape)))
      .orderBy(...ORDERS[shape.sort])
      .limit(sql.placeholder('limit'))
      .offset(sql.placeholder('offset'))
      .prepare(),
    sizes: db
      .select({ id: bundles.id, bytes: contentBytes() })
      .from(bundles)
      .where(and(isListed(shape), isUnpinned(), placed(shape)))
      .orderBy(...ORDERS[shape.sort])
      .limit(sql.placeholder('limit'))
      .offset(sql.placeholder('offset'))
      .prepare(),
    count: db.select({ total: sql<number>`count(*)` }).from(bundles).where(isListed(shape)).prepare(),
    /**
     * Some may be gone since their ids were found. CASE makes SQLite read these bundles instead of searching all of the
     * owner's.
     */
    byIds: db
      .select()
      .from(bundles)
      .where(
        sql`${bundles.id} IN (SELECT value FROM json_each(${sql.placeholder('ids')})) AND CASE WHEN ${isListed({ ...shape, isNamed: false })} THEN 1 END`,
      )
      .prepare(),
  })),
)

/**
 * Reads the bundles on a page, a megabyte at a time, because reads from a file block the event loop.
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
 * The owner's id if all their bundles fit into one message, because all their versions do; else null. SQLite would check a
 * separate condition for each of the owner's bundles.
 */
function ifSmall(ownerId: SQL): SQL<number> {
  return sql<number>`(SELECT ${owners.id} FROM ${owners} WHERE ${owners.id} = ${ownerId} AND ${owners.historyBytes} <= ${sql.raw(String(MAX_MESSAGE))})`
}

/** A bundle in a caller’s list. */
export type ListedBundle = StoredBundle & { isPinned: boolean }

/** A page of a subject's bundles. */
export interface Listed extends Paged {
  bundles: ListedBundle[]
  /** The number of bundles that fit into one message. */
  inMessage: number
  /** Counts the entries on all pages, which takes longer than reading one page. */
  count(): Promise<number>
  subject: Subject
  /** Whether the page was requested by cursor. */
  isByCursor: boolean
  /** The key of a bundle on the page, for cursors. */
  keyOf(bundle: ListedBundle): readonly unknown[]
}

/**
 * Lists the active subject’s bundles, with the caller’s pinned ones first.
 * @param listing `q` is searched for in slugs, aliases, texts, links, their notes, sections and tags, and labels of variables,
 * ignoring case; `tag` must equal a link's tag exactly; `health` is the state of a link.
 */
export async function list(store: Store, caller: SignedIn, listing: Listing): Promise<Listed> {
  const { limit, offset, sort, cursor } = listing
  const [of = sort, isAmongPinned = false, key = null, keyId = null] = keyIn(cursor, ListKey) ?? []
  if (of !== sort) throw noCursor()
  const isAfter = keyId !== null && !isAmongPinned
  const found = { ...listing, isAfter }
  const { page, count } = isLong(listing) ? longList(store, caller, found) : shortList(store, caller, found)
  const pinned = await pinnedIn(store, caller, listing, { key, keyId })
  // One more than requested, to learn whether there is another page.
  const first = isAfter
    ? []
    : pinned.filter((one) => !isAmongPinned || one.isAfter === 1).slice(offset, offset + limit + 1)
  const skipped = cursor === undefined ? Math.max(0, offset - pinned.length) : 0
  const rest = { limit: limit + 1 - first.length, offset: skipped, key, keyId }
  const { rows, inMessage } = await page(first, { ...rest, pinned: JSON.stringify(pinned.map(({ id }) => id)) })
  const shown = rows.slice(0, limit)
  const isFirst = new Set(first.map(({ id }) => id))
  const bundles = shown.map(
    ({ addressHash: _, ...bundle }): ListedBundle => ({
      ...bundle,
      owner: caller.subject,
      isPinned: isFirst.has(bundle.id),
    }),
  )
  const hasMore = rows.length > limit
  const keyed = (one: ListedBundle) => keyOf(one, sort)
  return {
    bundles,
    inMessage: Math.min(inMessage, shown.length),
    count,
    pagination: { limit, offset },
    hasMore,
    isByCursor: cursor !== undefined,
    keyOf: keyed,
    after: cursor === undefined ? undefined : nextCursor(bundles, hasMore, keyed).nextCursor,
    subject: caller.subject,
  }
}

/** How many entries a page can skip quickly in the order of an index. */
const MAX_SHORT_OFFSET = 1_000

/** Whether a page may take long, because more than its own entries must be read. */
function isLong({ q, tag, health, sort, offset }: Listing): boolean {
  return q !== undefined || tag !== undefined || health !== undefined || sort === 'title' || offset > MAX_SHORT_OFFSET
}

/** The contents of a list’s cursor: the order, and the values of the last entry before it by which that order sorts. */
const ListKey = type(['string', 'boolean', 'string | number.integer | null', 'number.integer']) as Type<
  [sort: string, isPinned: boolean, value: string | number | null, id: number]
>

/** The cursor key of a bundle in a list. */
function keyOf(
  {
    isPinned,
    id,
    ...bundle
  }: { isPinned: boolean; id: number; createdAt: number; updatedAt: number; title: string | null },
  sort: Listing['sort'],
): typeof ListKey.infer {
  return [sort, isPinned, { created: bundle.createdAt, updated: bundle.updatedAt, title: bundle.title }[sort], id]
}

/** Any list: long reads find ids and sizes, then short ones read the bundles on the page. */
function longList(store: Store, caller: SignedIn, listing: Found): Queries {
  const { subject, userId } = caller
  const { q, tag, sort, state, isAfter } = listing
  const texts = [q, tag].filter((text) => text !== undefined)
  const indexed = indexCondition(texts)
  const shape = { ...shapeOf(listing, subject), isAfter }
  const owner = subjectIdOf(subject)
  const values = { owner, indexed, ...searched(listing) }
  /** Searches the index; if that finds too many, reads the list in its order. */
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

/** If the index finds more than this, reading the list in its order soon fills a page. */
const MAX_FOUND = 500

const long = preparedStatements((_, { what, by, ...shape }: LongShape) => {
  const { sort, subject } = shape
  const where = matching(shape)
  const begins = placed(shape) ?? sql`1`
  const answer = (from: SQL): SQL =>
    what === 'count'
      ? sql`SELECT count(*) FROM ${from} WHERE ${where}`
      : sql`SELECT json_group_array(json_array(id, bytes)) FROM (SELECT ${bundles.id}, ${contentBytes()} AS bytes FROM ${from} WHERE ${where} AND ${isUnpinned()} AND ${begins} ORDER BY ${sql.join(ORDERS[sort], sql`, `)} LIMIT ${param('limit')} OFFSET ${param('offset')})`
  if (by === 'order') return [answer(sql`${bundles}`)]
  // CROSS JOIN makes SQLite read only the found bundles, instead of all in the order of the page.
  const among = sql`(SELECT DISTINCT id FROM found) AS each_found CROSS JOIN ${bundles} ON ${bundles.id} = each_found.id`
  return [
    sql`WITH found(id) AS MATERIALIZED (${foundInIndex(ownerOf(subject))} LIMIT ${sql.raw(String(MAX_FOUND + 1))})
      SELECT CASE WHEN (SELECT count(*) FROM found) <= ${sql.raw(String(MAX_FOUND))} THEN (${answer(among)}) END`,
  ]
})

/** How many characters of a search are looked up in the index; the text itself is compared with all of them. */
const INDEXED_LENGTH = 60

/**
 * The condition on `bundle_index` that every bundle with these texts meets: it has the same trigrams. Null if no text has three
 * characters.
 */
function indexCondition(texts: readonly string[]): string | null {
  const terms = texts.flatMap((text) => {
    const characters = [...fold(text)].slice(0, INDEXED_LENGTH)
    // Every third position and the end are enough, because the text of found bundles is compared as well.
    const starts = characters.map((_, at) => at).filter((at) => at % 3 === 0 && at + 3 < characters.length)
    return characters.length < 3 ? [] : [...starts, characters.length - 3].map((at) => characters.slice(at, at + 3))
  })
  if (terms.length === 0) return null
  return [...new Set(terms.map((term) => `"${term.join('').replaceAll('"', '""')}"`))].join(' AND ')
}

/**
 * The query for the ids of an owner's bundles that may meet the `indexCondition` in the placeholder `indexed`: those found in
 * the index, and those whose entry may be outdated.
 */
function foundInIndex(ownerId: SQL): SQL {
  // A subject that owns nothing yet has no id, and SQLite refuses a search for null.
  const owner = sql`coalesce(${ownerId}, 0)`
  const [first, last] = [entryOf(owner, sql`0`), entryOf(owner, sql`4294967295`)]
  return sql`SELECT bundle_id FROM ${bundleChanges} WHERE owner_id = ${owner} AND ${isUnread('forSearch')}
    UNION ALL SELECT rowid & 4294967295 FROM bundle_index
    WHERE bundle_index MATCH '"' || ${ownerTerm(owner)} || '" AND ' || ${sql.placeholder('indexed')} AND rowid BETWEEN ${first} AND ${last}`
}

/** A bundle on a page before it is read: its id, and its size in the store. */
interface Sized {
  id: number
  bytes: number
}

/** Where a page begins: after the entry with this key, or at the start if both are null. */
interface Place {
  key: string | number | null
  keyId: number | null
}

/** The caller’s pinned bundles in a list, in its order, with whether each comes after an entry. Each page reads them all. */
async function pinnedIn(
  { db }: Store,
  caller: SignedIn,
  listing: Listing,
  after: Place,
): Promise<(Sized & { isAfter: number | null })[]> {
  if (listing.state === 'deleted') return []
  const { subject, userId } = caller
  await waitForReadSlot(userId)
  return pinnedOf(db)(shapeOf(listing, subject)).all({
    userId,
    owner: subjectIdOf(subject),
    ...searched(listing),
    ...after,
  })
}

const pinnedOf = prepared((db) =>
  eachShape((shape: Shape & Searching) => {
    const own = sql`SELECT ${pins.bundleId} FROM ${pins} WHERE ${pins.userId} = ${sql.placeholder('userId')}`
    return (
      db
        .select({ id: bundles.id, bytes: contentBytes(), isAfter: sql<number | null>`${isAfter(shape.sort)}` })
        .from(bundles)
        // CASE makes SQLite read these bundles instead of searching all of the owner's.
        .where(sql`${bundles.id} IN (${own}) AND CASE WHEN ${matching(shape)} THEN 1 END`)
        .orderBy(...ORDERS[shape.sort])
        .prepare()
    )
  }),
)
