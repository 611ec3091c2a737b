import { setImmediate as otherWork } from 'node:timers/promises'
import { eq, sql } from 'drizzle-orm'
import { type Store, statement } from '../../db/client.ts'
import { bundles, sitesPending } from '../../db/schema.ts'
import { sitesOfBundle } from '../icons/site.ts'

/** Bundles of a batch: with rules, each may be of hundreds of kilobytes. */
const BATCH = 10

/** Writes which sites some of the changed bundles link to. @returns whether there were any. */
export async function recordSites({ db, writeCounters }: Pick<Store, 'db' | 'writeCounters'>): Promise<boolean> {
  const pending = await db
    .select({
      seq: sitesPending.seq,
      bundleId: sitesPending.bundleId,
      urls: bundles.urls,
      resolutionPolicy: bundles.resolutionPolicy,
      isLinking: sql<number>`${bundles.ownerId} IS NOT NULL AND ${bundles.deletedAt} IS NULL AND ${bundles.icons}`,
    })
    .from(sitesPending)
    .innerJoin(bundles, eq(bundles.id, sitesPending.bundleId))
    .orderBy(sitesPending.seq)
    .limit(BATCH)
  if (pending.length === 0) return false
  const entries: [number, string][] = []
  for (const { bundleId, isLinking, urls, resolutionPolicy } of pending) {
    if (isLinking === 0) continue
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
/** Statements with what was found as their argument. */
const RECORDING = [
  sql`WITH given (json) AS (SELECT ?), found AS (SELECT value ->> 0 AS bundle_id, value ->> 1 AS origin FROM given, ${GIVEN} '$.entries'))
    DELETE FROM bundle_sites WHERE bundle_id IN (SELECT value FROM given, ${GIVEN} '$.bundles'))
      AND (bundle_id, origin) NOT IN (SELECT bundle_id, origin FROM found)`,
  // Of those that are still there.
  sql`WITH given (json) AS (SELECT ?)
    INSERT INTO bundle_sites (bundle_id, origin) SELECT bundles.id, value ->> 1 FROM given, ${GIVEN} '$.entries')
      JOIN bundles ON bundles.id = value ->> 0 WHERE true ON CONFLICT DO NOTHING`,
  sql`WITH given (json) AS (SELECT ?) DELETE FROM sites_pending WHERE seq IN (SELECT value FROM given, ${GIVEN} '$.seqs'))`,
].map((query) => statement(query).sql)
