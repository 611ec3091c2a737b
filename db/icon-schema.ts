import { sql } from 'drizzle-orm'
import { blob, check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Backgrounds on which an icon would be invisible: a light icon on light, a dark icon on dark. */
export const TONES = ['light', 'dark'] as const

/** The icons of sites as redrawn by the service, each stored once. */
export const icons = sqliteTable(
  'icons',
  {
    /** 132 bits of the SHA-256 of `png`, as 22 characters of base64url. */
    id: text('id').primaryKey(),
    png: blob('png', { mode: 'buffer' }).notNull(),
    /** The background on which it is invisible; null if none. */
    tone: text('tone', { enum: TONES }),
    /** The time since which no site has it; null while one has. Set by triggers. */
    unusedSince: integer('unused_since'),
  },
  (t) => [
    index('icons_unused').on(t.unusedSince).where(sql`${t.unusedSince} IS NOT NULL`),
    check('icons_png', sql`length(${t.png}) <= 16384`),
    check('icons_tone', sql`${t.tone} IN ('light', 'dark')`),
  ],
)

/** Sites that bundles link to, or that somebody had inspected, with their icons. */
export const sites = sqliteTable(
  'sites',
  {
    /** Such as `https://example.com`. */
    origin: text('origin').primaryKey(),
    /** Null if no icon was found or looked for yet. */
    iconId: text('icon_id').references(() => icons.id),
    /** The time of the next look-up of its icon; during one, the time when another process may take over. */
    dueAt: integer('due_at').notNull(),
    /** The time since which no bundle links to it; null while one does. Set by triggers. */
    unusedSince: integer('unused_since'),
  },
  (t) => [
    index('sites_icon').on(t.iconId).where(sql`${t.iconId} IS NOT NULL`),
    index('sites_due').on(t.dueAt).where(sql`${t.unusedSince} IS NULL`),
    index('sites_unused').on(t.unusedSince).where(sql`${t.unusedSince} IS NOT NULL`),
  ],
)

/**
 * The sites that owned bundles link to. No foreign key to `bundles`, which the schema of bundles declares; a trigger deletes a
 * bundle's rows. WITHOUT ROWID.
 */
export const bundleSites = sqliteTable(
  'bundle_sites',
  { bundleId: integer('bundle_id').notNull(), origin: text('origin').notNull() },
  (t) => [primaryKey({ columns: [t.bundleId, t.origin] }), index('bundle_sites_origin').on(t.origin, t.bundleId)],
)
