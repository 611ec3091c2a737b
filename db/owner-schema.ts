import { sql } from 'drizzle-orm'
import { check, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { organization, user } from './identity-schema.ts'

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
     * Size of its bundles and all their versions, including deleted ones until they are purged; maintained by triggers. The sum
     * of `bytes` over versions and parts, and twice over bundles (the row, and the search text). Includes the overhead of rows
     * and indexes, so that many small bundles are not free, and the picture of an organisation.
     */
    historyBytes: integer('history_bytes').notNull().default(0),
    /** Size of its rows in `idempotency_answers` and `proposals`, maintained by triggers. */
    answerBytes: integer('answer_bytes').notNull().default(0),
    proposalBytes: integer('proposal_bytes').notNull().default(0),
    /** Number of undeleted bundles, maintained by triggers, so that creating one need not count them. */
    bundleCount: integer('bundle_count').notNull().default(0),
    /** Whether the service may check the links of its bundles. */
    checkLinks: integer('check_links', { mode: 'boolean' }).notNull().default(true),
  },
  (t) => [
    check('owners_one', sql`(${t.userId} IS NULL) <> (${t.organizationId} IS NULL)`),
    check('owners_plan', sql`${t.plan} IN ('free', 'pro')`),
  ],
)
