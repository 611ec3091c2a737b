import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { owners } from './owner-schema.ts'

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
