import type { Listing } from '../../../src/bundles/shapes.ts'

/** The address of a list. Always includes the sort order, because the one that a browser remembers may change. */
export function listAddress({ q, tag, health, sort, state, offset }: Omit<Listing, 'limit'>): string {
  const query = new URLSearchParams()
  if (q !== undefined) query.set('q', q)
  if (tag !== undefined) query.set('tag', tag)
  if (health !== undefined) query.set('health', health)
  query.set('sort', sort)
  if (state !== 'active') query.set('state', state)
  if (offset > 0) query.set('offset', String(offset))
  return `/dashboard?${query}`
}
