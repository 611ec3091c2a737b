import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { openStore, type Store } from '../../db/client.ts'
import { bundles, bundleVersions, type Content } from '../../db/schema.ts'
import { NAMES, NOTHING } from '../../src/bundles/content.ts'

// What the database does by itself has to be told of each column by a migration: see CONTRIBUTING.

let folder: string
let store: Store
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'openall-content-'))
  store = await openStore({ url: `file:${join(folder, 'openall.db')}` })
  const content: Content = { ...NOTHING, urls: ['https://a.example/'], urlMetadata: [{}] }
  await store.write([
    store.db.insert(bundles).values({ ...content, slug: 'one', source: 'api', createdAt: 1, updatedAt: 1 }),
    store.db.insert(bundleVersions).values({ ...content, bundleId: 1, versionNumber: 1, editedAt: 1 }),
  ])
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const numberOf = async (what: ReturnType<typeof sql>, table: string) =>
  (await store.db.select({ n: sql<number>`${what}` }).from(sql`${sql.identifier(table)}`))[0]?.n ?? 0

describe('of a bundle’s content', () => {
  test.each(NAMES)('%s tells kept launchers that it was edited', async (name) => {
    const changes = () => numberOf(sql`count(*)`, 'bundle_changes')
    const before = await changes()
    const column = sql.identifier(bundles[name].name)
    await store.write([sql`UPDATE bundles SET ${column} = ${column}`])
    expect(await changes()).toBe(before + 1)
  })

  test.each(NAMES)('%s counts towards what versions take', async (name) => {
    const bytes = () => numberOf(sql`bytes`, 'bundle_versions')
    const column = sql.identifier(bundleVersions[name].name)
    const before = await bytes()
    // Space round JSON is JSON still.
    await store.write([sql`UPDATE bundle_versions SET ${column} = coalesce(${column}, '') || '   '`])
    expect(await bytes()).toBe(before + 3)
  })
})
