import { and, asc, desc, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { bundles, owners } from '../../db/schema.ts'
import { lazy } from '../core/lazy.ts'
import type { Paged } from '../core/paging.ts'
import { MAX_MESSAGE } from '../core/parts.ts'
import { turnOf } from '../core/turns.ts'
import type { SignedIn, Subject } from '../identity/caller.ts'
import { ownerIdOf, subjectIdOf } from '../plans/owners.ts'
import type { StoredBundle } from './access.ts'
import { countLarge, largeQueries, readLarge } from './large-lists.ts'
import { matchesSearch, searchValues } from './search.ts'
import type { Listing } from './shapes.ts'

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

/** What a list query depends on, besides the values of its placeholders. */
type QueryShape = Pick<Listing, 'sort' | 'state'> & { subject: Subject['type']; isSearch: boolean; isTagged: boolean }

/**
 * Lists the active subject’s bundles (spec 4.5).
 * @param listing `q` is searched for in slugs, titles, descriptions, links, notes and tags, ignoring case; `tag` must
 * equal a link's tag exactly.
 */
export async function list({ db }: Store, { subject, userId }: SignedIn, listing: Listing): Promise<Listed> {
  const { limit, offset, q, tag, sort, state } = listing
  const shape = { sort, state, subject: subject.type, isSearch: q !== undefined, isTagged: tag !== undefined }
  const { page, count, large } = queries(db)(shape)
  const isFiltered = shape.isSearch || shape.isTagged
  const values = {
    owner: subjectIdOf(subject),
    ...(q === undefined ? {} : searchValues(q)),
    ...(tag === undefined ? {} : { tag, quoted: JSON.stringify(tag) }),
  }
  const turn = () => turnOf(userId)
  const reading = () => ({ queries: large(), isFiltered, values, turn })
  await turn()
  // One more than asked for, to learn whether there is another page.
  const small = await page.all({ ...values, limit: limit + 1, offset })
  const isSmall = small.length > 0
  const { rows, inMessage } = isSmall
    ? { rows: small, inMessage: limit }
    : await readLarge(reading(), { limit: limit + 1, offset })
  const shown = rows.slice(0, limit)
  return {
    bundles: shown.map(({ addressHash: _, ...bundle }): StoredBundle => ({ ...bundle, owner: subject })),
    inMessage: Math.min(inMessage, shown.length),
    async count() {
      await turn()
      if (isFiltered && !isSmall) return countLarge(reading())
      return (await count.all(values))[0]?.total ?? 0
    },
    pagination: { limit, offset },
    hasMore: rows.length > limit,
    subject,
  }
}

/** Whether a link has the tag `tag`. Metadata is parsed only if it contains the tag's JSON, `quoted`: most does not. */
function tagged(): SQL {
  const has = sql`SELECT 1 FROM json_each(${bundles.urlMetadata}) AS link, json_each(link.value, '$.tags') AS own WHERE own.value = ${sql.placeholder('tag')}`
  return sql`(instr(${bundles.urlMetadata}, ${sql.placeholder('quoted')}) > 0 AND EXISTS (${has}))`
}

/** Whether all bundles of an owner fit into one message, because all their versions do: checked once per query. */
function isSmall(ownerId: SQL): SQL {
  return sql`(SELECT ${owners.historyBytes} FROM ${owners} WHERE ${owners.id} = ${ownerId}) <= ${sql.raw(String(MAX_MESSAGE))}`
}

/** One query per shape, built when first needed. */
const queries = prepared((db) => {
  const build = ({ sort, state, subject, isSearch, isTagged }: QueryShape) => {
    const ownerId = ownerIdOf(subject, sql.placeholder('owner'))
    const isInState = state === 'deleted' ? isNotNull(bundles.deletedAt) : isNull(bundles.deletedAt)
    const isOwn = and(eq(bundles.ownerId, ownerId), isInState)
    const matches = and(isSearch ? matchesSearch() : undefined, isTagged ? tagged() : undefined)
    const order = ORDERS[sort]
    return {
      large: lazy(() => largeQueries(db, { isOwn, matches, order })),
      page: db
        .select()
        .from(bundles)
        .where(and(isOwn, matches, isSmall(ownerId)))
        .orderBy(...order)
        .limit(sql.placeholder('limit'))
        .offset(sql.placeholder('offset'))
        .prepare(),
      count: db.select({ total: sql<number>`count(*)` }).from(bundles).where(and(isOwn, matches)).prepare(),
    }
  }
  const built = new Map<string, ReturnType<typeof build>>()
  return (shape: QueryShape) => {
    const key = Object.values(shape).join()
    let made = built.get(key)
    if (made === undefined) built.set(key, (made = build(shape)))
    return made
  }
})
