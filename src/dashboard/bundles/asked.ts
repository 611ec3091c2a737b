import { listBundles } from '../../bundles/operations.ts'
import { queryFields, typed } from '../../http/fields.ts'
import type { Visit } from '../visit.ts'

/** What the list is asked by, beside the texts `q` and `tag`. */
const ASKED = ['limit', 'offset', 'sort', 'state'] as const

/** What a visitor asks of the list. Links to a page bring all sorts of fields along (utm_source, what was said). */
export function askedIn({ query, request }: Pick<Visit, 'query' | 'request'>): Record<string, unknown> {
  const fields = queryFields(query)
  const own = Object.fromEntries(ASKED.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])))
  const texts = (['q', 'tag'] as const).flatMap((name) => {
    const text = fields[name]
    return typeof text === 'string' && text.trim() !== '' ? [[name, text.trim()]] : []
  })
  return { sort: rememberedSort(request) ?? 'updated', ...typed(listBundles.input, own), ...Object.fromEntries(texts) }
}

/** The order that this browser's list was last sorted by; `/dashboard/sort` remembers it. */
function rememberedSort(request: Request): string | undefined {
  return /(?:^|;\s*)list_sort=(created|updated|title)(?:;|$)/.exec(request.headers.get('cookie') ?? '')?.[1]
}
