import { and, eq, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { bundleLinks, checkedLinks, type LinkState, owners } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { iso } from '../core/time.ts'
import type { StoredBundle } from './roles.ts'

// What `src/checks` has found of the links of bundles.

/** What is known of a link of a bundle. */
export interface LinkHealth {
  url: string
  state: LinkState
  since: string
  finalUrl?: string
}

/**
 * What is known of each link of a bundle that is looked at, in their order.
 * @returns undefined before the first look, or if its owner or the operator wants none.
 */
export async function healthOf(
  { store, config }: { store: Pick<Store, 'db'>; config: Pick<Config, 'linkChecks'> },
  { id, urls }: Pick<StoredBundle, 'id' | 'urls'>,
): Promise<LinkHealth[] | undefined> {
  if (!config.linkChecks) return undefined
  const rows = await ofBundle(store.db).all({ id })
  if (rows.every(({ state }) => state === 'unknown')) return undefined
  const found = new Map(rows.map((row) => [row.url, row]))
  return [...new Set(urls)].flatMap((url) => {
    const row = found.get(url)
    if (row === undefined) return []
    const { state, since, finalUrl } = row
    return [{ url, state, since: iso(since), ...(state === 'moved' && finalUrl !== null ? { finalUrl } : {}) }]
  })
}

const ofBundle = prepared((db) => {
  const { url, state, since, finalUrl } = checkedLinks
  return db
    .select({ url, state, since, finalUrl })
    .from(bundleLinks)
    .innerJoin(checkedLinks, eq(checkedLinks.id, bundleLinks.linkId))
    .innerJoin(owners, and(eq(owners.id, checkedLinks.ownerId), eq(owners.checkLinks, true)))
    .where(eq(bundleLinks.bundleId, sql.placeholder('id')))
    .prepare()
})
