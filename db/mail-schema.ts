import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { user } from './identity-schema.ts'

/**
 * Mails that wait for the mail server to take them: a row is erased as soon as it has, or as the mail is given up.
 */
export const mails = sqliteTable(
  'mails',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** Who has an account with the address, with which the mail is erased; null if nobody has. */
    userId: text('user_id').references(() => user.id, { onDelete: 'cascade' }),
    /** HMAC of the address, to count the mails to it. */
    recipient: text('recipient').notNull(),
    /** The address, the subject and the text, sealed with the service’s secret: the text may have a link that signs in. */
    sealed: blob('sealed', { mode: 'buffer' }).notNull(),
    /** Of `sealed`, to add them up from an index alone. */
    bytes: integer('bytes').notNull(),
    createdAt: integer('created_at').notNull(),
    /** When it is worth nothing any more, such as with the link in it: it is given up then. */
    endsAt: integer('ends_at').notNull(),
    /** When to send it. */
    dueAt: integer('due_at').notNull(),
    /** The sending process’s mark, while it sends; `dueAt` is then when another may take over. */
    lease: text('lease'),
    /** How often sending it has failed. */
    attempts: integer('attempts').notNull().default(0),
  },
  (t) => [
    // For the deletion of an account.
    index('mails_user').on(t.userId),
    index('mails_recipient').on(t.recipient),
    index('mails_due').on(t.dueAt),
    index('mails_ends').on(t.endsAt),
    // For what is counted of them.
    index('mails_waiting').on(t.createdAt, t.bytes),
  ],
)
