import type { Listing } from '../../../src/bundles/content/shapes.ts'
import { listBundles } from '../../../src/bundles/edit/operations.ts'
import { ORDERS } from '../../../src/bundles/list/list-order.ts'
import type { Config } from '../../../src/config/config.ts'
import { routes } from '../../../src/core/routes.ts'
import { queryFields, typed } from '../../../src/http/body.ts'
import { type Cookie, cookieIn, cookieOf, LONGEST_SECONDS } from '../../../src/identity/sessions.ts'
import type { Visit } from '../parts/screens.tsx'

/** The query parameters of the list besides the texts `q` and `tag`. */
const FIELDS = ['limit', 'offset', 'sort', 'state', 'health'] as const

/** The list query of a visitor. Other parameters in links to the page (utm_source, notice) are ignored. */
export function listQuery({ query, request }: Pick<Visit, 'query' | 'request'>): Record<string, unknown> {
  const fields = queryFields(query)
  const own = Object.fromEntries(FIELDS.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])))
  const texts = (['q', 'tag'] as const).flatMap((name) => {
    const text = fields[name]
    return typeof text === 'string' && text.trim() !== '' ? [[name, text.trim()]] : []
  })
  return { sort: rememberedSort(request) ?? 'updated', ...typed(listBundles.input, own), ...Object.fromEntries(texts) }
}

const COOKIE = 'list_sort'

/** Remembers a sort order in the browser that chose it. */
export function sortCookie(sort: Listing['sort'], config: Pick<Config, 'origin'>): Cookie {
  return cookieOf(COOKIE, sort, LONGEST_SECONDS, config, routes.bundles.list.href())
}

/** This browser's last sort order, stored by `/dashboard/sort`. */
function rememberedSort({ headers }: Request): Listing['sort'] | undefined {
  const sort = cookieIn(headers, COOKIE)
  return sort !== null && isSort(sort) ? sort : undefined
}

/** Whether a text names a sort order of lists. */
function isSort(text: string): text is Listing['sort'] {
  return Object.hasOwn(ORDERS, text)
}

/** The address of a list. It always has the sort order, because the one that a browser remembers may change. */
export function listAddress({ q, tag, health, sort, state, offset }: Omit<Listing, 'limit'>): string {
  const query = new URLSearchParams()
  if (q !== undefined) query.set('q', q)
  if (tag !== undefined) query.set('tag', tag)
  if (health !== undefined) query.set('health', health)
  query.set('sort', sort)
  if (state !== 'active') query.set('state', state)
  if (offset > 0) query.set('offset', String(offset))
  return `${routes.bundles.list.href()}?${query}`
}
