import { type Type, type } from 'arktype'
import type { Store } from '../../db/client.ts'
import { keyIn, nextCursor, noCursor } from '../core/cursor.ts'
import type { Paged } from '../core/paging.ts'
import type { SignedIn, Subject } from '../identity/caller.ts'
import { longList } from './long-list.ts'
import { pinnedIn } from './pinned.ts'
import type { StoredBundle } from './roles.ts'
import type { Listing } from './shapes.ts'
import { shortList } from './short-list.ts'

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
  /** Whether it was asked for by a cursor. */
  isByCursor: boolean
  /** The key of a bundle of the page, for cursors. */
  keyOf(bundle: ListedBundle): readonly unknown[]
}

/**
 * Lists the active subject’s bundles, those that the caller has pinned first.
 * @param listing `q` is searched for in slugs, titles, descriptions, links, notes and tags, ignoring case; `tag` must
 * equal a link's tag exactly; `health` is what is known of a link.
 */
export async function list(store: Store, caller: SignedIn, listing: Listing): Promise<Listed> {
  const { limit, offset, sort, cursor } = listing
  const [of = sort, isAmongPinned = false, key = null, keyId = null] = keyIn(cursor, ListKey) ?? []
  if (of !== sort) throw noCursor()
  const isAfter = keyId !== null && !isAmongPinned
  const found = { ...listing, isAfter }
  const { page, count } = isLong(listing) ? longList(store, caller, found) : shortList(store, caller, found)
  const pinned = await pinnedIn(store, caller, listing, { key, keyId })
  // One more than asked for, to learn whether there is another page.
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

/** Entries that a page may skip in the order of an index, without taking long. */
const MAX_SHORT_OFFSET = 1_000

/** Whether a page may take long, because more than its entries must be read. */
function isLong({ q, tag, health, sort, offset }: Listing): boolean {
  return q !== undefined || tag !== undefined || health !== undefined || sort === 'title' || offset > MAX_SHORT_OFFSET
}

/** What a cursor of a list has of the last entry before it: the order, and by what that sorts. */
const ListKey = type(['string', 'boolean', 'string | number.integer | null', 'number.integer']) as Type<
  [sort: string, isPinned: boolean, value: string | number | null, id: number]
>

/** The key of a bundle in a list. */
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
