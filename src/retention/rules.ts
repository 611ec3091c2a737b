import { and, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Store } from '../../db/client.ts'
import {
  apiKeys,
  appGrants,
  appRefreshTokens,
  bundleChanges,
  bundles,
  bundleVersions,
  checkedLinks,
  claims,
  counterBatches,
  dailyBreakdowns,
  dailyCounters,
  dailyOpens,
  dailyViewers,
  deviceRequests,
  events,
  goneOwners,
  goneWebhooks,
  icons,
  idempotencyAnswers,
  isReadByAll,
  mails,
  notices,
  openedLinks,
  outbox,
  outgoingTurns,
  policyRules,
  proposals,
  providerEntities,
  providerEvents,
  reports,
  robots,
  session,
  sites,
  unclaimedSince,
  verification,
  webhooks,
} from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { DAY_MS } from '../core/time.ts'
import { DEVICE_SECONDS, RENEWABLE_SECONDS } from '../keys/key-ring.ts'
import { dayOf } from '../launcher/salts.ts'
import { ANSWERS_KEPT_MS } from '../operations/idempotency.ts'
import { type RetentionRule, rowKey, type UnrunQuery } from './retention-rule.ts'

/** How long an unclaimed bundle is kept without a view. */
const UNVIEWED_MS = 365 * DAY_MS

/**
 * How much later purging begins than restoring ends: other processes' clocks may differ, and a bundle that has lost its first
 * versions must not come back.
 */
const GRACE_MS = DAY_MS / 24

/** Rows per write: a bundle has rows in many tables. */
const BUNDLES_PER_WRITE = 100
const CHILDREN_PER_WRITE = 500

/** The tables with many rows for a bundle. The few rows in others go with the bundle itself. */
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
  { table: notices, bundle: notices.bundleId },
  { table: outbox, bundle: outbox.bundleId },
]

/** The rules for unclaimed and deleted bundles. */
const bundleRetentionRules = ({ keepDeletedMs }: Pick<Config, 'keepDeletedMs'>): readonly RetentionRule[] => [
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
        // Checked again a year after the last view found here, so that a bundle costs one check a year.
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
        // The log keeps the action, but not the bundle and the changes.
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

const HOUR_MS = DAY_MS / 24

const ROWS_PER_WRITE = 500

/**
 * All data with a limited retention time. The end of a day is in `launcher/salts.ts`; docs/privacy.md explains the rules to
 * people.
 */
export const retentionRules = (config: Pick<Config, 'keepDeletedMs'>): readonly RetentionRule[] => [
  ...bundleRetentionRules(config),
  // Erases the email address too.
  { what: 'claims', table: claims, from: claims.expiresAt, keptMs: 0 },
  {
    what: 'address_hashes',
    table: bundles,
    from: bundles.createdAt,
    keptMs: 30 * DAY_MS,
    only: isNotNull(bundles.addressHash),
    erase: (db, rows) => [db.update(bundles).set({ addressHash: sql`NULL` }).where(rows)],
  },
  { what: 'answers', table: idempotencyAnswers, from: idempotencyAnswers.createdAt, keptMs: ANSWERS_KEPT_MS },
  { what: 'sessions', table: session, from: session.expiresAt, keptMs: 0 },
  { what: 'verifications', table: verification, from: verification.expiresAt, keptMs: 0 },
  // Used tokens are kept for as long as they could have been valid, to recognise stolen ones.
  {
    what: 'app_refresh_tokens',
    table: appRefreshTokens,
    from: appRefreshTokens.createdAt,
    keptMs: RENEWABLE_SECONDS * 1000,
  },
  // Listed as ended for a while, then erased with their keys.
  {
    what: 'app_grants',
    table: appGrants,
    from: appGrants.endsAt,
    keptMs: 30 * DAY_MS,
    erase: (db, rows) => [
      db.delete(apiKeys).where(sql`${apiKeys.id} IN (SELECT key_id FROM ${appGrants} WHERE ${rows})`),
    ],
  },
  // Kept for as long again, so that a device that still asks learns that its code has expired.
  {
    what: 'device_requests',
    table: deviceRequests,
    from: deviceRequests.expiresAt,
    keptMs: DEVICE_SECONDS * 1000,
  },
  {
    what: 'bundle_changes',
    table: bundleChanges,
    from: bundleChanges.at,
    keptMs: HOUR_MS,
    only: isReadByAll(bundleChanges),
  },
  // Longer than a batch of counts is retried while the store does not answer.
  {
    what: 'counter_batches',
    table: counterBatches,
    from: counterBatches.at,
    keptMs: HOUR_MS,
    key: [counterBatches.at, counterBatches.id],
  },
  {
    what: 'notices',
    table: notices,
    from: notices.notBefore,
    keptMs: 0,
    only: isNull(notices.dueAt),
  },
  // For a service that no longer has a mail server.
  {
    what: 'unsent_notices',
    table: notices,
    from: notices.dueAt,
    keptMs: 3 * DAY_MS,
    only: isNotNull(notices.dueAt),
  },
  // The sender gives mails up earlier, and logs that: this is for a service that no longer has a mail server.
  { what: 'mails', table: mails, from: mails.endsAt, keptMs: HOUR_MS },
  // Sites that no bundle links to; then the icons that no site has.
  { what: 'sites', table: sites, from: sites.unusedSince, keptMs: 30 * DAY_MS, only: isNotNull(sites.unusedSince) },
  {
    what: 'icons',
    table: icons,
    from: icons.unusedSince,
    keptMs: DAY_MS,
    // A row may have sixteen kilobytes.
    rowsPerWrite: 50,
    only: isNotNull(icons.unusedSince),
  },
  { what: 'outbox', table: outbox, from: outbox.at, keptMs: 14 * DAY_MS },
  leftBehind('gone_webhooks', goneWebhooks, { table: outbox, by: outbox.webhookId }),
  // Kept only as long as messages are signed with them.
  {
    what: 'old_webhook_secrets',
    table: webhooks,
    from: webhooks.oldSecretUntil,
    keptMs: 0,
    only: isNotNull(webhooks.oldSecretUntil),
    erase: (db, rows) => [db.update(webhooks).set({ oldSecret: null, oldSecretUntil: null }).where(rows)],
  },
  { what: 'events', table: events, from: events.expiresAt, keptMs: 0 },
  leftBehind('gone_owners', goneOwners, { table: events, by: events.ownerId }),
  // The results of checks of links that no bundle has any more.
  {
    what: 'checked_links',
    table: checkedLinks,
    from: checkedLinks.unusedSince,
    keptMs: 30 * DAY_MS,
    // A row may have five kilobytes, and is in six indexes.
    rowsPerWrite: 100,
    only: isNotNull(checkedLinks.unusedSince),
  },
  // Contents of `robots.txt` files, of up to eight kilobytes each; then turns that are over.
  { what: 'robots', table: robots, from: robots.at, keptMs: DAY_MS, rowsPerWrite: 100 },
  { what: 'outgoing_turns', table: outgoingTurns, from: outgoingTurns.nextAt, keptMs: HOUR_MS / 60 },
  // Providers allow resending events by hand for about this long.
  { what: 'provider_events', table: providerEvents, from: providerEvents.receivedAt, keptMs: 30 * DAY_MS },
  // Rows of accounts stay: they match the next event about that person.
  {
    what: 'provider_entities',
    table: providerEntities,
    from: providerEntities.at,
    keptMs: 30 * DAY_MS,
    only: isNull(providerEntities.userId),
  },
]

/** The rule for the remains of something deleted with too many rows to delete at once: the rows, and then the note of it. */
function leftBehind(
  what: string,
  gone: typeof goneWebhooks | typeof goneOwners,
  { table, by }: { table: typeof outbox | typeof events; by: SQLiteColumn },
): RetentionRule {
  return {
    what,
    table: gone,
    from: gone.at,
    keptMs: 0,
    rowsPerWrite: 100,
    erase: (db, rows) => {
      const some = sql`SELECT ${table.id} FROM ${table} WHERE ${by} IN (SELECT ${gone.id} FROM ${gone} WHERE ${rows}) LIMIT ${ROWS_PER_WRITE}`
      return [
        db.delete(table).where(sql`${table.id} IN (${some})`),
        db.delete(gone).where(and(rows, sql`NOT EXISTS (SELECT 1 FROM ${table} WHERE ${by} = ${gone.id})`)),
      ]
    },
  }
}

/** The number of rows from `before` or earlier, as `rows`; stops counting at `most`. */
export function countDue(db: Store['db'], rule: RetentionRule, before: number, most: number) {
  const due = sql`SELECT 1 FROM ${rule.table} WHERE ${isDue(rule, before)} LIMIT ${most}`
  return db.select({ rows: sql<number>`count(*)` }).from(sql`(${due})`)
}

/** Queries that erase some rows from `before` or earlier, oldest first. */
export function eraseDue(db: Store['db'], rule: RetentionRule, before: number): UnrunQuery[] | Promise<UnrunQuery[]> {
  const columns = rowKey(rule.key)
  const due = sql`SELECT ${columns} FROM ${rule.table} WHERE ${isDue(rule, before)} ORDER BY ${rule.from} LIMIT ${rowsPerWrite(rule)}`
  const rows = sql`(${columns}) IN (${due})`
  return rule.erase?.(db, rows, before) ?? [db.delete(rule.table).where(rows)]
}

/** The most rows of its own table that a write of a rule touches. */
export function rowsPerWrite({ rowsPerWrite = ROWS_PER_WRITE }: RetentionRule): number {
  return rowsPerWrite
}

function isDue({ from, only }: RetentionRule, before: number): SQL {
  return sql`${and(only, sql`${from} <= ${before}`)}`
}
