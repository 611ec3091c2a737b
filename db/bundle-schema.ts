import { type Placeholder, sql } from 'drizzle-orm'
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

/** How a bundle was created. */
export const SOURCES = ['web', 'api', 'cli', 'sdk', 'mcp', 'extension', 'import'] as const

/** The size of a bundle's row in bytes, index entries included, apart from its content. */
export const BUNDLE_OVERHEAD = 256

/**
 * The time since which nobody has viewed a bundle without an owner, as far as the sweep knows; null for all others. A single
 * expression, so that SQLite uses the index on it and not the one by owner.
 */
export const unclaimedSince = (t: Record<'ownerId' | 'deletedAt' | 'viewedAt' | 'createdAt', SQLiteColumn>) =>
  sql`CASE WHEN ${t.ownerId} IS NULL AND ${t.deletedAt} IS NULL THEN coalesce(${t.viewedAt}, ${t.createdAt}) END`

/** A flag of a feed row: 1 until the reader has read it. */
const unread = (name: string) => integer(name).notNull().default(0)

/** Selects the feed's rows that no reader still has to read. Worded like their index, so that SQLite uses it. */
export const isReadByAll = (t: Record<'forSearch' | 'forSites' | 'forLinks', SQLiteColumn>) =>
  sql`${t.forSearch} = 0 AND ${t.forSites} = 0 AND ${t.forLinks} = 0`

/** The current state of a bundle; `bundle_versions` has all its states. */
export const bundles = sqliteTable(
  'bundles',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    slug: text('slug').notNull(),
    /** The slug's fingerprint in `retired_slugs`. */
    slugHash: text('slug_hash').notNull(),
    /** Null while unclaimed. */
    ownerId: integer('owner_id').references(() => owners.id, { onDelete: 'cascade' }),
    bytes: rowBytes(BUNDLE_OVERHEAD),
    ...contentColumns(),
    source: text('source', { enum: SOURCES }).notNull(),
    /** `<client>/<tag>` of the Service-Client header, or null. */
    client: text('client'),
    /** Its id in another system of the owner; unique among the owner’s bundles that are not deleted. */
    externalId: text('external_id'),
    metadata: json<Record<string, string>>('metadata'),
    /**
     * Other slugs that lead to it, with their fingerprints in `retired_slugs`; null for none. Triggers write `aliases` from it.
     */
    aliases: json<Record<string, string>>('aliases'),
    /** HMAC of the creator’s address, only for the anonymous cap; erased on claim and after 30 days. */
    addressHash: text('address_hash'),
    versionNumber: integer('version_number').notNull().default(1),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    deletedAt: integer('deleted_at'),
    /** The start of the last day on which the sweep found views of an unclaimed bundle; null before that. */
    viewedAt: integer('viewed_at'),
  },
  (t) => [
    uniqueIndex('bundles_slug').on(t.slug),
    uniqueIndex('bundles_external_id')
      .on(t.ownerId, t.externalId)
      .where(sql`${t.externalId} IS NOT NULL AND ${t.deletedAt} IS NULL`),
    index('bundles_external_id_ever').on(t.ownerId, t.externalId, t.deletedAt).where(sql`${t.externalId} IS NOT NULL`),
    index('bundles_owner').on(t.ownerId, t.deletedAt, t.createdAt),
    index('bundles_listed').on(t.ownerId).where(sql`${t.listed} = 1 AND ${t.deletedAt} IS NULL`),
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

/** Further slugs that lead to a bundle. Written by triggers, which also ensure that no alias is another bundle's slug. */
export const aliases = sqliteTable(
  'aliases',
  {
    slug: text('slug').primaryKey(),
    slugHash: text('slug_hash').notNull(),
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
  },
  (t) => [index('aliases_bundle').on(t.bundleId)],
)

/** The id of the bundle with a slug or an alias, as a subquery. */
export const idNamed = (slug: string | Placeholder) =>
  sql<number>`(SELECT ${bundles.id} FROM ${bundles} WHERE ${bundles.slug} = ${slug} UNION ALL SELECT ${aliases.bundleId} FROM ${aliases} WHERE ${aliases.slug} = ${slug})`

/** Slugs of erased bundles, which nobody may take again. Written by a trigger, so that no way of deleting can miss one. */
export const retiredSlugs = sqliteTable('retired_slugs', {
  /** The fingerprint from `bundles.slugHash`, so that the erased slug itself is not kept. */
  slugHash: text('slug_hash').primaryKey(),
})

/**
 * The case-folded text that lists search (`src/bundles/list/search.ts`), because SQLite folds only ASCII letters. Written with
 * each version.
 */
export const bundleSearch = sqliteTable('bundle_search', {
  bundleId: integer('bundle_id')
    .primaryKey()
    .references(() => bundles.id, { onDelete: 'cascade' }),
  text: text('text').notNull(),
})

/**
 * One row: when an owned bundle was last erased, and which erasure the last rewrite of `bundle_index` followed. Until the
 * rewrite, the parts of the index may hold pieces of erased texts.
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
 * The feed of changed bundles, in commit order. Triggers write it, so that no way of changing or deleting a bundle can miss it.
 * Each process reads on from its own position and drops its rendered pages. Shared work is done by one process, which then clears
 * the flag (`db/feed.ts`): the search index (`src/bundles/list/search.ts`), the sites of links (`src/inspection/linked-sites.ts`)
 * and the links to check (`src/checks/followed.ts`). The sweep deletes a row after an hour, unless a flag is set. No foreign
 * keys, because what is stored about an erased bundle must be deleted too.
 */
export const bundleChanges = sqliteTable(
  'bundle_changes',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    bundleId: integer('bundle_id').notNull(),
    /** The owner whose part of the search index has the bundle; null for none. */
    ownerId: integer('owner_id'),
    /** The slug under which pages may be cached; null for none. */
    slug: text('slug'),
    forSearch: unread('for_search'),
    forSites: unread('for_sites'),
    forLinks: unread('for_links'),
    at: integer('at').notNull(),
  },
  (t) => [
    // A search also reads the texts of an owner’s bundles that are not yet in the index.
    index('bundle_changes_search').on(t.ownerId, t.bundleId).where(sql`${t.forSearch} = 1`),
    // Ordered by `seq`, because SQLite orders equal entries of an index by row id.
    index('bundle_changes_sites').on(t.forSites).where(sql`${t.forSites} = 1`),
    index('bundle_changes_links').on(t.forLinks).where(sql`${t.forLinks} = 1`),
    // For the sweep.
    index('bundle_changes_at').on(t.at).where(isReadByAll(t)),
  ],
)

/** Every rule id that a bundle’s policies have ever contained: events with any other id are dropped. */
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
 * The password of a bundle that has, or once had, `access: "password"`. In a table of its own, so that no query of bundles or
 * versions can reveal it.
 */
export const bundlePasswords = sqliteTable('bundle_passwords', {
  bundleId: integer('bundle_id')
    .primaryKey()
    .references(() => bundles.id, { onDelete: 'cascade' }),
  /** In the format of identity/passwords.ts. */
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
    /** Address for the claim link; deleted with the row. */
    email: text('email'),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [index('claims_expires').on(t.expiresAt), index('claims_email').on(t.email)],
)

/**
 * The bundles that a person has pinned, which their lists show first. Triggers delete a pin when the person loses the right to
 * read the bundle. WITHOUT ROWID.
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

/**
 * The bundles that an organisation’s admins have pinned for everybody, which its start page shows first. A trigger deletes the pin
 * of a bundle that changes hands.
 */
export const sharedPins = sqliteTable('shared_pins', {
  bundleId: integer('bundle_id')
    .primaryKey()
    .references(() => bundles.id, { onDelete: 'cascade' }),
  pinnedAt: integer('pinned_at').notNull(),
})
