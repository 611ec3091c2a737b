import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { openStore, type Store } from '../../db/client.ts'
import { bundles, bundleVersions, type Content } from '../../db/schema.ts'
import { NAMES, NOTHING } from '../../src/bundles/content/content.ts'

let folder: string
let store: Store
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'openall-content-'))
  store = await openStore({ url: `file:${join(folder, 'openall.db')}` })
  const content: Content = { ...NOTHING, urls: ['https://a.example/'], urlMetadata: [{}] }
  await store.write([
    store.db
      .insert(bundles)
      .values({ ...content, slug: 'one', slugHash: '#one', source: 'api', createdAt: 1, updatedAt: 1 }),
    store.db.insert(bundleVersions).values({ ...content, bundleId: 1, versionNumber: 1, editedAt: 1 }),
  ])
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const numberOf = async (what: ReturnType<typeof sql>, table: string) =>
  (await store.db.select({ n: sql<number>`${what}` }).from(sql`${sql.identifier(table)}`))[0]?.n ?? 0

describe('every field of a bundle’s content', () => {
  test.each(NAMES)('%s invalidates cached launchers when edited', async (name) => {
    const changes = () => numberOf(sql`count(*)`, 'bundle_changes')
    const before = await changes()
    const column = sql.identifier(bundles[name].name)
    await store.write([sql`UPDATE bundles SET ${column} = ${column}`])
    expect(await changes()).toBe(before + 1)
  })
})
