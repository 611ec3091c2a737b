import { and, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import {
  bundles,
  bundleVersions,
  dailyBreakdowns,
  dailyCounters,
  dailyOpens,
  dailyViewers,
  events,
  openedLinks,
  outbox,
  policyRules,
  proposalMails,
  proposals,
  reports,
  unclaimedSince,
} from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { DAY_MS } from '../core/time.ts'
import { dayOf } from '../launcher/salts.ts'
import { type RetentionRule, rowKey } from './retention-rule.ts'

/** An unclaimed bundle is purged after so long without a view. */
const UNVIEWED_MS = 365 * DAY_MS

/**
 * Purging begins so much later than restoring ends: other processes' clocks may differ, and a bundle that has lost its
 * first versions must not come back.
 */
const GRACE_MS = DAY_MS / 24

/** Rows per write: a bundle has rows in many tables. */
const BUNDLES_PER_WRITE = 100
const CHILDREN_PER_WRITE = 500

/** What a bundle may have many rows of. The few others go with the bundle itself. */
const CHILDREN: readonly { table: SQLiteTable; bundle: SQLiteColumn; key?: readonly SQLiteColumn[] }[] = [
  { table: bundleVersions, bundle: bundleVersions.bundleId },
  { table: dailyCounters, bundle: dailyCounters.bundleId },
  { table: dailyViewers, bundle: dailyViewers.bundleId },
  {
    table: dailyBreakdowns,
    bundle: dailyBreakdowns.bundleId,
    key: [dailyBreakdowns.bundleId, dailyBreakdowns.day, dailyBreakdowns.dimension, dailyBreakdowns.value],
  },
  {
    table: dailyOpens,
    bundle: dailyOpens.bundleId,
    key: [dailyOpens.bundleId, dailyOpens.day, dailyOpens.link],
  },
  { table: openedLinks, bundle: openedLinks.bundleId, key: [openedLinks.bundleId, openedLinks.link] },
  { table: policyRules, bundle: policyRules.bundleId },
  { table: reports, bundle: reports.bundleId },
  { table: proposals, bundle: proposals.bundleId },
  { table: proposalMails, bundle: proposalMails.bundleId },
  { table: outbox, bundle: outbox.bundleId },
]

/** How long bundles are kept that nobody wants, and what is kept of them. */
export const bundleRetentionRules = ({ keepDeletedMs }: Pick<Config, 'keepDeletedMs'>): readonly RetentionRule[] => [
  {
    what: 'unclaimed_bundles',
    table: bundles,
    from: unclaimedSince(bundles),
    keptMs: UNVIEWED_MS,
    rowsPerWrite: BUNDLES_PER_WRITE,
    only: isNotNull(unclaimedSince(bundles)),
    erase: (db, rows, before) => {
      const views = sql`FROM ${dailyCounters} WHERE ${dailyCounters.bundleId} = ${bundles.id} AND ${dailyCounters.day} > ${dayOf(before)}`
      return [
        // Looked at again a year after the last view found here, so that a bundle costs a sweep one look in a year.
        db
          .update(bundles)
          .set({ viewedAt: sql`(SELECT unixepoch(max(${dailyCounters.day})) * 1000 ${views})` })
          .where(and(rows, sql`EXISTS (SELECT 1 ${views})`)),
        // Nobody can restore it: it is due at once.
        db
          .update(bundles)
          .set({ deletedAt: sql`0` })
          .where(and(rows, sql`NOT EXISTS (SELECT 1 ${views})`)),
      ]
    },
  },
  {
    what: 'deleted_bundles',
    table: bundles,
    from: bundles.deletedAt,
    keptMs: keepDeletedMs + GRACE_MS,
    rowsPerWrite: BUNDLES_PER_WRITE,
    only: isNotNull(bundles.deletedAt),
    erase: (db, rows) => {
      const purged = sql`SELECT ${bundles.id} FROM ${bundles} WHERE ${rows}`
      return [
        ...CHILDREN.map(({ table, bundle, key }) => {
          const columns = rowKey(key)
          const some = sql`SELECT ${columns} FROM ${table} WHERE ${bundle} IN (${purged}) LIMIT ${CHILDREN_PER_WRITE}`
          return db.delete(table).where(sql`(${columns}) IN (${some})`)
        }),
        // What was done stays known, what with is erased.
        db
          .update(events)
          .set({ bundleId: null, changes: null })
          .where(
            sql`${events.id} IN (SELECT ${events.id} FROM ${events} WHERE ${events.bundleId} IN (${purged}) LIMIT ${CHILDREN_PER_WRITE})`,
          ),
        db
          .delete(bundles)
          .where(
            and(rows, ...[...CHILDREN, { table: events, bundle: events.bundleId }].map((child) => hasNone(child))),
          ),
      ]
    },
  },
]

function hasNone({ table, bundle }: (typeof CHILDREN)[number]): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${table} WHERE ${bundle} = ${bundles.id})`
}
