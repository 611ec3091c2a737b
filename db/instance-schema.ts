import { sql } from 'drizzle-orm'
import { check, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * The one row that says which database this is. A copy has the same, so that backups of another one are told apart; a migration
 * makes it (instance.ts).
 */
export const instance = sqliteTable(
  'instance',
  {
    row: integer('row').primaryKey(),
    /** 32 random hexadecimal digits. */
    id: text('id').notNull(),
    createdAt: integer('created_at').notNull(),
    /** A keyed hash of the secret that the last start used; null before the first. */
    secretHash: text('secret_hash'),
    /** When a start last used another secret than the one before it; null: never. */
    secretChangedAt: integer('secret_changed_at'),
  },
  (t) => [check('instance_one', sql`${t.row} = 1`)],
)
