import { type } from 'arktype'
import { lazy } from './lazy.ts'

// Lists that are read page by page.

/** How many entries a page skips, in a query. */
export const OFFSET = '0 <= number.integer <= 1000000000 = 0'

/** Where a page of a list is. */
export interface Paged {
  pagination: { limit: number; offset: number }
  /** Whether there are entries after this page. */
  hasMore: boolean
  /** The cursor of the next page, if this one was asked for by a cursor. */
  after?: string | undefined
}

/** `pagination` of an answer. */
export const Pagination = lazy(() => type({ limit: 'number.integer', offset: 'number.integer', '+': 'reject' }))

/** The query fields of the page after this one; null if it is the last. */
export function nextPage({
  pagination: { limit, offset },
  hasMore,
  after,
}: Paged): Readonly<Record<string, number | string>> | null {
  if (after !== undefined) return { limit, cursor: after }
  return hasMore ? { limit, offset: offset + limit } : null
}
