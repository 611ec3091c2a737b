import { setImmediate as otherWork } from 'node:timers/promises'
import { eq, sql } from 'drizzle-orm'
import { type Store, statement } from '../../db/client.ts'
import { isUnread, read } from '../../db/feed.ts'
import { bundleChanges, bundles } from '../../db/schema.ts'
import { sitesOfBundle } from '../icons/site.ts'

/** How many bundles are in a batch: with rules, each may have hundreds of kilobytes. */
const BATCH = 10

/** Records to which sites some changed bundles link. @returns whether there were any. */
export async function recordSites({ db, writeCounters }: Pick<Store, 'db' | 'writeCounters'>): Promise<boolean> {
  const pending = await db
    .select({
      seq: bundleChanges.seq,
      bundleId: bundleChanges.bundleId,
      urls: bundles.urls,
      resolutionPolicy: bundles.resolutionPolicy,
      isLinking: sql<number>`${bundles.ownerId} IS NOT NULL AND ${bundles.deletedAt} IS NULL AND ${bundles.icons}`,
    })
    .from(bundleChanges)
    .leftJoin(bundles, eq(bundles.id, bundleChanges.bundleId))
    .where(isUnread('forSites'))
    .orderBy(bundleChanges.seq)
    .limit(BATCH)
  if (pending.length === 0) return false
  const entries: [number, string][] = []
  for (const { bundleId, isLinking, urls, resolutionPolicy } of pending) {
    // A bundle that is gone links to none.
    if (urls === null || isLinking === 0) continue
    const sites = sitesOfBundle({ urls, resolutionPolicy })
    entries.push(...sites.map((site): [number, string] => [bundleId, site]))
    await otherWork()
  }
  const given = JSON.stringify({
    seqs: pending.map(({ seq }) => seq),
    bundles: pending.map(({ bundleId }) => bundleId),
    entries,
  })
  await writeCounters(RECORDING.map((text) => ({ sql: text, args: [given] })))
  return true
}

const GIVEN = sql`json_each(given.json,`
/** Statements that take the bundles and their sites as their argument. */
const RECORDING = [
  sql`WITH given (json) AS (SELECT ?), found AS (SELECT value ->> 0 AS bundle_id, value ->> 1 AS origin FROM given, ${GIVEN} '$.entries'))
    DELETE FROM bundle_sites WHERE bundle_id IN (SELECT value FROM given, ${GIVEN} '$.bundles'))
      AND (bundle_id, origin) NOT IN (SELECT bundle_id, origin FROM found)`,
  // Only for bundles that still exist.
  sql`WITH given (json) AS (SELECT ?)
    INSERT INTO bundle_sites (bundle_id, origin) SELECT bundles.id, value ->> 1 FROM given, ${GIVEN} '$.entries')
      JOIN bundles ON bundles.id = value ->> 0 WHERE true ON CONFLICT DO NOTHING`,
  read('forSites', sql`SELECT value FROM json_each(?, '$.seqs')`),
].map((query) => statement(query).sql)
