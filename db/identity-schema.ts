import { sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  blob,
  check,
  index,
  integer,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { ROLES } from './rights.ts'

// better-auth’s tables; it chose the field names.

const time = (name: string) => integer(name, { mode: 'timestamp_ms' })
const isRole = (column: AnySQLiteColumn) => sql`${column} IN (${sql.raw(ROLES.map((role) => `'${role}'`).join(', '))})`

/** A person with an account. */
export const user = sqliteTable(
  'user',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    email: text('email').notNull().unique(),
    emailVerified: integer('email_verified', { mode: 'boolean' }).notNull().default(false),
    /**
     * The address used to sign up, if another account already had it. `email` is then a placeholder that receives no mail, so
     * that signing up does not reveal which addresses have an account.
     */
    takenEmail: text('taken_email'),
    /**
     * Twelve bits of a keyed hash of the password, so that a sign-in need not compare every such account’s password.
     */
    takenHint: integer('taken_hint'),
    image: text('image'),
    /** The time since which the operator has disabled the account (src/accounts/disabling.ts); null if they may sign in. */
    disabledAt: time('disabled_at'),
    /** Whether they want a mail when somebody proposes an edit of a bundle that they can edit. */
    mailProposed: integer('mail_proposed', { mode: 'boolean' }).notNull().default(true),
    /** Whether they want a mail when an edit that they proposed is decided. */
    mailDecided: integer('mail_decided', { mode: 'boolean' }).notNull().default(true),
    /** Whether they want a mail a week before one of their API keys expires. */
    mailKeyEnds: integer('mail_key_ends', { mode: 'boolean' }).notNull().default(true),
    /** Whether they want a mail, at most one a week, about broken links in bundles that they can edit. */
    mailLinksBroken: integer('mail_links_broken', { mode: 'boolean' }).notNull().default(true),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [index('user_taken_email').on(t.takenEmail).where(sql`${t.takenEmail} IS NOT NULL`)],
)

/** A signed-in browser. */
export const session = sqliteTable(
  'session',
  {
    id: text('id').primaryKey(),
    token: text('token').notNull().unique(),
    userId: text('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    activeOrganizationId: text('active_organization_id'),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    expiresAt: time('expires_at').notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [index('session_user').on(t.userId), index('session_expires').on(t.expiresAt)],
)

/** A way to sign in: a password, or an account at an OIDC provider. */
export const account = sqliteTable(
  'account',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    providerId: text('provider_id').notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    accessTokenExpiresAt: time('access_token_expires_at'),
    refreshTokenExpiresAt: time('refresh_token_expires_at'),
    scope: text('scope'),
    password: text('password'),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [index('account_user').on(t.userId), uniqueIndex('account_provider').on(t.providerId, t.accountId)],
)

/** Short-lived proofs: hashed magic links, OIDC states. */
export const verification = sqliteTable(
  'verification',
  {
    id: text('id').primaryKey(),
    identifier: text('identifier').notNull(),
    value: text('value').notNull(),
    expiresAt: time('expires_at').notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [index('verification_identifier').on(t.identifier), index('verification_expires').on(t.expiresAt)],
)

/** The colours that an organisation can have: the hues of tiles, in their order. */
export const COLORS = ['orange', 'amber', 'olive', 'green', 'teal', 'blue', 'violet', 'pink'] as const

export const organization = sqliteTable(
  'organization',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    slug: text('slug').notNull().unique(),
    logo: text('logo'),
    metadata: text('metadata'),
    /** The end of its start page’s address, with its fingerprint in `former_handles`; null for no start page. */
    handle: text('handle').unique(),
    handleHash: text('handle_hash'),
    color: text('color', { enum: COLORS }),
    /** The id of its picture in `organization_pictures`; null for none. */
    pictureId: text('picture_id'),
    /** The user whose organisation cap it counts against; null if created by an identity provider. */
    createdBy: text('created_by').references(() => user.id, { onDelete: 'set null' }),
    createdAt: time('created_at').notNull(),
  },
  (t) => [index('organization_created_by').on(t.createdBy).where(sql`${t.createdBy} IS NOT NULL`)],
)

/** How an organisation looks wherever its name stands. */
export interface OrganizationLook {
  name: string
  color: (typeof COLORS)[number] | null
  /** The id of its picture; null for none. */
  pictureId: string | null
}

/** The columns of a look. */
export const LOOK = { name: organization.name, color: organization.color, pictureId: organization.pictureId }

/**
 * Handles that an organisation has given up, or that went with it. They stay taken; for a while, they lead to its new one.
 * Written by triggers, as fingerprints, so that the handle itself is not kept.
 */
export const formerHandles = sqliteTable(
  'former_handles',
  {
    handleHash: text('handle_hash').primaryKey(),
    organizationId: text('organization_id').references(() => organization.id, { onDelete: 'set null' }),
    endedAt: integer('ended_at').notNull(),
  },
  (t) => [index('former_handles_organization').on(t.organizationId).where(sql`${t.organizationId} IS NOT NULL`)],
)

/** The picture of an organisation, redrawn as PNG. In a table of its own, so that no query of organisations reads it. */
export const organizationPictures = sqliteTable(
  'organization_pictures',
  {
    organizationId: text('organization_id')
      .primaryKey()
      .references(() => organization.id, { onDelete: 'cascade' }),
    /** The fingerprint of its bytes. */
    id: text('id').notNull(),
    png: blob('png', { mode: 'buffer' }).notNull(),
  },
  (t) => [index('organization_pictures_id').on(t.id)],
)

/** Membership of an organisation, with its role. */
export const member = sqliteTable(
  'member',
  {
    id: text('id').primaryKey(),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organization.id, { onDelete: 'cascade' }),
    userId: text('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    role: text('role', { enum: ROLES }).notNull(),
    createdAt: time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('member_once').on(t.organizationId, t.userId),
    index('member_user').on(t.userId),
    check('member_role', isRole(t.role)),
  ],
)

export const invitation = sqliteTable(
  'invitation',
  {
    id: text('id').primaryKey(),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organization.id, { onDelete: 'cascade' }),
    email: text('email').notNull(),
    role: text('role', { enum: ROLES }).notNull(),
    status: text('status').notNull(),
    inviterId: text('inviter_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    expiresAt: time('expires_at').notNull(),
    createdAt: time('created_at').notNull(),
  },
  (t) => [
    index('invitation_organization').on(t.organizationId),
    index('invitation_email').on(t.email),
    check('invitation_role', isRole(t.role)),
  ],
)
