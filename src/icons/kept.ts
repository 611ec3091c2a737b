import { eq, inArray, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { icons, sites } from '../../db/schema.ts'
import type { Linking } from '../core/links.ts'
import { DAY_MS } from '../core/time.ts'
import type { Drawn } from './drawing.ts'
import { type SiteIcon, type SiteIcons, sitesOfBundle } from './site.ts'

/** How often a site’s icon is looked for. */
const MONTH_MS = 30 * DAY_MS
/** The same after it did not answer; after drawing its icon took too long, a day. */
const WEEK_MS = 7 * DAY_MS
/** All icons together are 320 MB at most. Once there are so many, the one that no site has for longest makes room, or no new one is kept. */
const MAX_ICONS = 20_000
/** Sites that no bundle links to: those that somebody had looked at, or that were removed within 30 days. */
const MAX_UNUSED_SITES = 10_000

/** The icons of the sites that a bundle links to, as far as they are known. */
export async function iconsOf(db: Store['db'], bundle: Linking): Promise<SiteIcons> {
  const rows = await finder(db).execute({ sites: JSON.stringify(sitesOfBundle(bundle)) })
  return Object.fromEntries(rows.map(({ origin, ...icon }) => [origin, icon]))
}

const finder = prepared((db) =>
  db
    .select({ origin: sites.origin, id: icons.id, tone: icons.tone })
    .from(sites)
    .innerJoin(icons, eq(icons.id, sites.iconId))
    .where(inArray(sites.origin, sql`(SELECT value FROM json_each(${sql.placeholder('sites')}))`))
    .prepare(),
)

/** A site as it is kept, and whether its icon is to be looked for; null if it is not known. */
export async function keptSite(
  { db }: Pick<Store, 'db'>,
  origin: string,
): Promise<{ icon: SiteIcon | null; dueAt: number } | null> {
  const [row] = await db
    .select({ dueAt: sites.dueAt, id: icons.id, tone: icons.tone })
    .from(sites)
    .leftJoin(icons, eq(icons.id, sites.iconId))
    .where(eq(sites.origin, origin))
  if (row === undefined) return null
  const { dueAt, id, tone } = row
  return { dueAt, icon: id === null ? null : { id, tone } }
}

/** The bytes of an icon, as PNG; null if there is none of the name. */
export async function iconPng({ db }: Pick<Store, 'db'>, id: string): Promise<Buffer | null> {
  const [row] = await db.select({ png: icons.png }).from(icons).where(eq(icons.id, id))
  return row?.png ?? null
}

/**
 * Keeps what was found of a site’s icon, and when to look for it again.
 * @param found null if it has none, or none that can be drawn; undefined if it did not answer, `costly` if
 *   drawing it took too long: then what is kept stays.
 */
export async function keepIcon(
  { db, write }: Pick<Store, 'db' | 'write'>,
  origin: string,
  found: Drawn | null | undefined | 'costly',
  now: number,
): Promise<void> {
  const dueAt = now + (found === 'costly' ? DAY_MS : found === undefined ? WEEK_MS : MONTH_MS)
  if (found == null || found === 'costly') {
    const erased = found === null ? { iconId: null } : {}
    await write([
      db
        .update(sites)
        .set({ dueAt, ...erased })
        .where(eq(sites.origin, origin)),
    ])
    return
  }
  const { id, png, tone } = found
  const isKept = sql`EXISTS (SELECT 1 FROM ${icons} WHERE ${icons.id} = ${id})`
  const isFull = (rows: typeof sites | typeof icons, most: number, only = sql`true`) =>
    sql`(SELECT count(*) FROM ${rows} WHERE ${only}) >= ${most}`
  const areUnusedFull = isFull(sites, MAX_UNUSED_SITES, sql`unused_since IS NOT NULL`)
  const oldest = (rows: typeof sites | typeof icons) =>
    sql`(SELECT rowid FROM ${rows} WHERE unused_since IS NOT NULL ORDER BY unused_since LIMIT 1)`
  await write([
    // What nobody uses any more, or somebody only had looked at, makes room.
    sql`DELETE FROM sites WHERE rowid = ${oldest(sites)} AND (${isFull(icons, MAX_ICONS)} OR ${areUnusedFull})`,
    sql`DELETE FROM icons WHERE rowid = ${oldest(icons)} AND ${isFull(icons, MAX_ICONS)}`,
    sql`INSERT INTO icons (id, png, tone) SELECT ${id}, ${png}, ${tone} WHERE NOT ${isFull(icons, MAX_ICONS)} ON CONFLICT DO NOTHING`,
    // Of a site that somebody only had looked at; the others are known.
    sql`INSERT INTO sites (origin, due_at, unused_since) SELECT ${origin}, 0, ${now}
      WHERE ${isKept} AND NOT ${areUnusedFull} ON CONFLICT DO NOTHING`,
    sql`UPDATE sites SET due_at = ${dueAt}, icon_id = CASE WHEN ${isKept} THEN ${id} END WHERE origin = ${origin}`,
  ])
}
