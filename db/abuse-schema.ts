import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { bundles } from './bundle-schema.ts'

/**
 * Bundles that the operator has blocked: their launchers answer 451. A trigger notifies every process, as for edits.
 */
export const blockedBundles = sqliteTable('blocked_bundles', {
  bundleId: integer('bundle_id')
    .primaryKey()
    .references(() => bundles.id, { onDelete: 'cascade' }),
  /** For the operator’s records. */
  reason: text('reason').notNull(),
  at: integer('at').notNull(),
})

/** Why a bundle may be reported. */
export const REPORT_REASONS = ['phishing', 'malware', 'illegal', 'spam', 'other'] as const

/** Viewers’ reports; nothing is stored about the viewer. */
export const reports = sqliteTable(
  'reports',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    reason: text('reason', { enum: REPORT_REASONS }).notNull(),
    detail: text('detail'),
    at: integer('at').notNull(),
  },
  (t) => [
    index('reports_bundle').on(t.bundleId),
    check('reports_reason', sql`${t.reason} IN (${sql.raw(REPORT_REASONS.map((reason) => `'${reason}'`).join(', '))})`),
  ],
)

/**
 * The log of the operator's commands. People are in it by id, so that no address outlives its account. A trigger keeps the newest
 * thousand rows.
 */
export const operatorLog = sqliteTable('operator_log', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  at: integer('at').notNull(),
  /** The operating system's user, as far as `openall-admin` could tell. */
  operator: text('operator'),
  command: text('command').notNull(),
  /** A slug, `user:<id>` or `organization:<id>`. */
  target: text('target'),
})
