import { type SQL, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { param, preparedStatements } from '../../db/prepared.ts'
import { bundles, searchPending } from '../../db/schema.ts'
import type { SignedIn } from '../identity/caller.ts'
import { inLongReadSlot } from '../operations/read-slots.ts'
import { subjectIdOf } from '../plans/owners.ts'
import { matching, ORDERS, ownerOf, type Searching, type Shape, searched, shapeOf } from './list-order.ts'
import type { Sized } from './pinned.ts'
import { entryOf, fold, ownerTerm } from './search.ts'
import { type Found, isUnpinned, placed, type Queries, type Rest, read, short } from './short-list.ts'
import { contentBytes } from './stored.ts'

/** Any list: long reads find the ids and sizes, short ones read the bundles of the page. */
export function longList(store: Store, caller: SignedIn, listing: Found): Queries {
  const { subject, userId } = caller
  const { q, tag, sort, state, isAfter } = listing
  const texts = [q, tag].filter((text) => text !== undefined)
  const indexed = indexCondition(texts)
  const shape = { ...shapeOf(listing, subject), isAfter }
  const owner = subjectIdOf(subject)
  const values = { owner, indexed, ...searched(listing) }
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
  const begins = placed(shape) ?? sql`1`
  const answer = (from: SQL): SQL =>
    what === 'count'
      ? sql`SELECT count(*) FROM ${from} WHERE ${where}`
      : sql`SELECT json_group_array(json_array(id, bytes)) FROM (SELECT ${bundles.id}, ${contentBytes()} AS bytes FROM ${from} WHERE ${where} AND ${isUnpinned()} AND ${begins} ORDER BY ${sql.join(ORDERS[sort], sql`, `)} LIMIT ${param('limit')} OFFSET ${param('offset')})`
  if (by === 'order') return [answer(sql`${bundles}`)]
  // CROSS JOIN, so that SQLite reads the bundles found, and not all in the order of the page.
  const among = sql`(SELECT DISTINCT id FROM found) AS each_found CROSS JOIN ${bundles} ON ${bundles.id} = each_found.id`
  return [
    sql`WITH found(id) AS MATERIALIZED (${foundInIndex(ownerOf(subject))} LIMIT ${sql.raw(String(MAX_FOUND + 1))})
      SELECT CASE WHEN (SELECT count(*) FROM found) <= ${sql.raw(String(MAX_FOUND))} THEN (${answer(among)}) END`,
  ]
})

/** Most characters of a search that the index is asked for; the text itself is compared with all of them. */
const INDEXED_LENGTH = 60

/**
 * The condition on `bundle_index` that every bundle with these texts meets: they have the same three characters. Null if
 * no text has three.
 */
function indexCondition(texts: readonly string[]): string | null {
  const terms = texts.flatMap((text) => {
    const characters = [...fold(text)].slice(0, INDEXED_LENGTH)
    // Every third position is enough, because the text is compared with what is found; and the end.
    const starts = characters.map((_, at) => at).filter((at) => at % 3 === 0 && at + 3 < characters.length)
    return characters.length < 3 ? [] : [...starts, characters.length - 3].map((at) => characters.slice(at, at + 3))
  })
  if (terms.length === 0) return null
  return [...new Set(terms.map((term) => `"${term.join('').replaceAll('"', '""')}"`))].join(' AND ')
}

/**
 * The ids of an owner's bundles that may meet the `indexCondition` in the placeholder `indexed`, as a query: those found in
 * the index, and those whose entry is outdated.
 */
function foundInIndex(ownerId: SQL): SQL {
  // A subject that owns nothing yet has no id, and SQLite refuses a search for null.
  const owner = sql`coalesce(${ownerId}, 0)`
  const [first, last] = [entryOf(owner, sql`0`), entryOf(owner, sql`4294967295`)]
  return sql`SELECT bundle_id FROM ${searchPending} WHERE owner_id = ${owner}
    UNION ALL SELECT rowid & 4294967295 FROM bundle_index
    WHERE bundle_index MATCH '"' || ${ownerTerm(owner)} || '" AND ' || ${sql.placeholder('indexed')} AND rowid BETWEEN ${first} AND ${last}`
}
