import { sql } from 'drizzle-orm'
import { blob, check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { user } from './identity-schema.ts'
import { owners } from './owner-schema.ts'

// Times are whole milliseconds since 1970 in UTC; days are `YYYY-MM-DD` in UTC. Drizzle cannot express WITHOUT ROWID,
// nor an index on an expression with a comma: the migrations do, by hand.

export * from './abuse-schema.ts'
export * from './bundle-schema.ts'
export * from './check-schema.ts'
export * from './content-schema.ts'
export * from './count-schema.ts'
export * from './event-schema.ts'
export * from './icon-schema.ts'
export * from './identity-schema.ts'
export * from './key-schema.ts'
export * from './owner-schema.ts'
export * from './proposal-schema.ts'
export * from './provider-schema.ts'
export * from './version-schema.ts'
export * from './webhook-schema.ts'

/**
 * The one row that identifies this database. Copies have the same row, so that backups of another database are told apart. A
 * migration creates it (instance.ts).
 */
export const instance = sqliteTable(
  'instance',
  {
    row: integer('row').primaryKey(),
    /** 32 random hexadecimal digits. */
    id: text('id').notNull(),
    createdAt: integer('created_at').notNull(),
    /** A keyed hash of the last start's secret; null before the first start. */
    secretHash: text('secret_hash'),
    /** When a start last used another secret than the one before it; null if never. */
    secretChangedAt: integer('secret_changed_at'),
  },
  (t) => [check('instance_one', sql`${t.row} = 1`)],
)

/** First answers of creating calls, for 24 h, encrypted under the idempotency key. */
export const idempotencyAnswers = sqliteTable(
  'idempotency_answers',
  {
    /** HMAC of caller, operation and key, none of which can be recovered from it. */
    keyHash: text('key_hash').primaryKey(),
    /** The account that the caller acted for; the answer is deleted with it. Null for callers without an account. */
    ownerId: integer('owner_id').references(() => owners.id, { onDelete: 'cascade' }),
    requestHash: text('request_hash').notNull(),
    /** HMAC of the User-Agent of a caller without an account, whose address others may share; null for accounts. */
    agentHash: text('agent_hash'),
    answer: blob('answer', { mode: 'buffer' }).notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('idempotency_answers_created').on(t.createdAt),
    // Also to find an owner's oldest answers, which are erased first.
    index('idempotency_answers_owner').on(t.ownerId, t.createdAt),
  ],
)

/** Mails that wait for the mail server. A row is erased when the server has accepted the mail, or when the mail is given up. */
export const mails = sqliteTable(
  'mails',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** The account with this address, with which the mail is erased; null for none. */
    userId: text('user_id').references(() => user.id, { onDelete: 'cascade' }),
    /** HMAC of the address, to count the mails to it. */
    recipient: text('recipient').notNull(),
    /** The address, the subject and the text, sealed with the service’s secret: the text may contain a link that signs in. */
    sealed: blob('sealed', { mode: 'buffer' }).notNull(),
    /** The size of `sealed`, to be summed from an index alone. */
    bytes: integer('bytes').notNull(),
    createdAt: integer('created_at').notNull(),
    /** When the mail becomes worthless, such as with the expiry of its link: it is given up then. */
    endsAt: integer('ends_at').notNull(),
    /** When to send it. */
    dueAt: integer('due_at').notNull(),
    /** The sending process’s mark, while it sends; `dueAt` is then when another process may take over. */
    lease: text('lease'),
    /** The number of failed attempts. */
    attempts: integer('attempts').notNull().default(0),
  },
  (t) => [
    // For the deletion of an account.
    index('mails_user').on(t.userId),
    index('mails_recipient').on(t.recipient),
    index('mails_due').on(t.dueAt),
    index('mails_ends').on(t.endsAt),
    // For counting and measuring them.
    index('mails_waiting').on(t.createdAt, t.bytes),
  ],
)
