import { sql } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { policyRules } from '../../db/schema.ts'

/**
 * Rows of counts summed at a time, which takes some milliseconds: a bundle has one per day and rule. A report sums three kinds of
 * them in the same round of the event loop.
 */
export const COUNTS_AT_ONCE = 5_000

/** The number of rules that bundles have ever had, by id; bundles without any are missing. A day may have one count more. */
export async function rulesEver(db: Store['db'], ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await counted(db).all({ ids: JSON.stringify(ids) })
  return new Map(rows.map(({ id, rules }) => [id, rules]))
}

const counted = prepared((db) =>
  db
    .select({ id: policyRules.bundleId, rules: sql<number>`count(*)` })
    .from(policyRules)
    .where(sql`${policyRules.bundleId} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`)
    .groupBy(policyRules.bundleId)
    .prepare(),
)
