import { sql } from 'drizzle-orm'
import { blob, check, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { bundles } from './bundle-schema.ts'
import { isDay } from './columns.ts'

/** Views and clicks per bundle, day and matched rule; `''` if no rule matched. */
export const dailyCounters = sqliteTable(
  'daily_counters',
  {
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    day: text('day').notNull(),
    ruleId: text('rule_id').notNull().default(''),
    views: integer('views').notNull().default(0),
    openAllClicks: integer('open_all_clicks').notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.bundleId, t.day, t.ruleId] }),
    check('daily_counters_day', isDay(t.day)),
    check('daily_counters_positive', sql`${t.views} >= 0 AND ${t.openAllClicks} >= 0`),
  ],
)

/**
 * The day’s distinct viewer hashes, deleted in batches once the day is over. WITHOUT ROWID: a viewer is
 * one row of about 30 bytes. No foreign key, because checking it would need an index by bundle: a trigger deletes the
 * newest day’s hashes with their bundle, and earlier ones are deleted soon anyway.
 */
export const viewerHashes = sqliteTable(
  'viewer_hashes',
  {
    /** Days since 1970: two bytes, where text takes ten. */
    day: integer('day').notNull(),
    bundleId: integer('bundle_id').notNull(),
    hash: blob('hash', { mode: 'buffer' }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.day, t.bundleId, t.hash] }),
    check('viewer_hashes_day', sql`typeof(${t.day}) = 'integer'`),
    check('viewer_hashes_hash', sql`typeof(${t.hash}) = 'blob' AND length(${t.hash}) = 16`),
  ],
)

/** Distinct viewers of a bundle on a past day. */
export const dailyViewers = sqliteTable(
  'daily_viewers',
  {
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    day: text('day').notNull(),
    viewers: integer('viewers').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.bundleId, t.day] }),
    check('daily_viewers_day', isDay(t.day)),
    check('daily_viewers_positive', sql`${t.viewers} >= 0`),
  ],
)

/** Further dimensions by which views are counted, each independently. */
export const DIMENSIONS = ['referrer', 'device', 'language', 'country'] as const
export type Dimension = (typeof DIMENSIONS)[number]
/** Stands for all values beyond the daily maximum; no real value equals it. */
export const OTHER_VALUES = '*'

/**
 * Views per bundle and day by one property from the request: a referring host, a kind of device, a language or a country; `''` if
 * the request has none. Never by two properties at once. WITHOUT ROWID, so that a value is one row.
 */
export const dailyBreakdowns = sqliteTable(
  'daily_breakdowns',
  {
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    day: text('day').notNull(),
    dimension: text('dimension', { enum: DIMENSIONS }).notNull(),
    value: text('value').notNull(),
    views: integer('views').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.bundleId, t.day, t.dimension, t.value] }),
    check('daily_breakdowns_day', isDay(t.day)),
    check(
      'daily_breakdowns_dimension',
      sql`${t.dimension} IN (${sql.raw(DIMENSIONS.map((name) => `'${name}'`).join(', '))})`,
    ),
    check('daily_breakdowns_value', sql`length(${t.value}) <= 253`),
    check('daily_breakdowns_positive', sql`${t.views} > 0`),
  ],
)

/**
 * URLs of links that viewers opened from a launcher, so that counts stay readable for links that are no longer in the bundle.
 * WITHOUT ROWID, like the counts.
 */
export const openedLinks = sqliteTable(
  'opened_links',
  {
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    /** Half of the SHA-256 of the bundle’s id and the URL, wherever the URL is in the bundle. */
    link: blob('link', { mode: 'buffer' }).notNull(),
    /** As stored, with its placeholders: the values that viewers enter are stored nowhere. */
    url: text('url').notNull(),
  },
  (t) => [primaryKey({ columns: [t.bundleId, t.link] }), check('opened_links_link', sql`length(${t.link}) = 16`)],
)

/** How often each link was opened, per day. */
export const dailyOpens = sqliteTable(
  'daily_opens',
  {
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    day: text('day').notNull(),
    link: blob('link', { mode: 'buffer' }).notNull(),
    opens: integer('opens').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.bundleId, t.day, t.link] }),
    check('daily_opens_day', isDay(t.day)),
    check('daily_opens_positive', sql`${t.opens} > 0`),
  ],
)

/** One salt per UTC day, shared by all processes, deleted after its day. */
export const salts = sqliteTable(
  'salts',
  { day: text('day').primaryKey(), salt: blob('salt', { mode: 'buffer' }).notNull() },
  (t) => [check('salts_day', isDay(t.day)), check('salts_length', sql`length(${t.salt}) = 32`)],
)

/**
 * Batches of counts already applied, so that a batch sent again after a lost answer is not counted twice. Swept by key
 * after an hour. WITHOUT ROWID, so that a batch is one row.
 */
export const counterBatches = sqliteTable(
  'counter_batches',
  {
    /** When the batch was created; the same on each attempt. */
    at: integer('at').notNull(),
    id: text('id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.at, t.id] })],
)
