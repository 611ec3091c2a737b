import { sql } from 'drizzle-orm'
import { bundles, bundleVersions } from '../../db/schema.ts'
import type { Service } from '../core/service.ts'
import type { Caller } from '../identity/caller.ts'
import type { Presented } from './appearance.ts'
import {
  entered,
  type Filter,
  idsIn,
  isListedFor,
  LISTED,
  type ListedBundle,
  read,
  type Visit,
  visitOf,
} from './listed.ts'

/** A bundle of a start page, and when what it shows there changed last. */
export interface RecentBundle extends ListedBundle {
  /** In milliseconds since 1970. */
  changedAt: number
}

/** The most bundles in a feed. */
const MOST = 50
/** Versions searched for the last change: not every edit changes what a start page shows. */
const MAX_VERSIONS = 200

/** The value of a version, or its part’s id: large values are in parts, which equal values share. */
const stored = (name: string) => `coalesce(${name}_part, ${name})`
const LINKS = `json_array(${stored('urls')}, ${stored('url_metadata')})`
const TABS = 'json_array_length(coalesce((SELECT content FROM version_parts WHERE id = urls_part), urls))'

/** What a start page shows of a version; of the links of one with rules, strangers see the number. */
const markFor = ({ isMember }: Pick<Visit, 'isMember'>) =>
  `json_array(title, ${stored('description')}, access, listed, ${isMember ? LINKS : `CASE WHEN ${stored('resolution_policy')} IS NULL THEN ${LINKS} ELSE ${TABS} END`})`

/**
 * The bundles of a start page that changed last, newest first. Changes that it does not show do not count, so that it never tells
 * its readers of edits that they cannot see.
 * @throws Problem NOT_FOUND as the page does.
 */
export async function recentOf(
  service: Pick<Service, 'store' | 'blockedHosts' | 'config'>,
  caller: Caller,
  handle: string,
  filter: Filter,
): Promise<{ organization: Presented; bundles: RecentBundle[] }> {
  const visit = await visitOf(service, caller, handle)
  const instant = new Date().toISOString()
  const openedAt = sql`CASE WHEN ${bundles.opensAt} <= ${instant} THEN unixepoch(${bundles.opensAt}) * 1000 ELSE 0 END`
  const mark = sql.raw(markFor(visit))
  const changedAt = sql`coalesce((
    SELECT edited_at FROM ${bundleVersions} v
    WHERE bundle_id = latest.id AND version_number > latest.number - ${MAX_VERSIONS}
      AND ${mark} IS NOT (
        SELECT ${mark} FROM ${bundleVersions} WHERE bundle_id = v.bundle_id AND version_number < v.version_number
        ORDER BY version_number DESC LIMIT 1
      )
    ORDER BY version_number DESC LIMIT 1
  ), latest.made)`
  const keys = (await idsIn(
    service.store,
    visit,
    sql`SELECT json_group_array(json_array(id, at)) FROM (
      SELECT id, max(${changedAt}, opened) AS at FROM (
        SELECT ${bundles.id} AS id, ${bundles.versionNumber} AS number, ${bundles.createdAt} AS made, ${openedAt} AS opened
        FROM ${LISTED} WHERE ${isListedFor(visit, filter)}
        ORDER BY max(${bundles.updatedAt}, ${openedAt}) DESC, ${bundles.id} DESC LIMIT ${MOST}
      ) latest ORDER BY at DESC, id DESC
    )`,
  )) as [id: number, at: number][]
  const at = new Map(keys)
  const found = await read(service, visit, [...at.keys()], new Set())
  return {
    organization: await entered(service, visit, found.length),
    bundles: found.map((bundle) => ({ ...bundle, changedAt: at.get(bundle.id) ?? 0 })),
  }
}
