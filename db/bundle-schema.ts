import { getTableColumns, sql } from 'drizzle-orm'
import {
  check,
  index,
  integer,
  primaryKey,
  type SQLiteColumn,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { json } from './columns.ts'
import { contentColumns, hasUrls, rowBytes } from './content-schema.ts'
import { user } from './identity-schema.ts'
import { owners } from './owner-schema.ts'

/** Where a bundle came from. */
export const SOURCES = ['web', 'api', 'cli', 'sdk', 'mcp', 'extension', 'import'] as const

/** What its row holds besides its content, with its place in indexes, in bytes. */
export const BUNDLE_OVERHEAD = 256

/** What a bundle has for its owner alone, in no version and for no viewer. */
const ownColumns = () => ({
  /** What another system of the owner’s calls it; unique among the owner’s bundles that are not deleted. */
  externalId: text('external_id'),
  metadata: json<Record<string, string>>('metadata'),
})

const ownTable = sqliteTable('own', ownColumns())

/**
 * Since when nobody has viewed a bundle that nobody owns, as far as the sweep knows; null for all others. One expression,
 * so that SQLite finds the index on it, and not the one by owner.
 */
export const unclaimedSince = (t: Record<'ownerId' | 'deletedAt' | 'viewedAt' | 'createdAt', SQLiteColumn>) =>
  sql`CASE WHEN ${t.ownerId} IS NULL AND ${t.deletedAt} IS NULL THEN coalesce(${t.viewedAt}, ${t.createdAt}) END`

/** The current state of a bundle; `bundle_versions` has all its states. */
export const bundles = sqliteTable(
  'bundles',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    slug: text('slug').notNull(),
    /** What `retired_slugs` keeps of the slug. */
    slugHash: text('slug_hash').notNull(),
    /** Null while unclaimed. */
    ownerId: integer('owner_id').references(() => owners.id, { onDelete: 'cascade' }),
    ...contentColumns(),
    source: text('source', { enum: SOURCES }).notNull(),
    /** `<client>/<tag>` of the Service-Client header, or null. */
    client: text('client'),
    ...ownColumns(),
    /** HMAC of the creator’s address, only for the anonymous cap; erased on claim and after 30 days. */
    addressHash: text('address_hash'),
    versionNumber: integer('version_number').notNull().default(1),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    deletedAt: integer('deleted_at'),
    /** The last day, as its first instant, on which the sweep found views of an unclaimed bundle; null before that. */
    viewedAt: integer('viewed_at'),
    bytes: rowBytes(BUNDLE_OVERHEAD, getTableColumns(ownTable)),
  },
  (t) => [
    uniqueIndex('bundles_slug').on(t.slug),
    uniqueIndex('bundles_external_id')
      .on(t.ownerId, t.externalId)
      .where(sql`${t.externalId} IS NOT NULL AND ${t.deletedAt} IS NULL`),
    index('bundles_external_id_ever').on(t.ownerId, t.externalId, t.deletedAt).where(sql`${t.externalId} IS NOT NULL`),
    index('bundles_owner').on(t.ownerId, t.deletedAt, t.createdAt),
    index('bundles_owner_updated').on(t.ownerId, t.deletedAt, t.updatedAt),
    index('bundles_address').on(t.addressHash).where(sql`${t.addressHash} IS NOT NULL`),
    // For the sweep.
    index('bundles_address_created').on(t.createdAt).where(sql`${t.addressHash} IS NOT NULL`),
    index('bundles_deleted').on(t.deletedAt).where(sql`${t.deletedAt} IS NOT NULL`),
    index('bundles_unclaimed')
      .on(unclaimedSince(t))
      .where(sql`${unclaimedSince(t)} IS NOT NULL`),
    check('bundles_slug_length', sql`length(${t.slug}) BETWEEN 3 AND 64`),
    check('bundles_urls', hasUrls(t.urls)),
    check('bundles_metadata', sql`json_array_length(${t.urlMetadata}) = json_array_length(${t.urls})`),
    check('bundles_source', sql`${t.source} IN (${sql.raw(SOURCES.map((source) => `'${source}'`).join(', '))})`),
    check('bundles_version', sql`${t.versionNumber} >= 1`),
    check('bundles_address_unowned', sql`${t.addressHash} IS NULL OR ${t.ownerId} IS NULL`),
  ],
)

/**
 * Slugs of bundles that are gone, which nobody may take again. Written by a trigger, so that no way of deleting can miss
 * one.
 */
export const retiredSlugs = sqliteTable('retired_slugs', {
  /** `bundles.slugHash`: its fingerprint, so that what is erased is written nowhere. */
  slugHash: text('slug_hash').primaryKey(),
})

/**
 * The case-folded text that lists search (`src/bundles/search.ts`), because SQLite folds only ASCII letters. Written with
 * each version.
 */
export const bundleSearch = sqliteTable('bundle_search', {
  bundleId: integer('bundle_id')
    .primaryKey()
    .references(() => bundles.id, { onDelete: 'cascade' }),
  text: text('text').notNull(),
})

/**
 * Bundles whose entry in `bundle_index` is missing or outdated, or that are gone while it has one; written by triggers.
 * `bundle_index` is a table of SQLite's full-text search, which drizzle cannot express: it finds the bundles of an owner by
 * three characters of their search text (`src/bundles/search-index.ts`). No foreign keys, because the entry of a bundle
 * that is gone must be deleted too. WITHOUT ROWID.
 */
export const searchPending = sqliteTable(
  'search_pending',
  { ownerId: integer('owner_id').notNull(), bundleId: integer('bundle_id').notNull() },
  (t) => [primaryKey({ columns: [t.ownerId, t.bundleId] })],
)

/**
 * When an owned bundle was last erased, and which of these times the last rewriting of `bundle_index` was for: until it is
 * rewritten, its parts may hold pieces of erased texts. One row.
 */
export const searchErasure = sqliteTable(
  'search_erasure',
  {
    id: integer('id').primaryKey(),
    erasedAt: integer('erased_at').notNull(),
    rewrittenFor: integer('rewritten_for').notNull(),
  },
  (t) => [check('search_erasure_one', sql`${t.id} = 1`)],
)

/**
 * Which bundles changed, in commit order, so that processes can drop their rendered pages. Written by triggers, so that
 * no way of changing or deleting a bundle can miss it. Swept after an hour.
 */
export const bundleChanges = sqliteTable(
  'bundle_changes',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    slug: text('slug').notNull(),
    at: integer('at').notNull(),
  },
  (t) => [index('bundle_changes_at').on(t.at)],
)

/** Every rule id that a bundle’s policies have ever had: events with any other id are dropped. */
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

/**
 * The password of a bundle that has, or once had, `access: "password"`. In a table of its own, so that nothing that reads
 * bundles or versions can show it.
 */
export const bundlePasswords = sqliteTable('bundle_passwords', {
  bundleId: integer('bundle_id')
    .primaryKey()
    .references(() => bundles.id, { onDelete: 'cascade' }),
  /** As identity/passwords.ts makes it. */
  hash: text('hash').notNull(),
})

/** The right to claim an anonymous bundle: single use, hashed, deleted once used or expired. */
export const claims = sqliteTable(
  'claims',
  {
    tokenHash: text('token_hash').primaryKey(),
    bundleId: integer('bundle_id')
      .notNull()
      .unique()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    /** Where the claim link is sent; deleted with the row. */
    email: text('email'),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [index('claims_expires').on(t.expiresAt), index('claims_email').on(t.email)],
)

/**
 * The bundles that a person has pinned, which lists show them first. Triggers delete a pin with its person's right to read
 * the bundle. WITHOUT ROWID.
 */
export const pins = sqliteTable(
  'pins',
  {
    userId: text('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    pinnedAt: integer('pinned_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.bundleId] }), index('pins_bundle').on(t.bundleId)],
)
