import { and, asc, desc, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { bundleSearch, bundles } from '../../../db/schema.ts'
import type { Subject } from '../../identity/caller.ts'
import { ownerIdOf } from '../../plans/owners.ts'
import type { Listing } from '../content/shapes.ts'
import { hasLinkIn } from '../links/health.ts'
import { fold } from './search.ts'

// The contents and order of lists of bundles.

/** The orders of lists. Each ends with the id, so that pages neither repeat nor skip entries with equal values. */
export const ORDERS: Record<Listing['sort'], SQL[]> = {
  created: [desc(bundles.createdAt), desc(bundles.id)],
  updated: [desc(bundles.updatedAt), desc(bundles.id)],
  title: [sql`${bundles.title} IS NULL`, asc(sql`${bundles.title} COLLATE NOCASE`), desc(bundles.id)],
}

/** The condition that a bundle comes after the entry with the value `key` and the id `keyId`, both placeholders. */
export function isAfter(sort: Listing['sort']): SQL {
  const [key, id] = [sql.placeholder('key'), sql.placeholder('keyId')]
  if (sort !== 'title') return sql`(${bundles[`${sort}At`]}, ${bundles.id}) < (${key}, ${id})`
  const title = sql`coalesce(${bundles.title}, '') COLLATE NOCASE`
  return sql`(${bundles.title} IS NULL, ${title}, -${bundles.id}) > (${key} IS NULL, coalesce(${key}, ''), -${id})`
}

/** What the text of a query depends on: everything besides the values of its placeholders. */
export type Shape = Pick<Listing, 'sort' | 'state'> & {
  subject: Subject['type']
  isAfter?: boolean
  /** Whether only the bundle with a given external id is wanted. */
  isNamed?: boolean
}

/** The id of the owner whose subject id is the placeholder `owner`. */
export const ownerOf = (subject: Subject['type']) => ownerIdOf(subject, sql.placeholder('owner'))

/** The condition that a bundle is in a list. */
export function isListed(
  { subject, state, isNamed }: Omit<Shape, 'sort'>,
  ownerId = ownerOf(subject),
): SQL | undefined {
  const isInState = state === 'deleted' ? isNotNull(bundles.deletedAt) : isNull(bundles.deletedAt)
  const isIt = isNamed === true ? eq(bundles.externalId, sql.placeholder('externalId')) : undefined
  return and(eq(bundles.ownerId, ownerId), isInState, isIt)
}

/** By what a list is searched. */
export interface Searching {
  isSearch: boolean
  isTagged: boolean
  /** Whether only bundles with links in a given state are wanted. */
  isByHealth: boolean
}

/** The condition that a bundle is in a list and matches the search. */
export function matching({ isSearch, isTagged, isByHealth, ...shape }: Shape & Searching): SQL | undefined {
  return and(
    isListed(shape),
    isSearch ? matchesSearch(sql.placeholder('folded')) : undefined,
    isTagged ? tagged(sql.placeholder('tag'), sql.placeholder('quoted')) : undefined,
    isByHealth ? hasLinkIn(ownerOf(shape.subject), sql.placeholder('health')) : undefined,
  )
}

/** The shape of the list that a caller asks for. */
export function shapeOf({ sort, state, q, tag, health, externalId }: Listing, { type }: Subject): Shape & Searching {
  return {
    sort,
    state,
    subject: type,
    isSearch: q !== undefined,
    isTagged: tag !== undefined,
    isByHealth: health !== undefined,
    isNamed: externalId !== undefined,
  }
}

/** The values for the placeholders of a search. */
export function searched({
  q,
  tag,
  health,
  externalId,
}: Pick<Listing, 'q' | 'tag' | 'health' | 'externalId'>): Record<string, string> {
  return {
    ...(externalId === undefined ? {} : { externalId }),
    ...(health === undefined ? {} : { health }),
    ...(q === undefined ? {} : { folded: fold(q) }),
    ...(tag === undefined ? {} : { tag, quoted: JSON.stringify(tag) }),
  }
}

/** Caches what is built for each shape, such as a query. */
export function eachShape<S extends object, Built>(build: (shape: S) => Built): (shape: S) => Built {
  const built = new Map<string, Built>()
  return (shape) => {
    const key = Object.values(shape).join()
    let made = built.get(key)
    if (made === undefined) built.set(key, (made = build(shape)))
    return made
  }
}

/** A value in a condition: as it is, or a placeholder. */
type Given = string | ReturnType<typeof sql.placeholder>

/**
 * The condition that a link has a tag. Only metadata with the tag's JSON is parsed: most has none.
 * @param quoted the tag's JSON.
 */
export function tagged(tag: Given, quoted: Given): SQL {
  const has = sql`SELECT 1 FROM json_each(${bundles.urlMetadata}) AS link, json_each(link.value, '$.tags') AS own WHERE own.value = ${tag}`
  return sql`(instr(${bundles.urlMetadata}, ${quoted}) > 0 AND EXISTS (${has}))`
}

/**
 * The condition that a bundle contains a text.
 * @param folded the text after `fold`.
 * @param from the first character of its texts that counts, from 1; all of them by default.
 */
export function matchesSearch(folded: Given, from?: SQL): SQL {
  const text = from === undefined ? sql`${bundleSearch.text}` : sql`substr(${bundleSearch.text}, ${from})`
  return sql`instr((SELECT ${text} FROM ${bundleSearch} WHERE ${bundleSearch.bundleId} = ${bundles.id}), ${folded})`
}
