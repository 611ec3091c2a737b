import { eq, inArray, sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { icons, sites } from '../../db/schema.ts'
import type { Linking } from '../core/links.ts'
import { DAY_MS } from '../core/time.ts'
import type { Drawn } from './drawing.ts'
import { type SiteIcon, type SiteIcons, sitesOfBundle } from './site.ts'

/** How often a site’s icon is looked for again. */
const MONTH_MS = 30 * DAY_MS
/** The same if none was found, by the reason. */
const AGAIN_MS = { none: MONTH_MS, silent: 7 * DAY_MS, costly: DAY_MS, 'not drawn': 3_600_000 }
/** The most icons, 320 MB in total. Beyond it, the icon unused for longest makes room; without one, no new icon is stored. */
const MAX_ICONS = 20_000
/** The most stored sites to which no bundle links: inspected ones, and those removed within 30 days. */
const MAX_UNUSED_SITES = 10_000

/** The known icons of the sites that a bundle links to. */
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

/** A stored site: its icon, and when to look for it again; null if the site is unknown. */
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

/** The bytes of an icon, as PNG; null if there is none with this id. */
export async function iconPng({ db }: Pick<Store, 'db'>, id: string): Promise<Buffer | null> {
  const [row] = await db.select({ png: icons.png }).from(icons).where(eq(icons.id, id))
  return row?.png ?? null
}

/**
 * Stores the icon found for a site, and when to look for it again.
 * @param found null if the site has none that can be drawn: a stored one is then removed. It stays if the site did not answer
 *   (undefined), drawing took too long (`costly`), or nothing can be drawn now (`not drawn`).
 */
export async function keepIcon(
  { db, write }: Pick<Store, 'db' | 'write'>,
  origin: string,
  found: Drawn | null | undefined | 'costly' | 'not drawn',
  now: number,
): Promise<void> {
  if (found == null || typeof found === 'string') {
    const dueAt = now + AGAIN_MS[found ?? (found === null ? 'none' : 'silent')]
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
    // Sites and icons that no bundle uses make room.
    sql`DELETE FROM sites WHERE rowid = ${oldest(sites)} AND (${isFull(icons, MAX_ICONS)} OR ${areUnusedFull})`,
    sql`DELETE FROM icons WHERE rowid = ${oldest(icons)} AND ${isFull(icons, MAX_ICONS)}`,
    sql`INSERT INTO icons (id, png, tone) SELECT ${id}, ${png}, ${tone} WHERE NOT ${isFull(icons, MAX_ICONS)} ON CONFLICT DO NOTHING`,
    // For a site that was only inspected; others already have a row.
    sql`INSERT INTO sites (origin, due_at, unused_since) SELECT ${origin}, 0, ${now}
      WHERE ${isKept} AND NOT ${areUnusedFull} ON CONFLICT DO NOTHING`,
    sql`UPDATE sites SET due_at = ${now + MONTH_MS}, icon_id = CASE WHEN ${isKept} THEN ${id} END WHERE origin = ${origin}`,
  ])
}
