import { and, asc, desc, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { bundleSearch, bundles } from '../../db/schema.ts'
import type { Subject } from '../identity/caller.ts'
import { ownerIdOf } from '../plans/owners.ts'
import { hasLinkIn } from './health.ts'
import { fold } from './search.ts'
import type { Listing } from './shapes.ts'

// What lists of bundles contain, and in which order.

/** The orders of lists. Each ends with the id, so that pages neither repeat nor skip equal entries. */
export const ORDERS: Record<Listing['sort'], SQL[]> = {
  created: [desc(bundles.createdAt), desc(bundles.id)],
  updated: [desc(bundles.updatedAt), desc(bundles.id)],
  title: [sql`${bundles.title} IS NULL`, asc(sql`${bundles.title} COLLATE NOCASE`), desc(bundles.id)],
}

/** Whether a bundle comes after the entry with the value `key` and the id `keyId`, in the same order. */
export function isAfter(sort: Listing['sort']): SQL {
  const [key, id] = [sql.placeholder('key'), sql.placeholder('keyId')]
  if (sort !== 'title') return sql`(${bundles[`${sort}At`]}, ${bundles.id}) < (${key}, ${id})`
  const title = sql`coalesce(${bundles.title}, '') COLLATE NOCASE`
  return sql`(${bundles.title} IS NULL, ${title}, -${bundles.id}) > (${key} IS NULL, coalesce(${key}, ''), -${id})`
}

/** What the queries depend on, besides the values of their placeholders. */
export type Shape = Pick<Listing, 'sort' | 'state'> & {
  subject: Subject['type']
  isAfter?: boolean
  /** Whether it has only what has one external id. */
  isNamed?: boolean
}

/** The id of the owner `owner`, a placeholder. */
export const ownerOf = (subject: Subject['type']) => ownerIdOf(subject, sql.placeholder('owner'))

/** Whether a bundle is in a list. */
export function isListed(
  { subject, state, isNamed }: Omit<Shape, 'sort'>,
  ownerId = ownerOf(subject),
): SQL | undefined {
  const isInState = state === 'deleted' ? isNotNull(bundles.deletedAt) : isNull(bundles.deletedAt)
  const isIt = isNamed === true ? eq(bundles.externalId, sql.placeholder('externalId')) : undefined
  return and(eq(bundles.ownerId, ownerId), isInState, isIt)
}

/** Whether a list is searched, by which text or tag. */
export interface Searching {
  isSearch: boolean
  isTagged: boolean
  /** Whether only bundles with links of a state are wanted. */
  isByHealth: boolean
}

/** Whether a bundle is in a list, and what is searched for in it. */
export function matching({ isSearch, isTagged, isByHealth, ...shape }: Shape & Searching): SQL | undefined {
  return and(
    isListed(shape),
    isSearch ? matchesSearch() : undefined,
    isTagged ? tagged() : undefined,
    isByHealth ? hasLinkIn(ownerOf(shape.subject), sql.placeholder('health')) : undefined,
  )
}

/** The shape of a list that a caller asks for. */
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

/** The values of what is searched for. */
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

/** Builds a query once per shape. */
export function eachShape<S extends object, Built>(build: (shape: S) => Built): (shape: S) => Built {
  const built = new Map<string, Built>()
  return (shape) => {
    const key = Object.values(shape).join()
    let made = built.get(key)
    if (made === undefined) built.set(key, (made = build(shape)))
    return made
  }
}

/** Whether a link has the tag `tag`. Metadata is parsed only if it contains the tag's JSON, `quoted`: most does not. */
function tagged(): SQL {
  const has = sql`SELECT 1 FROM json_each(${bundles.urlMetadata}) AS link, json_each(link.value, '$.tags') AS own WHERE own.value = ${sql.placeholder('tag')}`
  return sql`(instr(${bundles.urlMetadata}, ${sql.placeholder('quoted')}) > 0 AND EXISTS (${has}))`
}

/** Whether a bundle contains a text, as a condition with a placeholder for `folded`, which is the `fold` of the text. */
function matchesSearch(): SQL {
  return sql`instr((SELECT ${bundleSearch.text} FROM ${bundleSearch} WHERE ${bundleSearch.bundleId} = ${bundles.id}), ${sql.placeholder('folded')})`
}
