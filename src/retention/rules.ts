import { and, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Store } from '../../db/client.ts'
import {
  apiKeys,
  appGrants,
  appRefreshTokens,
  bundleChanges,
  bundles,
  checkedLinks,
  claims,
  counterBatches,
  deviceRequests,
  events,
  goneOwners,
  goneWebhooks,
  icons,
  idempotencyAnswers,
  mails,
  outbox,
  outgoingTurns,
  proposalMails,
  providerEntities,
  providerEvents,
  robots,
  session,
  sites,
  verification,
  webhooks,
} from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { DAY_MS } from '../core/time.ts'
import { DEVICE_SECONDS, RENEWABLE_SECONDS } from '../keys/token.ts'
import { ANSWERS_KEPT_MS } from '../operations/idempotency.ts'
import { MAIL_EVERY_MS } from '../proposals/mail-queue.ts'
import { bundleRetentionRules } from './bundles.ts'
import { type RetentionRule, rowKey, type UnrunQuery } from './retention-rule.ts'

const HOUR_MS = DAY_MS / 24

const ROWS_PER_WRITE = 500

/**
 * Everything with a limited retention time. The end of a day is in `launcher/salts.ts`; what each rule means to people is
 * in docs/privacy.md.
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
  // A used one is kept for as long as it could have been valid, to recognise a stolen one.
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
  // For as long again, a device that still asks is told that its code has expired.
  {
    what: 'device_requests',
    table: deviceRequests,
    from: deviceRequests.expiresAt,
    keptMs: DEVICE_SECONDS * 1000,
  },
  { what: 'bundle_changes', table: bundleChanges, from: bundleChanges.at, keptMs: HOUR_MS },
  // Longer than a batch of counts is retried while the store does not answer.
  {
    what: 'counter_batches',
    table: counterBatches,
    from: counterBatches.at,
    keptMs: HOUR_MS,
    key: [counterBatches.at, counterBatches.id],
  },
  {
    what: 'proposal_mails',
    table: proposalMails,
    from: proposalMails.sentAt,
    keptMs: MAIL_EVERY_MS,
    only: isNull(proposalMails.dueAt),
  },
  // Such as of a service that has no mail server any more.
  {
    what: 'unsent_mails',
    table: proposalMails,
    from: proposalMails.dueAt,
    keptMs: 3 * DAY_MS,
    only: isNotNull(proposalMails.dueAt),
  },
  // What sends mails gives them up before, and says so: this is for a service that has no mail server any more.
  { what: 'mails', table: mails, from: mails.endsAt, keptMs: HOUR_MS },
  // Of sites that no bundle links to; then the icons that no site has.
  { what: 'sites', table: sites, from: sites.unusedSince, keptMs: 30 * DAY_MS, only: isNotNull(sites.unusedSince) },
  {
    what: 'icons',
    table: icons,
    from: icons.unusedSince,
    keptMs: DAY_MS,
    // Of sixteen kilobytes.
    rowsPerWrite: 50,
    only: isNotNull(icons.unusedSince),
  },
  { what: 'outbox', table: outbox, from: outbox.at, keptMs: 14 * DAY_MS },
  leftBehind('gone_webhooks', goneWebhooks, { table: outbox, by: outbox.webhookId }),
  // Only as long as messages are signed with them.
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
  // What was found of links that no bundle has any more.
  {
    what: 'checked_links',
    table: checkedLinks,
    from: checkedLinks.unusedSince,
    keptMs: 30 * DAY_MS,
    // Of five kilobytes, and in six indexes.
    rowsPerWrite: 100,
    only: isNotNull(checkedLinks.unusedSince),
  },
  // What `robots.txt` files said, one of which may have eight kilobytes; and turns that are over.
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

/** What is left of something deleted that has too much to delete at once: its rows, and once there are none, the note of it. */
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
