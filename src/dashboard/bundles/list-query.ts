import { ORDERS } from '../../bundles/list-order.ts'
import { listBundles } from '../../bundles/operations.ts'
import type { Listing } from '../../bundles/shapes.ts'
import type { Config } from '../../config/config.ts'
import { queryFields, typed } from '../../http/fields.ts'
import { type Cookie, cookieIn, cookieOf, LONGEST_SECONDS } from '../../identity/cookies.ts'
import type { Visit } from '../parts/visit.ts'

/** The query fields of the list besides the texts `q` and `tag`. */
const FIELDS = ['limit', 'offset', 'sort', 'state', 'health'] as const

/** The list query of a visitor. Other fields of links to the page (utm_source, notice) are ignored. */
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
  return cookieOf(COOKIE, sort, LONGEST_SECONDS, config, '/dashboard')
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
