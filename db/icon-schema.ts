import { sql } from 'drizzle-orm'
import { blob, check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Grounds on which an icon would not be seen: a light one on light ground, a dark one on dark ground. */
export const TONES = ['light', 'dark'] as const

/** Icons of sites as they were drawn anew, each once. */
export const icons = sqliteTable(
  'icons',
  {
    /** 132 bits of the SHA-256 of `png`, as 22 characters of base64url. */
    id: text('id').primaryKey(),
    png: blob('png', { mode: 'buffer' }).notNull(),
    /** Null where it is seen on any ground. */
    tone: text('tone', { enum: TONES }),
    /** Since when no site has it; null while one has. Set by triggers. */
    unusedSince: integer('unused_since'),
  },
  (t) => [
    index('icons_unused').on(t.unusedSince).where(sql`${t.unusedSince} IS NOT NULL`),
    check('icons_png', sql`length(${t.png}) <= 16384`),
    check('icons_tone', sql`${t.tone} IN ('light', 'dark')`),
  ],
)

/** Sites that bundles link to, or that somebody had looked at, with their icons. */
export const sites = sqliteTable(
  'sites',
  {
    /** Such as `https://example.com`. */
    origin: text('origin').primaryKey(),
    /** Null if none was found, or none was looked for yet. */
    iconId: text('icon_id').references(() => icons.id),
    /** When to look for its icon; while a process does, when another may take over. */
    dueAt: integer('due_at').notNull(),
    /** Since when no bundle links to it; null while one does. Set by triggers. */
    unusedSince: integer('unused_since'),
  },
  (t) => [
    index('sites_icon').on(t.iconId).where(sql`${t.iconId} IS NOT NULL`),
    index('sites_due').on(t.dueAt).where(sql`${t.unusedSince} IS NULL`),
    index('sites_unused').on(t.unusedSince).where(sql`${t.unusedSince} IS NOT NULL`),
  ],
)

/**
 * Which sites the bundles that somebody owns link to. No foreign key to `bundles`, which the schema of bundles declares; a trigger
 * deletes what a bundle leaves behind. WITHOUT ROWID.
 */
export const bundleSites = sqliteTable(
  'bundle_sites',
  { bundleId: integer('bundle_id').notNull(), origin: text('origin').notNull() },
  (t) => [primaryKey({ columns: [t.bundleId, t.origin] }), index('bundle_sites_origin').on(t.origin, t.bundleId)],
)

/** Bundles whose links have changed since `bundle_sites` was written. Written by triggers. */
export const sitesPending = sqliteTable('sites_pending', {
  /** Grows with each change, so that one that is made meanwhile is not taken to be done. */
  seq: integer('seq').primaryKey({ autoIncrement: true }),
  bundleId: integer('bundle_id').notNull().unique(),
})
