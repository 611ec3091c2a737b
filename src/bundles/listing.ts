import { and, asc, desc, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { param, prepared, preparedStatements } from '../../db/prepared.ts'
import { bundles, owners } from '../../db/schema.ts'
import type { Paged } from '../core/paging.ts'
import { fitting, MAX_MESSAGE, piecesOf } from '../core/parts.ts'
import type { SignedIn, Subject } from '../identity/caller.ts'
import { inLongReadSlot, waitForReadSlot } from '../operations/read-slots.ts'
import { ownerIdOf, subjectIdOf } from '../plans/owners.ts'
import type { StoredBundle } from './roles.ts'
import { fold, foundInIndex, indexCondition, matchesSearch } from './search.ts'
import type { Listing } from './shapes.ts'
import { contentBytes } from './stored.ts'

// Each order ends with the id, so that pages neither repeat nor skip equal entries.
const ORDERS: Record<Listing['sort'], SQL[]> = {
  created: [desc(bundles.createdAt), desc(bundles.id)],
  updated: [desc(bundles.updatedAt), desc(bundles.id)],
  title: [sql`${bundles.title} IS NULL`, asc(sql`${bundles.title} COLLATE NOCASE`), desc(bundles.id)],
}

/** Whether a text names a sort order of lists. */
export function isSort(text: string): text is Listing['sort'] {
  return Object.hasOwn(ORDERS, text)
}

/** A page of a subject's bundles. */
export interface Listed extends Paged {
  bundles: StoredBundle[]
  /** How many of them fit into one message. */
  inMessage: number
  /** Counts the entries of all pages, which takes longer than reading one page. */
  count(): Promise<number>
  subject: Subject
}

/**
 * Lists the active subject’s bundles.
 * @param listing `q` is searched for in slugs, titles, descriptions, links, notes and tags, ignoring case; `tag` must
 * equal a link's tag exactly.
 */
export async function list(store: Store, caller: SignedIn, listing: Listing): Promise<Listed> {
  const { limit, offset } = listing
  const { page, count } = isLong(listing) ? longList(store, caller, listing) : shortList(store, caller, listing)
  // One more than asked for, to learn whether there is another page.
  const { rows, inMessage } = await page(limit + 1)
  const shown = rows.slice(0, limit)
  return {
    bundles: shown.map(({ addressHash: _, ...bundle }): StoredBundle => ({ ...bundle, owner: caller.subject })),
    inMessage: Math.min(inMessage, shown.length),
    count,
    pagination: { limit, offset },
    hasMore: rows.length > limit,
    subject: caller.subject,
  }
}

type Row = typeof bundles.$inferSelect

/** What stands for a bundle of the page, with its size in the store. */
interface Sized {
  id: number
  bytes: number
}

interface Queries {
  page(limit: number): Promise<{ rows: Row[]; inMessage: number }>
  count: Listed['count']
}

/** Entries that a page may skip in the order of an index, without taking long. */
const MAX_SHORT_OFFSET = 1_000

/** Whether a page may take long, because more than its entries must be read. */
function isLong({ q, tag, sort, offset }: Listing): boolean {
  return q !== undefined || tag !== undefined || sort === 'title' || offset > MAX_SHORT_OFFSET
}

/** What the queries depend on, besides the values of their placeholders. */
type Shape = Pick<Listing, 'sort' | 'state'> & { subject: Subject['type'] }

const ownerOf = (subject: Subject['type']) => ownerIdOf(subject, sql.placeholder('owner'))

function isListed({ subject, state }: Omit<Shape, 'sort'>, ownerId = ownerOf(subject)): SQL | undefined {
  const isInState = state === 'deleted' ? isNotNull(bundles.deletedAt) : isNull(bundles.deletedAt)
  return and(eq(bundles.ownerId, ownerId), isInState)
}

/** A list in the order of an index, without conditions that the index does not have. */
function shortList({ db }: Store, caller: SignedIn, { sort, state, offset }: Listing): Queries {
  const { subject, userId } = caller
  const queries = short(db)({ sort, state, subject: subject.type })
  const { smallPage, sizes, count } = queries
  const owner = subjectIdOf(subject)
  return {
    async page(limit) {
      await waitForReadSlot(userId)
      const rows = await smallPage.all({ owner, limit, offset })
      return rows.length > 0
        ? { rows, inMessage: limit }
        : read(queries, caller, await sizes.all({ owner, limit, offset }))
    },
    async count() {
      await waitForReadSlot(userId)
      return (await count.all({ owner }))[0]?.total ?? 0
    },
  }
}

/** Short queries, built once per shape. */
const short = prepared((db) => {
  const build = (shape: Shape) => ({
    /** Empty where the owner's bundles may not fit into one message. */
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
      .where(isListed(shape))
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
  })
  const built = new Map<string, ReturnType<typeof build>>()
  return (shape: Shape) => {
    const key = Object.values(shape).join()
    let made = built.get(key)
    if (made === undefined) built.set(key, (made = build(shape)))
    return made
  }
})

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
  const { q, tag, sort, state, offset } = listing
  const texts = [q, tag].filter((text) => text !== undefined)
  const indexed = indexCondition(texts)
  const shape = { sort, state, subject: subject.type, isSearch: q !== undefined, isTagged: tag !== undefined }
  const owner = subjectIdOf(subject)
  const values = {
    owner,
    offset,
    indexed,
    ...(q === undefined ? {} : { folded: fold(q) }),
    ...(tag === undefined ? {} : { tag, quoted: JSON.stringify(tag) }),
  }
  /** Asks the index; if it finds too many, reads the list in its order. */
  const find = async (what: LongShape['what'], limit: number): Promise<unknown> => {
    for (const by of indexed === null ? (['order'] as const) : (['index', 'order'] as const)) {
      const [query] = long(store.db, { ...shape, what, by }, { ...values, limit })
      const found = query === undefined ? null : await inLongReadSlot(userId, () => store.readLong(query))
      if (found !== null) return found
    }
    return null
  }
  return {
    async page(limit) {
      const found = JSON.parse(String((await find('page', limit)) ?? '[]')) as [id: number, bytes: number][]
      const page = found.map(([id, bytes]): Sized => ({ id, bytes }))
      return read(short(store.db)({ sort, state, subject: subject.type }), caller, page)
    },
    count: async () => Number(await find('count', 0)),
  }
}

type LongShape = Shape & { isSearch: boolean; isTagged: boolean; what: 'page' | 'count'; by: 'index' | 'order' }

/** If the index finds more, a page is soon full in its own order. */
const MAX_FOUND = 500

const long = preparedStatements((_, { what, by, ...shape }: LongShape) => {
  const { isSearch, isTagged, sort, subject } = shape
  const where = and(isListed(shape), isSearch ? matchesSearch() : undefined, isTagged ? tagged() : undefined)
  const answer = (from: SQL): SQL =>
    what === 'count'
      ? sql`SELECT count(*) FROM ${from} WHERE ${where}`
      : sql`SELECT json_group_array(json_array(id, bytes)) FROM (SELECT ${bundles.id}, ${contentBytes()} AS bytes FROM ${from} WHERE ${where} ORDER BY ${sql.join(ORDERS[sort], sql`, `)} LIMIT ${param('limit')} OFFSET ${param('offset')})`
  if (by === 'order') return [answer(sql`${bundles}`)]
  // CROSS JOIN, so that SQLite reads the bundles found, and not all in the order of the page.
  const among = sql`(SELECT DISTINCT id FROM found) AS each_found CROSS JOIN ${bundles} ON ${bundles.id} = each_found.id`
  return [
    sql`WITH found(id) AS MATERIALIZED (${foundInIndex(ownerOf(subject))} LIMIT ${sql.raw(String(MAX_FOUND + 1))})
      SELECT CASE WHEN (SELECT count(*) FROM found) <= ${sql.raw(String(MAX_FOUND))} THEN (${answer(among)}) END`,
  ]
})

/** Whether a link has the tag `tag`. Metadata is parsed only if it contains the tag's JSON, `quoted`: most does not. */
function tagged(): SQL {
  const has = sql`SELECT 1 FROM json_each(${bundles.urlMetadata}) AS link, json_each(link.value, '$.tags') AS own WHERE own.value = ${sql.placeholder('tag')}`
  return sql`(instr(${bundles.urlMetadata}, ${sql.placeholder('quoted')}) > 0 AND EXISTS (${has}))`
}
