import { desc, ne, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { param, preparedStatements } from '../../db/prepared.ts'
import { bundles } from '../../db/schema.ts'
import type { SignedIn, Subject } from '../identity/caller.ts'
import { inLongReadSlot } from '../operations/read-slots.ts'
import { subjectIdOf } from '../plans/owners.ts'
import { BOUNDS } from './bounds.ts'
import { isListed, ownerOf } from './list-order.ts'

/** A link that stands in another bundle, the last edited of those. */
export interface SeenLink {
  url: string
  slug: string
  /** Its title, or its path. */
  called: string
}

/** Bundles that are looked through, the last edited: a hint must cost the same with any number of them. */
const LOOKED_THROUGH = 1_000

/**
 * Which links, of the first 25, stand in other bundles of the acting subject, as they are written there.
 * @param besides the slug of the bundle that is edited; empty for a new one.
 */
export async function seenElsewhere(
  store: Store,
  { subject, userId }: SignedIn,
  links: readonly string[],
  besides: string,
): Promise<SeenLink[]> {
  const urls = [...new Set(links)].slice(0, BOUNDS.urls)
  const values = { owner: subjectIdOf(subject), urls: JSON.stringify(urls), besides }
  const [query] = containing(store.db, subject.type, values)
  const found = await inLongReadSlot(userId, () => store.readLong(query!))
  const seen = JSON.parse(String(found ?? '[]')) as [url: string, slug: string, title: string | null][]
  return seen.map(([url, slug, title]) => ({ url, slug, called: title ?? `/l/${slug}` }))
}

const containing = preparedStatements((_, subject: Subject['type']) => {
  const newest = sql`SELECT ${bundles.slug} AS slug, ${bundles.title} AS title, ${bundles.urls} AS urls, ${bundles.updatedAt} AS at FROM ${bundles} WHERE ${isListed({ subject, state: 'active' }, ownerOf(subject))} AND ${ne(bundles.slug, param('besides'))} ORDER BY ${desc(bundles.updatedAt)} LIMIT ${sql.raw(String(LOOKED_THROUGH))}`
  // Of several bundles, SQLite takes the columns of the one with the greatest time.
  const seen = sql`SELECT link.value AS url, newest.slug AS slug, newest.title AS title, max(newest.at) FROM json_each(${param('urls')}) AS link JOIN (${newest}) AS newest ON instr(newest.urls, json_quote(link.value)) > 0 GROUP BY link.value`
  return [sql`SELECT json_group_array(json_array(url, slug, title)) FROM (${seen})`]
})
