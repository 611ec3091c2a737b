import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asc, gt, sql } from 'drizzle-orm'
import { openStore, type Store } from '../../db/client.ts'
import { read, unread } from '../../db/feed.ts'
import { bundleChanges } from '../../db/schema.ts'
import { eraseDue, retentionRules } from '../../src/retention/rules.ts'

// What a change of a bundle is to each reader of the feed, and when a row of it goes.

let folder: string
let store: Store
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'openall-feed-'))
  store = await openStore({ url: `file:${join(folder, 'openall.db')}` })
  await run(
    `INSERT INTO user (id, name, email, email_verified, created_at, updated_at) VALUES ('ada', 'Ada', 'ada@people.example', 1, 1, 1)`,
    `INSERT INTO owners (id, user_id) VALUES (1, 'ada')`,
    // Its log makes it an owner.
    `INSERT INTO organization (id, name, slug, created_at) VALUES ('us', 'Us', 'us', 1)`,
  )
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const run = (...statements: string[]) => store.write(statements.map((text) => sql.raw(text)))

/** The rows that statements add, each as who is to read it. */
async function changesBy(...statements: string[]): Promise<string[]> {
  const [last] = await store.db.select({ seq: sql<number>`coalesce(max(seq), 0)` }).from(bundleChanges)
  await run(...statements)
  const rows = await store.db
    .select()
    .from(bundleChanges)
    .where(gt(bundleChanges.seq, last?.seq ?? 0))
    .orderBy(asc(bundleChanges.seq))
  return rows
    .map(({ bundleId, slug, ownerId, forSearch, forSites, forLinks }) =>
      [
        bundleId,
        slug ?? '',
        ...(forSearch === 1 ? [`search of ${ownerId}`] : []),
        ...(forSites === 1 ? ['sites'] : []),
        ...(forLinks === 1 ? ['links'] : []),
      ].join(' '),
    )
    .sort()
}

const insert = (id: number, owner: number | 'NULL') =>
  `INSERT INTO bundles (id, slug, slug_hash, owner_id, title, urls, url_metadata, source, created_at, updated_at)
   VALUES (${id}, 'slug-${id}', '#${id}', ${owner}, 'T', '["https://a.example/"]', '[{}]', 'api', 1, 1)`
const textOf = (id: number, text: string) =>
  `INSERT INTO bundle_search VALUES (${id}, '${text}') ON CONFLICT DO UPDATE SET text = excluded.text`
const indexAll = () => run('UPDATE bundle_changes SET for_search = 0')

test('a change is listed for those whom it concerns', async () => {
  expect(await changesBy(insert(1, 1), textOf(1, 'one'))).toEqual(['1  search of 1', '1  sites links'])
  // Its text is read when it is indexed, whatever was written until then.
  expect(await changesBy(textOf(1, 'two'))).toEqual([])
  await indexAll()
  expect(await changesBy(textOf(1, 'three'))).toEqual(['1  search of 1'])
  expect(await changesBy('UPDATE bundles SET copyable = 1')).toEqual(['1 slug-1'])
  expect(await changesBy(`UPDATE bundles SET urls = '["https://b.example/"]'`)).toEqual(['1 slug-1 sites links'])
  expect(await changesBy(`UPDATE bundles SET url_metadata = '[{"note":"N"}]'`)).toEqual(['1 slug-1 links'])
  expect(await changesBy('UPDATE bundles SET icons = 0')).toEqual(['1 slug-1 sites'])
  expect(await changesBy('UPDATE bundles SET viewed_at = 5')).toEqual([])
  expect(await changesBy(`UPDATE bundles SET slug = 'new-1', slug_hash = '#new'`)).toEqual(['1 new-1', '1 slug-1'])
  await indexAll()
  expect(await changesBy('UPDATE bundles SET owner_id = 2')).toEqual([
    '1 new-1 search of 1',
    '1 new-1 search of 2 links',
  ])
  expect(await changesBy(`UPDATE organization SET name = 'We'`)).toEqual(['1 new-1'])
  expect(await changesBy('UPDATE bundles SET deleted_at = 5')).toEqual(['1 new-1 sites links'])
  expect(await changesBy('DELETE FROM bundles')).toEqual(['1 new-1 search of 2 links'])
})

test('of a bundle that nobody owns only launchers are told, until somebody does', async () => {
  expect(await changesBy(insert(2, 'NULL'), textOf(2, 'two'))).toEqual([])
  expect(await changesBy(`UPDATE bundles SET urls = '["https://b.example/"]'`)).toEqual(['2 slug-2'])
  expect(await changesBy('UPDATE bundles SET owner_id = 1')).toEqual(['2 slug-2 search of 1 sites links'])
  await run('DELETE FROM bundles')
})

test('a reader reads in order, for itself, and what comes meanwhile another time', async () => {
  await run('DELETE FROM bundle_changes', insert(3, 1), insert(4, 1))
  const bundlesFor = async (reader: 'forSites' | 'forLinks', most = 9) =>
    (await unread(store, reader, most)).map(({ bundleId }) => bundleId)
  expect(await bundlesFor('forLinks', 1)).toEqual([3])
  const seqs = (await unread(store, 'forLinks', 9)).map(({ seq }) => seq)
  await run(`UPDATE bundles SET urls = '["https://c.example/"]' WHERE id = 3`)
  await store.write([read('forLinks', sql`SELECT value FROM json_each(${JSON.stringify(seqs)})`)])
  expect(await bundlesFor('forLinks')).toEqual([3])
  expect(await bundlesFor('forSites')).toEqual([3, 4, 3])
})

test('a row goes after an hour, once all have read it', async () => {
  const rule = retentionRules({ keepDeletedMs: 1 }).find(({ what }) => what === 'bundle_changes')
  if (rule === undefined) throw new Error('there is no such rule')
  const sweep = async (now: number) => {
    const queries = await eraseDue(store.db, rule, now - rule.keptMs)
    await store.writeCounters(
      queries.map((query) => ({ sql: query.toSQL().sql, args: query.toSQL().params as number[] })),
    )
    return (await store.db.select({ bundleId: bundleChanges.bundleId }).from(bundleChanges)).map((row) => row.bundleId)
  }
  await run('DELETE FROM bundles', 'DELETE FROM bundle_changes', insert(5, 1), insert(6, 1))
  const later = Date.now() + 3_600_001
  expect(await sweep(later)).toEqual([5, 6])
  await run('UPDATE bundle_changes SET for_sites = 0', 'UPDATE bundle_changes SET for_links = 0 WHERE bundle_id = 6')
  expect(await sweep(Date.now())).toEqual([5, 6])
  expect(await sweep(later)).toEqual([5])
})
