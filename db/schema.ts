import { getTableColumns, sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  blob,
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { organization, user } from './identity-schema.ts'
import type { Policy, Tab } from './policy.ts'
import type { Scope } from './rights.ts'

export * from './identity-schema.ts'

// Times are whole milliseconds since 1970 in UTC; days are `YYYY-MM-DD` in UTC.

/** Per-URL metadata, parallel to `urls` (spec 2.1): what a rule's tab has beside its URL, and more. */
export interface UrlMetadata extends Omit<Tab, 'url'> {
  tags?: string[]
  openPolicy?: 'auto' | 'manual'
}

/** Where a bundle came from (decisions 2). */
export const SOURCES = ['web', 'api', 'cli', 'sdk', 'mcp', 'extension', 'import'] as const

const json = <T>(name: string) => text(name, { mode: 'json' }).$type<T>()
const isDay = (column: AnySQLiteColumn) => sql`${column} GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'`
const hasUrls = (column: AnySQLiteColumn) =>
  sql`json_valid(${column}) AND json_array_length(${column}) BETWEEN 1 AND 25`

/**
 * What every version of a bundle holds, as columns of both tables. All else about each is in `src/bundles/content.ts`,
 * which does not compile without it.
 */
const contentColumns = () => ({
  urls: json<string[]>('urls').notNull(),
  urlMetadata: json<UrlMetadata[]>('url_metadata').notNull(),
  title: text('title'),
  description: text('description'),
  resolutionPolicy: json<Policy>('resolution_policy'),
})

/** No table of its own, and not exported, so that no migration makes one: the columns by themselves. */
const contentTable = sqliteTable('content', contentColumns())

/** What a version of a bundle holds. */
export type Content = typeof contentTable.$inferSelect

/** What a version takes, in bytes. */
const contentBytes = Object.values(getTableColumns(contentTable))
  .map(({ name, notNull }) => {
    const length = `length(CAST("${name}" AS BLOB))`
    return notNull ? length : `coalesce(${length}, 0)`
  })
  .join(' + ')

/** Whoever bundles and keys belong to, a user or an organisation, and its plan. Goes with the account. */
export const owners = sqliteTable(
  'owners',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    userId: text('user_id')
      .unique()
      .references(() => user.id, { onDelete: 'cascade' }),
    organizationId: text('organization_id')
      .unique()
      .references(() => organization.id, { onDelete: 'cascade' }),
    plan: text('plan', { enum: ['free', 'pro'] })
      .notNull()
      .default('free'),
    /** What all versions of its bundles take, kept by triggers: the sum of `bundle_versions.bytes`. */
    historyBytes: integer('history_bytes').notNull().default(0),
  },
  (t) => [
    check('owners_one', sql`(${t.userId} IS NULL) <> (${t.organizationId} IS NULL)`),
    check('owners_plan', sql`${t.plan} IN ('free', 'pro')`),
  ],
)

/** A bundle as it stands now; `bundle_versions` holds every state it has had. */
export const bundles = sqliteTable(
  'bundles',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    slug: text('slug').notNull(),
    /** Null while unclaimed. */
    ownerId: integer('owner_id').references(() => owners.id, { onDelete: 'cascade' }),
    ...contentColumns(),
    source: text('source', { enum: SOURCES }).notNull(),
    /** `<client>/<tag>` of the Service-Client header, or null. */
    client: text('client'),
    /** HMAC of the creator's address, for the anonymous cap alone; erased on claim and after 30 days. */
    addressHash: text('address_hash'),
    versionNumber: integer('version_number').notNull().default(1),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    deletedAt: integer('deleted_at'),
  },
  (t) => [
    uniqueIndex('bundles_slug').on(t.slug),
    index('bundles_owner').on(t.ownerId, t.deletedAt, t.createdAt),
    index('bundles_owner_updated').on(t.ownerId, t.deletedAt, t.updatedAt),
    index('bundles_address').on(t.addressHash).where(sql`${t.addressHash} IS NOT NULL`),
    check('bundles_slug_length', sql`length(${t.slug}) BETWEEN 3 AND 64`),
    check('bundles_urls', hasUrls(t.urls)),
    check('bundles_metadata', sql`json_array_length(${t.urlMetadata}) = json_array_length(${t.urls})`),
    check('bundles_source', sql`${t.source} IN (${sql.raw(SOURCES.map((source) => `'${source}'`).join(', '))})`),
    check('bundles_version', sql`${t.versionNumber} >= 1`),
    check('bundles_address_unowned', sql`${t.addressHash} IS NULL OR ${t.ownerId} IS NULL`),
  ],
)

/**
 * Slugs of bundles that are gone with their account: nobody else may take them (decisions 13). Written by a trigger, so
 * that no way of deleting can forget it.
 */
export const retiredSlugs = sqliteTable('retired_slugs', {
  slug: text('slug').primaryKey(),
  at: integer('at').notNull(),
})

/** The state of a bundle after each edit; 1 is the bundle as created (spec 2.4, decisions 2). */
export const bundleVersions = sqliteTable(
  'bundle_versions',
  {
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    versionNumber: integer('version_number').notNull(),
    ...contentColumns(),
    /** The editor's user id; null while anonymous. */
    editedBy: text('edited_by'),
    editedAt: integer('edited_at').notNull(),
    bytes: integer('bytes').generatedAlwaysAs(sql.raw(contentBytes), { mode: 'virtual' }),
  },
  (t) => [
    primaryKey({ columns: [t.bundleId, t.versionNumber] }),
    check('bundle_versions_number', sql`${t.versionNumber} >= 1`),
    check('bundle_versions_urls', hasUrls(t.urls)),
  ],
)

/**
 * Which bundles changed, in commit order: processes drop their rendered pages by it. Written by triggers, so
 * that no way of changing or deleting a bundle can forget it. Swept after an hour.
 */
export const bundleChanges = sqliteTable('bundle_changes', {
  seq: integer('seq').primaryKey({ autoIncrement: true }),
  slug: text('slug').notNull(),
  at: integer('at').notNull(),
})

/** Every rule id a bundle's policies have ever had: an event that names another is dropped (decisions 7). */
export const policyRules = sqliteTable(
  'policy_rules',
  {
    id: text('id').primaryKey(),
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
  },
  (t) => [index('policy_rules_bundle').on(t.bundleId), check('policy_rules_id', sql`${t.id} GLOB 'r_*'`)],
)

/** The right to claim an anonymous bundle: single use, hashed, deleted when used or lapsed (decisions 4). */
export const claims = sqliteTable(
  'claims',
  {
    tokenHash: text('token_hash').primaryKey(),
    bundleId: integer('bundle_id')
      .notNull()
      .unique()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    /** Where the claim link is sent; goes with the row. */
    email: text('email'),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [index('claims_expires').on(t.expiresAt), index('claims_email').on(t.email)],
)

/** API keys (spec 2.5); only the SHA-256 of the secret is kept. */
export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    ownerId: integer('owner_id')
      .notNull()
      .references(() => owners.id, { onDelete: 'cascade' }),
    /** The user who minted it: an organisation's key acts with this member's current role. */
    mintedBy: text('minted_by').notNull(),
    name: text('name').notNull(),
    keyPrefix: text('key_prefix').notNull(),
    secretHash: blob('secret_hash', { mode: 'buffer' }).notNull(),
    scopes: json<Scope[]>('scopes').notNull(),
    rateLimitPerHour: integer('rate_limit_per_hour').notNull().default(1000),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
    revokedAt: integer('revoked_at'),
    /** When its minter left the organisation, by a trigger: it is dead also once they come back (decisions 13). */
    minterLeftAt: integer('minter_left_at'),
  },
  (t) => [
    uniqueIndex('api_keys_prefix').on(t.keyPrefix),
    index('api_keys_owner').on(t.ownerId),
    check('api_keys_name', sql`length(${t.name}) BETWEEN 1 AND 100`),
    check('api_keys_hash', sql`length(${t.secretHash}) = 32`),
    check('api_keys_scopes', sql`json_valid(${t.scopes}) AND json_array_length(${t.scopes}) BETWEEN 1 AND 3`),
    check('api_keys_limit', sql`${t.rateLimitPerHour} BETWEEN 0 AND 100000`),
  ],
)

/** Views and clicks per bundle, day and matched rule; `''` is the bucket for no rule (decisions 7). */
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

/** The day's distinct viewer hashes; reduced to `daily_viewers` and deleted with the day's salt. */
export const viewerHashes = sqliteTable(
  'viewer_hashes',
  {
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    day: text('day').notNull(),
    hash: text('hash').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.bundleId, t.day, t.hash] }),
    index('viewer_hashes_day').on(t.day),
    check('viewer_hashes_day_shape', isDay(t.day)),
  ],
)

/** How many distinct viewers a bundle had on a day that is over. */
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

/** One salt a UTC day, shared by all processes, deleted after its day (decisions 7). */
export const salts = sqliteTable(
  'salts',
  { day: text('day').primaryKey(), salt: blob('salt', { mode: 'buffer' }).notNull() },
  (t) => [check('salts_day', isDay(t.day)), check('salts_length', sql`length(${t.salt}) = 32`)],
)

/** Batches of counts that are in: a batch sent again after a lost answer adds nothing. Swept after an hour. */
export const counterBatches = sqliteTable('counter_batches', {
  id: text('id').primaryKey(),
  at: integer('at').notNull(),
})

/** First answers of creating calls, for 24 h (decisions 1). The answer is encrypted under the idempotency key. */
export const idempotencyAnswers = sqliteTable(
  'idempotency_answers',
  {
    /** HMAC of caller, operation and key: neither can be read from here. */
    keyHash: text('key_hash').primaryKey(),
    /** Whom the caller acted for: the answer goes with the account. Null for callers without one. */
    ownerId: integer('owner_id').references(() => owners.id, { onDelete: 'cascade' }),
    requestHash: text('request_hash').notNull(),
    answer: blob('answer', { mode: 'buffer' }).notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('idempotency_answers_created').on(t.createdAt), index('idempotency_answers_owner').on(t.ownerId)],
)

/** Webhook deliveries that have taken effect, written in the same transaction as the effect (decisions 9). */
export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    source: text('source', { enum: ['identity', 'payment'] }).notNull(),
    deliveryId: text('delivery_id').notNull(),
    receivedAt: integer('received_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.source, t.deliveryId] }),
    index('webhook_deliveries_received').on(t.receivedAt),
    check('webhook_deliveries_source', sql`${t.source} IN ('identity', 'payment')`),
  ],
)

/**
 * What webhooks have told of people, memberships and subscriptions: when last, so that an event that comes late undoes
 * nothing, and which account a person of the identity provider has here.
 */
export const webhookEntities = sqliteTable(
  'webhook_entities',
  {
    source: text('source', { enum: ['identity', 'payment'] }).notNull(),
    /** Kind and the sender's own id, such as `user:user_2x`. */
    entity: text('entity').notNull(),
    /** When the newest event happened, by the sender's clock. */
    at: integer('at').notNull(),
    userId: text('user_id').references(() => user.id, { onDelete: 'set null' }),
  },
  (t) => [
    primaryKey({ columns: [t.source, t.entity] }),
    index('webhook_entities_at').on(t.at),
    index('webhook_entities_user').on(t.userId).where(sql`${t.userId} IS NOT NULL`),
    check('webhook_entities_source', sql`${t.source} IN ('identity', 'payment')`),
  ],
)

/**
 * Bundles that the operator has taken down: their launchers answer 451. A trigger tells every process of a change, as
 * for edits.
 */
export const blockedBundles = sqliteTable('blocked_bundles', {
  bundleId: integer('bundle_id')
    .primaryKey()
    .references(() => bundles.id, { onDelete: 'cascade' }),
  /** For the operator's own record. */
  reason: text('reason').notNull(),
  at: integer('at').notNull(),
})

/** Why a bundle may be reported. */
export const REPORT_REASONS = ['phishing', 'malware', 'illegal', 'spam', 'other'] as const

/** What viewers have reported; nothing is kept of who did. */
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
