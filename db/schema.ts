import { getTableColumns, sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  blob,
  check,
  index,
  integer,
  primaryKey,
  type SQLiteColumn,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import type { SentEvent, WANTED_EVENTS } from './event-schema.ts'
import { organization, user } from './identity-schema.ts'
import type { Policy, Tab } from './policy.ts'
import { AUDIENCES, type Scope } from './rights.ts'

export * from './check-schema.ts'
export * from './event-schema.ts'
export * from './icon-schema.ts'
export * from './identity-schema.ts'

// Times are whole milliseconds since 1970 in UTC; days are `YYYY-MM-DD` in UTC. Drizzle cannot express WITHOUT ROWID,
// nor an index on an expression with a comma: the migrations do, by hand.

/** Per-URL metadata, parallel to `urls`: a rule’s tab without its URL, and more. */
export interface UrlMetadata extends Omit<Tab, 'url'> {
  tags?: string[]
  openPolicy?: 'auto' | 'manual'
  /** Whether the service looks from time to time whether it still leads somewhere; true if missing. */
  check?: boolean
}

/** What whoever opens the launcher fills in, in place of `{name}` in links and texts. */
export interface Variable {
  name: string
  label?: string
  example?: string
  /** What stands for an empty value. */
  default?: string
  /** The only values that it can have. */
  options?: string[]
}

/** Where a bundle came from. */
export const SOURCES = ['web', 'api', 'cli', 'sdk', 'mcp', 'extension', 'import'] as const

/** Who may see a bundle’s launcher, the first by default. */
export const ACCESSES = ['link', 'members', 'password'] as const

const json = <T>(name: string) => text(name, { mode: 'json' }).$type<T>()
const isDay = (column: AnySQLiteColumn) => sql`${column} GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'`
const hasUrls = (column: AnySQLiteColumn) =>
  sql`json_valid(${column}) AND json_array_length(${column}) BETWEEN 1 AND 25`

/**
 * The content of a version, as columns of both tables. `src/bundles/content.ts` defines the rest of each field and does
 * not compile if one is missing.
 */
const contentColumns = () => ({
  urls: json<string[]>('urls').notNull(),
  urlMetadata: json<UrlMetadata[]>('url_metadata').notNull(),
  variables: json<Variable[]>('variables').notNull().default([]),
  title: text('title'),
  description: text('description'),
  // ISO 8601 in UTC, as answers, versions and exports have them.
  opensAt: text('opens_at'),
  closesAt: text('closes_at'),
  closedNote: text('closed_note'),
  access: text('access', { enum: ACCESSES }).notNull().default('link'),
  copyable: integer('copyable', { mode: 'boolean' }).notNull().default(false),
  icons: integer('icons', { mode: 'boolean' }).notNull().default(true),
  resolutionPolicy: json<Policy>('resolution_policy'),
})

/** Not exported, so that no migration creates it: it only provides the columns’ types. */
const contentTable = sqliteTable('content', contentColumns())

/** The content of a version. */
export type Content = typeof contentTable.$inferSelect

/** What a row holds besides its content, with its place in indexes, in bytes. */
export const VERSION_OVERHEAD = 192
export const BUNDLE_OVERHEAD = 256

/** What a bundle has for its owner alone, in no version and for no viewer. */
const ownColumns = () => ({
  /** What another system of the owner’s calls it; unique among the owner’s bundles that are not deleted. */
  externalId: text('external_id'),
  metadata: json<Record<string, string>>('metadata'),
})

const ownTable = sqliteTable('own', ownColumns())

/** The size of a row in bytes, from which triggers count `owners.historyBytes`. */
const rowBytes = (overhead: number, more: Record<string, SQLiteColumn> = {}) => {
  const columns = { ...getTableColumns(contentTable), ...more }
  const lengths = Object.values(columns).map(({ name, notNull }) => {
    const length = `octet_length("${name}")`
    return notNull ? length : `coalesce(${length}, 0)`
  })
  return integer('bytes').generatedAlwaysAs(sql.raw([...lengths, overhead].join(' + ')), { mode: 'virtual' })
}

/**
 * For each field whose large values versions share: the part, or null if the row itself has the value. `CONTENT`
 * (src/bundles/content.ts) does not compile unless it agrees.
 */
const partColumns = () => {
  const part = (name: string) => integer(name).references(() => versionParts.id)
  return {
    urlsPart: part('urls_part'),
    urlMetadataPart: part('url_metadata_part'),
    variablesPart: part('variables_part'),
    descriptionPart: part('description_part'),
    resolutionPolicyPart: part('resolution_policy_part'),
  }
}

/** Fields whose large values versions share. */
export type SharedName = keyof ReturnType<typeof partColumns> extends infer Column
  ? Column extends `${infer Name}Part`
    ? Name & keyof Content
    : never
  : never

/** Placeholder in a version’s row for a value stored as a part; satisfies NOT NULL and the check of URLs. */
export const IN_PART = {
  urls: '[null]',
  urlMetadata: '[]',
  variables: '[]',
  description: null,
  resolutionPolicy: null,
} as const satisfies Record<SharedName, string | null>

/** The user or organisation that owns bundles and keys, with its plan. Deleted with the account. */
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
    /**
     * Size of its bundles with all their versions, deleted ones until they are purged, maintained by triggers: the sum of
     * `bytes` over versions and parts, and twice over bundles (the row, and the text that is searched), with what rows and
     * indexes take besides, so that many small bundles are not free.
     */
    historyBytes: integer('history_bytes').notNull().default(0),
    /** Size of its rows in `idempotency_answers` and `proposals`, maintained by triggers. */
    answerBytes: integer('answer_bytes').notNull().default(0),
    proposalBytes: integer('proposal_bytes').notNull().default(0),
    /** Number of undeleted bundles, maintained by triggers, so that creating one need not count them. */
    bundleCount: integer('bundle_count').notNull().default(0),
    /** Whether the service may look whether the links of its bundles still lead somewhere. */
    checkLinks: integer('check_links', { mode: 'boolean' }).notNull().default(true),
  },
  (t) => [
    check('owners_one', sql`(${t.userId} IS NULL) <> (${t.organizationId} IS NULL)`),
    check('owners_plan', sql`${t.plan} IN ('free', 'pro')`),
  ],
)

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
 * Large field values of versions, each stored once per bundle; not shared between bundles, which would reveal that
 * another has the same value. A trigger deletes a part with the last version that uses it, or with the bundle.
 */
export const versionParts = sqliteTable(
  'version_parts',
  {
    id: integer('id').primaryKey(),
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    /** SHA-256 of the content in UTF-8. */
    hash: blob('hash', { mode: 'buffer' }).notNull(),
    /** Precedes the content, so that sums need not read it. */
    bytes: integer('bytes').generatedAlwaysAs(sql`octet_length("content")`, { mode: 'stored' }),
    /** Encoded as in the version’s own column. */
    content: text('content').notNull(),
  },
  (t) => [
    uniqueIndex('version_parts_content').on(t.bundleId, t.hash),
    check('version_parts_hash', sql`length(${t.hash}) = 32`),
  ],
)

/** The state of a bundle after each edit; version 1 is the bundle as created. */
export const bundleVersions = sqliteTable(
  'bundle_versions',
  {
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    versionNumber: integer('version_number').notNull(),
    ...contentColumns(),
    ...partColumns(),
    /** The editor's user id; null while anonymous. */
    editedBy: text('edited_by'),
    /** Whose proposal it is, if it is one that the editor accepted. */
    proposedBy: text('proposed_by'),
    editedAt: integer('edited_at').notNull(),
    bytes: rowBytes(VERSION_OVERHEAD),
  },
  (t) => [
    primaryKey({ columns: [t.bundleId, t.versionNumber] }),
    // To find whether a part is still in use.
    index('bundle_versions_urls_part').on(t.urlsPart).where(sql`${t.urlsPart} IS NOT NULL`),
    index('bundle_versions_url_metadata_part').on(t.urlMetadataPart).where(sql`${t.urlMetadataPart} IS NOT NULL`),
    index('bundle_versions_variables_part').on(t.variablesPart).where(sql`${t.variablesPart} IS NOT NULL`),
    index('bundle_versions_description_part').on(t.descriptionPart).where(sql`${t.descriptionPart} IS NOT NULL`),
    index('bundle_versions_resolution_policy_part')
      .on(t.resolutionPolicyPart)
      .where(sql`${t.resolutionPolicyPart} IS NOT NULL`),
    check('bundle_versions_number', sql`${t.versionNumber} >= 1`),
    check('bundle_versions_urls', hasUrls(t.urls)),
  ],
)

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

/** API keys; only the SHA-256 of the secret is kept. */
export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    ownerId: integer('owner_id')
      .notNull()
      .references(() => owners.id, { onDelete: 'cascade' }),
    /** The user who created it: an organisation’s key acts with this member’s current role. */
    mintedBy: text('minted_by').notNull(),
    name: text('name').notNull(),
    keyPrefix: text('key_prefix').notNull(),
    secretHash: blob('secret_hash', { mode: 'buffer' }).notNull(),
    scopes: json<Scope[]>('scopes').notNull(),
    rateLimitPerHour: integer('rate_limit_per_hour').notNull().default(1000),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
    revokedAt: integer('revoked_at'),
    /**
     * Set by a trigger when its creator leaves the organisation: the key stays dead even if they return.
     */
    minterLeftAt: integer('minter_left_at'),
    /** When it ends; null for never. */
    expiresAt: integer('expires_at'),
    /** The networks that it works from (`core/networks.ts`); null for any. */
    allowedNetworks: json<string[]>('allowed_networks'),
    /** The key that was made in its place; null unless it was rotated. */
    replacedBy: integer('replaced_by'),
    /** When its owner was told that it ends soon. */
    endToldAt: integer('end_told_at'),
  },
  (t) => [
    uniqueIndex('api_keys_prefix').on(t.keyPrefix),
    index('api_keys_owner').on(t.ownerId),
    // For those whose owner is still to be told.
    index('api_keys_ending').on(t.expiresAt).where(sql`${t.expiresAt} IS NOT NULL AND ${t.endToldAt} IS NULL`),
    check('api_keys_name', sql`length(${t.name}) BETWEEN 1 AND 100`),
    check('api_keys_hash', sql`length(${t.secretHash}) = 32`),
    check('api_keys_scopes', sql`json_valid(${t.scopes}) AND json_array_length(${t.scopes}) BETWEEN 1 AND 3`),
    check('api_keys_limit', sql`${t.rateLimitPerHour} BETWEEN 0 AND 100000`),
  ],
)

/**
 * What an app got by OAuth besides its key, which holds the rest: the code that begins it, and until when
 * its text is valid. Deleted with the key.
 */
export const appGrants = sqliteTable(
  'app_grants',
  {
    keyId: integer('key_id')
      .primaryKey()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    /** SHA-256 of the client’s id, which can be long. */
    clientHash: blob('client_hash', { mode: 'buffer' }).notNull(),
    /** Where the browser was sent back to: a host, or an app’s own scheme. */
    host: text('host').notNull(),
    /** Which part of the service takes the token: `/api/mcp`, or all of `/api`. */
    audience: text('audience', { enum: AUDIENCES }).notNull(),
    /** What was consented to; the key’s own scopes may be narrower until the next renewal. */
    scopes: json<Scope[]>('scopes').notNull(),
    redirectUri: text('redirect_uri').notNull(),
    codeHash: blob('code_hash', { mode: 'buffer' }).notNull(),
    codeChallenge: text('code_challenge').notNull(),
    codeExpiresAt: integer('code_expires_at').notNull(),
    codeUsedAt: integer('code_used_at'),
    /** Until when the key’s current text is valid; 0 before the first. */
    expiresAt: integer('expires_at').notNull().default(0),
    /** Until when it can be renewed. */
    endsAt: integer('ends_at').notNull(),
  },
  (t) => [
    uniqueIndex('app_grants_code').on(t.codeHash),
    index('app_grants_ends').on(t.endsAt),
    check('app_grants_hashes', sql`length(${t.clientHash}) = 32 AND length(${t.codeHash}) = 32`),
    check('app_grants_audience', sql`${t.audience} IN ('mcp', 'api')`),
    check('app_grants_scopes', sql`json_valid(${t.scopes})`),
  ],
)

/** Refresh tokens, each usable once; used ones are kept to recognise a stolen one. */
export const appRefreshTokens = sqliteTable(
  'app_refresh_tokens',
  {
    /** SHA-256 of the token. */
    hash: blob('hash', { mode: 'buffer' }).primaryKey(),
    keyId: integer('key_id')
      .notNull()
      .references(() => appGrants.keyId, { onDelete: 'cascade' }),
    createdAt: integer('created_at').notNull(),
    usedAt: integer('used_at'),
    /** What it was exchanged for, sealed with the token itself: for a client that asks again at once. */
    answer: blob('answer', { mode: 'buffer' }),
  },
  (t) => [
    index('app_refresh_tokens_key').on(t.keyId),
    index('app_refresh_tokens_created').on(t.createdAt),
    check('app_refresh_tokens_hash', sql`length(${t.hash}) = 32`),
  ],
)

/**
 * Devices that wait until somebody enters their code (RFC 8628), and those that were refused. One that was connected is in
 * `app_grants` instead.
 */
export const deviceRequests = sqliteTable(
  'device_requests',
  {
    /** SHA-256 of the device’s code. */
    hash: blob('hash', { mode: 'buffer' }).primaryKey(),
    /** Keyed, because a code that people type is short enough to be guessed from a plain hash. */
    userCodeHash: text('user_code_hash').notNull(),
    /** SHA-256 of the client’s id. */
    clientHash: blob('client_hash', { mode: 'buffer' }).notNull(),
    /** What the app calls itself. */
    name: text('name').notNull(),
    audience: text('audience', { enum: AUDIENCES }).notNull(),
    scopes: json<Scope[]>('scopes').notNull(),
    /** Keyed hash of the network that asked. */
    networkHash: text('network_hash').notNull(),
    expiresAt: integer('expires_at').notNull(),
    deniedAt: integer('denied_at'),
  },
  (t) => [
    uniqueIndex('device_requests_user_code').on(t.userCodeHash),
    index('device_requests_network').on(t.networkHash, t.expiresAt),
    index('device_requests_expires').on(t.expiresAt),
    check('device_requests_hashes', sql`length(${t.hash}) = 32 AND length(${t.clientHash}) = 32`),
    check('device_requests_name', sql`length(${t.name}) BETWEEN 1 AND 100`),
    check('device_requests_audience', sql`${t.audience} IN ('mcp', 'api')`),
    check('device_requests_scopes', sql`json_valid(${t.scopes})`),
  ],
)

/** What became of a proposal. */
export const PROPOSAL_STATES = ['open', 'accepted', 'rejected', 'withdrawn'] as const
export type ProposalState = (typeof PROPOSAL_STATES)[number]

/** Some fields of a bundle's content, as somebody wants to have them; rules need no ids. */
export type ProposedChanges = { [Name in keyof Omit<Content, 'resolutionPolicy'>]?: Content[Name] } & {
  resolutionPolicy?: { version: 1; rules: (Omit<Policy['rules'][number], 'id'> & { id?: string })[] } | null
}

/**
 * Proposed edits. Open ones of a deleted account are deleted by a trigger, which also erases the reasons
 * of its closed ones.
 */
export const proposals = sqliteTable(
  'proposals',
  {
    id: text('id').primaryKey(),
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    /** The bundle's owner, for the inbox and the cap; a trigger follows when it changes hands. */
    ownerId: integer('owner_id')
      .notNull()
      .references(() => owners.id, { onDelete: 'cascade' }),
    /** The version that the changes are based on. */
    baseVersion: integer('base_version').notNull(),
    changes: json<ProposedChanges>('changes').notNull(),
    reason: text('reason'),
    /** Null once the account is deleted. */
    proposedBy: text('proposed_by').references(() => user.id, { onDelete: 'set null' }),
    /** The key that it was made with, which may withdraw it. */
    keyId: integer('key_id').references(() => apiKeys.id, { onDelete: 'set null' }),
    createdAt: integer('created_at').notNull(),
    state: text('state', { enum: PROPOSAL_STATES }).notNull().default('open'),
    decidedBy: text('decided_by').references(() => user.id, { onDelete: 'set null' }),
    decidedAt: integer('decided_at'),
    /** What was said to a rejection. */
    note: text('note'),
    /** The version that accepting it made. */
    versionNumber: integer('version_number'),
    /** The link that it repairs, if the service itself proposed it; null if somebody did. */
    repairs: text('repairs'),
    /** From which triggers count `owners.proposalBytes`, with what the row and its places in indexes take besides. */
    bytes: integer('bytes').generatedAlwaysAs(
      sql`octet_length("changes") + coalesce(octet_length("reason"), 0) + coalesce(octet_length("note"), 0) + 512`,
      { mode: 'virtual' },
    ),
  },
  (t) => [
    index('proposals_bundle').on(t.bundleId, t.state, t.createdAt),
    index('proposals_open').on(t.ownerId, t.createdAt).where(sql`${t.state} = 'open'`),
    uniqueIndex('proposals_repair')
      .on(t.bundleId, t.repairs)
      .where(sql`${t.repairs} IS NOT NULL AND ${t.state} = 'open'`),
    // To count them, without reading what they change.
    index('proposals_repairs_of').on(t.ownerId).where(sql`${t.repairs} IS NOT NULL AND ${t.state} = 'open'`),
    // For the deletion of an owner, an account or a key; the first also to find an owner's oldest decided ones.
    index('proposals_owner').on(t.ownerId, t.decidedAt),
    index('proposals_proposer').on(t.proposedBy),
    index('proposals_decider').on(t.decidedBy),
    index('proposals_key').on(t.keyId),
    check('proposals_id', sql`${t.id} GLOB 'p_*'`),
    check('proposals_changes', sql`json_valid(${t.changes})`),
    check('proposals_state', sql`${t.state} IN (${sql.raw(PROPOSAL_STATES.map((state) => `'${state}'`).join(', '))})`),
    check('proposals_decided', sql`(${t.state} = 'open') = (${t.decidedAt} IS NULL)`),
    check('proposals_accepted', sql`(${t.state} = 'accepted') = (${t.versionNumber} IS NOT NULL)`),
  ],
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

/** What people get mails about: an edit of a bundle of theirs is suggested; one that they suggested is decided. */
export const PROPOSAL_MAILS = ['proposed', 'decided'] as const
export type ProposalMail = (typeof PROPOSAL_MAILS)[number]

/** Mails that people can do without: the above, that one of their API keys ends in a week, and that links are broken. */
export const OPTIONAL_MAILS = [...PROPOSAL_MAILS, 'keyEnds', 'linksBroken'] as const
export type OptionalMail = (typeof OPTIONAL_MAILS)[number]

/**
 * Mails to send about proposals: one row for a person, a bundle and a kind, which bundles what happens until it is due. A row
 * without anything waiting says when the last mail was sent, for the hour until the next one may be.
 */
export const proposalMails = sqliteTable(
  'proposal_mails',
  {
    id: integer('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: PROPOSAL_MAILS }).notNull(),
    /** The ids of the proposals to tell of, oldest first. */
    waiting: json<string[]>('waiting').notNull(),
    /** When to send it; null if nothing is waiting. */
    dueAt: integer('due_at'),
    /** The sending process’s mark, while it sends; `dueAt` is then when another may take over. */
    lease: text('lease'),
    /** How often sending it has failed. */
    attempts: integer('attempts').notNull().default(0),
    /** When the last mail was sent; null if none was. */
    sentAt: integer('sent_at'),
  },
  (t) => [
    uniqueIndex('proposal_mails_once').on(t.userId, t.bundleId, t.kind),
    index('proposal_mails_bundle').on(t.bundleId),
    index('proposal_mails_due').on(t.dueAt).where(sql`${t.dueAt} IS NOT NULL`),
    // For the sweep.
    index('proposal_mails_sent').on(t.sentAt).where(sql`${t.dueAt} IS NULL`),
    check('proposal_mails_kind', sql`${t.kind} IN ('proposed', 'decided')`),
    check('proposal_mails_done', sql`${t.dueAt} IS NOT NULL OR ${t.sentAt} IS NOT NULL`),
  ],
)

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
    /** Days since 1970: two bytes, where the text takes ten. */
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

/** What else views are counted by, each on its own. */
export const DIMENSIONS = ['referrer', 'device', 'language', 'country'] as const
export type Dimension = (typeof DIMENSIONS)[number]
/** Stands for the values beyond the most that a day keeps; no value can be this. */
export const OTHER_VALUES = '*'

/**
 * Views per bundle and day by what the request says of the viewer: a host, a kind of device, a language, a country; `''`
 * where it says nothing. Never by two of them at once. WITHOUT ROWID, so that a value is one row.
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
 * Links that were opened from the launcher of a bundle, for counts of those that are no longer in it. WITHOUT ROWID, like
 * the counts.
 */
export const openedLinks = sqliteTable(
  'opened_links',
  {
    bundleId: integer('bundle_id')
      .notNull()
      .references(() => bundles.id, { onDelete: 'cascade' }),
    /** Half of the SHA-256 of the bundle’s id and the URL, wherever in the bundle that is. */
    link: blob('link', { mode: 'buffer' }).notNull(),
    /** As stored, with its placeholders: values that viewers fill in are nowhere. */
    url: text('url').notNull(),
  },
  (t) => [primaryKey({ columns: [t.bundleId, t.link] }), check('opened_links_link', sql`length(${t.link}) = 16`)],
)

/** How often each of them was opened on a day. */
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
    /** When it was created; the same on each attempt. */
    at: integer('at').notNull(),
    id: text('id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.at, t.id] })],
)

/** First answers of creating calls, for 24 h, encrypted under the idempotency key. */
export const idempotencyAnswers = sqliteTable(
  'idempotency_answers',
  {
    /** HMAC of caller, operation and key, none of which can be read from it. */
    keyHash: text('key_hash').primaryKey(),
    /** The account the caller acted for, with which the answer is deleted. Null for callers without one. */
    ownerId: integer('owner_id').references(() => owners.id, { onDelete: 'cascade' }),
    requestHash: text('request_hash').notNull(),
    /** HMAC of the User-Agent of a caller without an account, who shares an address with others; null for accounts. */
    agentHash: text('agent_hash'),
    answer: blob('answer', { mode: 'buffer' }).notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('idempotency_answers_created').on(t.createdAt),
    // Also to find an owner's oldest, which go first.
    index('idempotency_answers_owner').on(t.ownerId, t.createdAt),
  ],
)

/** Events of identity and payment providers already applied, written in the same transaction as their effect. */
export const providerEvents = sqliteTable(
  'provider_events',
  {
    source: text('source', { enum: ['identity', 'payment'] }).notNull(),
    eventId: text('event_id').notNull(),
    receivedAt: integer('received_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.source, t.eventId] }),
    index('provider_events_received').on(t.receivedAt),
    check('provider_events_source', sql`${t.source} IN ('identity', 'payment')`),
  ],
)

/**
 * The newest provider's event about each person, membership and subscription, so that a late event undoes nothing, and the
 * account here of each of the identity provider’s people.
 */
export const providerEntities = sqliteTable(
  'provider_entities',
  {
    source: text('source', { enum: ['identity', 'payment'] }).notNull(),
    /** Kind and the sender's own id, such as `user:user_2x`. */
    entity: text('entity').notNull(),
    /** When the newest event happened, by the sender’s clock. */
    at: integer('at').notNull(),
    userId: text('user_id').references(() => user.id, { onDelete: 'set null' }),
  },
  (t) => [
    primaryKey({ columns: [t.source, t.entity] }),
    // For the sweep, which keeps rows of existing accounts.
    index('provider_entities_unlinked').on(t.at).where(sql`${t.userId} IS NULL`),
    index('provider_entities_user').on(t.userId).where(sql`${t.userId} IS NOT NULL`),
    check('provider_entities_source', sql`${t.source} IN ('identity', 'payment')`),
  ],
)

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

/** In place of a user id: the account is deleted. */
export const NOBODY = ''

/** Addresses that an owner wants to be told about events at. */
export const webhooks = sqliteTable(
  'webhooks',
  {
    id: text('id').primaryKey(),
    ownerId: integer('owner_id')
      .notNull()
      .references(() => owners.id, { onDelete: 'cascade' }),
    /** Who created it; `NOBODY` once their account is deleted. */
    createdBy: text('created_by').notNull(),
    url: text('url').notNull(),
    events: json<(typeof WANTED_EVENTS)[number][]>('events').notNull(),
    /** The signing secret, sealed with the service’s. */
    secret: blob('secret', { mode: 'buffer' }).notNull(),
    /** The secret before the last rotation, sealed too, and until when messages are signed with it as well. */
    oldSecret: blob('old_secret', { mode: 'buffer' }),
    oldSecretUntil: integer('old_secret_until'),
    /** When an event that waited was last dropped, because too many did; null if never. Set by a trigger. */
    droppedAt: integer('dropped_at'),
    createdAt: integer('created_at').notNull(),
    /** Since when nothing is sent; null if it is enabled. */
    disabledAt: integer('disabled_at'),
    /** Who disabled it: its owner, or the service after the last retry. */
    disabledBy: text('disabled_by', { enum: ['owner', 'failures'] }),
  },
  (t) => [
    // Every write of a bundle looks its owner up here.
    index('webhooks_owner').on(t.ownerId),
    index('webhooks_creator').on(t.createdBy),
    // For the sweep.
    index('webhooks_old_secret').on(t.oldSecretUntil).where(sql`${t.oldSecretUntil} IS NOT NULL`),
    check('webhooks_events', sql`json_valid(${t.events}) AND json_array_length(${t.events}) >= 1`),
    check('webhooks_disabled', sql`(${t.disabledAt} IS NULL) = (${t.disabledBy} IS NULL)`),
  ],
)

/**
 * Webhooks that are deleted, while they have events that the sweep has still to erase. Written by a trigger. There may be
 * 100 000 events, so no foreign key deletes them with their webhook, bundle or proposal.
 */
export const goneWebhooks = sqliteTable(
  'gone_webhooks',
  { id: text('id').primaryKey(), at: integer('at').notNull() },
  (t) => [index('gone_webhooks_at').on(t.at)],
)

/**
 * Events to send, and how sending them went; of each webhook the newest 10 000 unsent and 1 000 sent ones: triggers drop
 * the oldest. Of the unsent events of a bundle, only the oldest may have `dueAt`: triggers
 * set the next one’s when it is sent or deleted. So each webhook gets a bundle’s events in order.
 */
export const outbox = sqliteTable(
  'outbox',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** Of a deleted webhook, until the sweep erases it. */
    webhookId: text('webhook_id').notNull(),
    /** Null for a test. */
    bundleId: integer('bundle_id'),
    /** The proposal that the event is about, if it is about one, and which may be erased. */
    proposalId: text('proposal_id'),
    /** Tells receivers that two deliveries are the same event. */
    messageId: text('message_id').notNull(),
    event: text('event').$type<SentEvent>().notNull(),
    /** The version of the bundle that the event is about; null if it is about a proposal. */
    versionNumber: integer('version_number'),
    /** Whom the bundle moved to; null of all other events. */
    receiverId: integer('receiver_id'),
    /** The event in `events`, which may be erased first; null of a test, and of what happened before there were events. */
    eventId: integer('event_id'),
    /** When it happened. */
    at: integer('at').notNull(),
    /** When to send it; null if it was sent, waits for an earlier one, or for its webhook to be enabled. */
    dueAt: integer('due_at'),
    /** The sending process’s mark, while it sends; `dueAt` is then when another may take over. */
    lease: text('lease'),
    attempts: integer('attempts').notNull().default(0),
    attemptedAt: integer('attempted_at'),
    /** The HTTP status of the last attempt, if there was an answer. */
    status: integer('status'),
    /** Why the last attempt failed, if it did. */
    failure: text('failure'),
    sentAt: integer('sent_at'),
  },
  (t) => [
    index('outbox_webhook').on(t.webhookId),
    // For the oldest and the number of each kind.
    index('outbox_waiting').on(t.webhookId).where(sql`${t.sentAt} IS NULL`),
    index('outbox_finished').on(t.webhookId).where(sql`${t.sentAt} IS NOT NULL`),
    index('outbox_bundle').on(t.bundleId).where(sql`${t.bundleId} IS NOT NULL`),
    index('outbox_proposal').on(t.proposalId).where(sql`${t.proposalId} IS NOT NULL`),
    index('outbox_unsent').on(t.webhookId, t.bundleId).where(sql`${t.sentAt} IS NULL`),
    index('outbox_due').on(t.webhookId, t.dueAt).where(sql`${t.dueAt} IS NOT NULL`),
    // For the sweep.
    index('outbox_at').on(t.at),
  ],
)
