import { desc, ne, sql } from 'drizzle-orm'
import type { Store } from '../../../db/client.ts'
import { param, preparedStatements } from '../../../db/prepared.ts'
import { bundles } from '../../../db/schema.ts'
import { routes } from '../../core/routes.ts'
import { inLongReadSlot } from '../../core/scheduling.ts'
import type { SignedIn, Subject } from '../../identity/caller.ts'
import { subjectIdOf } from '../../plans/owners.ts'
import { BOUNDS } from '../content/content.ts'
import { isListed, ownerOf } from '../list/list-order.ts'

/** A link that another bundle also has: the last edited one of these. */
export interface SeenLink {
  url: string
  slug: string
  /** The bundle’s title, or the path of its launcher. */
  called: string
}

/** How many bundles are searched, the last edited ones: a hint must cost the same however many there are. */
const LOOKED_THROUGH = 1_000

/**
 * Finds which of the first 25 distinct links are also, equally written, in other bundles of the acting subject.
 * @param besides the slug of the bundle being edited; empty for a new one.
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
  return seen.map(([url, slug, title]) => ({ url, slug, called: title ?? routes.launcher.page.href({ slug }) }))
}

const containing = preparedStatements((_, subject: Subject['type']) => {
  const newest = sql`SELECT ${bundles.slug} AS slug, ${bundles.title} AS title, ${bundles.urls} AS urls, ${bundles.updatedAt} AS at FROM ${bundles} WHERE ${isListed({ subject, state: 'active' }, ownerOf(subject))} AND ${ne(bundles.slug, param('besides'))} ORDER BY ${desc(bundles.updatedAt)} LIMIT ${sql.raw(String(LOOKED_THROUGH))}`
  // With a bare max(), SQLite takes the other columns from the row with the latest time.
  const seen = sql`SELECT link.value AS url, newest.slug AS slug, newest.title AS title, max(newest.at) FROM json_each(${param('urls')}) AS link JOIN (${newest}) AS newest ON instr(newest.urls, json_quote(link.value)) > 0 GROUP BY link.value`
  return [sql`SELECT json_group_array(json_array(url, slug, title)) FROM (${seen})`]
})
