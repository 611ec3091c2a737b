import { sql } from 'drizzle-orm'
import { blob, check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { json } from './columns.ts'
import { owners } from './owner-schema.ts'
import { AUDIENCES, type Scope } from './rights.ts'

/** Hourly requests of a key, unless its creator chooses another limit. */
export const DEFAULT_PER_HOUR = 1000

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
    rateLimitPerHour: integer('rate_limit_per_hour').notNull().default(DEFAULT_PER_HOUR),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
    revokedAt: integer('revoked_at'),
    /**
     * Set by a trigger when its creator leaves the organisation: the key stays dead even if they return.
     */
    minterLeftAt: integer('minter_left_at'),
    /** When it expires; null for never. */
    expiresAt: integer('expires_at'),
    /** The networks from which it may be used (`core/networks.ts`); null for any. */
    allowedNetworks: json<string[]>('allowed_networks'),
    /** The key that replaced it; null unless it was rotated. */
    replacedBy: integer('replaced_by'),
    /** When its owner was notified that it expires soon. */
    endToldAt: integer('end_told_at'),
  },
  (t) => [
    uniqueIndex('api_keys_prefix').on(t.keyPrefix),
    index('api_keys_owner').on(t.ownerId),
    // For keys whose owner has yet to be notified.
    index('api_keys_ending').on(t.expiresAt).where(sql`${t.expiresAt} IS NOT NULL AND ${t.endToldAt} IS NULL`),
    check('api_keys_name', sql`length(${t.name}) BETWEEN 1 AND 100`),
    check('api_keys_hash', sql`length(${t.secretHash}) = 32`),
    check('api_keys_scopes', sql`json_valid(${t.scopes}) AND json_array_length(${t.scopes}) BETWEEN 1 AND 3`),
    check('api_keys_limit', sql`${t.rateLimitPerHour} BETWEEN 0 AND 100000`),
  ],
)

/**
 * An app's OAuth grant, apart from its key: the authorisation code, and until when the key's text is valid. Deleted with the key.
 */
export const appGrants = sqliteTable(
  'app_grants',
  {
    keyId: integer('key_id')
      .primaryKey()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    /** SHA-256 of the client’s id, which can be long. */
    clientHash: blob('client_hash', { mode: 'buffer' }).notNull(),
    /** The redirect target: a host, or an app’s own scheme. */
    host: text('host').notNull(),
    /** The part of the service where the token is valid: `/api/mcp`, or all of `/api`. */
    audience: text('audience', { enum: AUDIENCES }).notNull(),
    /** The granted scopes; the key’s own may be narrower until the next renewal. */
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
    /** The answer to its exchange, sealed with the token itself, for a client that repeats the request at once. */
    answer: blob('answer', { mode: 'buffer' }),
  },
  (t) => [
    index('app_refresh_tokens_key').on(t.keyId),
    index('app_refresh_tokens_created').on(t.createdAt),
    check('app_refresh_tokens_hash', sql`length(${t.hash}) = 32`),
  ],
)

/**
 * Device authorisation requests (RFC 8628) that wait for somebody to enter their code, and denied ones. An approved one is in
 * `app_grants` instead.
 */
export const deviceRequests = sqliteTable(
  'device_requests',
  {
    /** SHA-256 of the device code. */
    hash: blob('hash', { mode: 'buffer' }).primaryKey(),
    /** Keyed, because a code short enough to type could be guessed from a plain hash. */
    userCodeHash: text('user_code_hash').notNull(),
    /** SHA-256 of the client’s id. */
    clientHash: blob('client_hash', { mode: 'buffer' }).notNull(),
    /** The app's own name. */
    name: text('name').notNull(),
    audience: text('audience', { enum: AUDIENCES }).notNull(),
    scopes: json<Scope[]>('scopes').notNull(),
    /** Keyed hash of the network that sent the request. */
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
