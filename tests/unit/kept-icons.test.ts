import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { openStore, type Store } from '../../db/client.ts'
import { keepIcon, keptSite } from '../../src/icons/kept.ts'
import { sitesOfBundle } from '../../src/icons/site.ts'
import { takeDueSites } from '../../src/inspection/due-sites.ts'

const DAY_MS = 86_400_000
const folder = mkdtempSync(join(tmpdir(), 'openall-'))
let store: Store
beforeAll(async () => {
  store = await openStore({ url: `file:${join(folder, 'test.db')}`, authToken: undefined })
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

test('a site keeps its icon while it is silent, for a week, or costs too much, for a day, and not without one', async () => {
  const origin = 'https://example.com'
  const icon = { id: 'x'.repeat(22), tone: null }
  await keepIcon(store, origin, { ...icon, png: Buffer.from('png') }, 0)
  expect(await keptSite(store, origin)).toEqual({ icon, dueAt: 30 * DAY_MS })
  await keepIcon(store, origin, undefined, 0)
  expect(await keptSite(store, origin)).toEqual({ icon, dueAt: 7 * DAY_MS })
  await keepIcon(store, origin, 'costly', 0)
  expect(await keptSite(store, origin)).toEqual({ icon, dueAt: DAY_MS })
  await keepIcon(store, origin, 'not drawn', 0)
  expect(await keptSite(store, origin)).toEqual({ icon, dueAt: DAY_MS / 24 })
  await keepIcon(store, origin, null, 0)
  expect(await keptSite(store, origin)).toEqual({ icon: null, dueAt: 30 * DAY_MS })
})

test('a bundle has icons for a hundred sites', () => {
  const urls = Array.from({ length: 150 }, (_, at) => `https://${at}.example/`)
  expect(sitesOfBundle({ urls, resolutionPolicy: null })).toEqual(
    Array.from({ length: 100 }, (_, at) => `https://${at}.example`),
  )
})

test('whoever has many sites that are due leaves places to others, however many they are', async () => {
  const run = (query: string) => store.write([sql.raw(query)])
  for (const [id, name] of ['ada', 'ben'].entries()) {
    await run(
      `INSERT INTO user (id, name, email, email_verified, created_at, updated_at) VALUES ('${name}', '${name}', '${name}@people.example', 1, 1, 1)`,
    )
    await run(`INSERT INTO owners (id, user_id) VALUES (${id + 1}, '${name}')`)
    await run(`INSERT INTO bundles (id, slug, slug_hash, owner_id, urls, url_metadata, source, created_at, updated_at)
      VALUES (${id + 1}, '${name}', '#${name}', ${id + 1}, '["https://a.example/"]', '[{}]', 'api', 1, 1)`)
  }
  await run(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 499)
    INSERT INTO bundle_sites (bundle_id, origin) SELECT 1, 'https://' || i || '.example' FROM n`)
  await run(`INSERT INTO bundle_sites (bundle_id, origin) VALUES (2, 'https://ben.example')`)
  await run(`UPDATE sites SET due_at = iif(origin = 'https://ben.example', 2, 1) WHERE unused_since IS NULL`)
  const takenBy = new Map<number | null, number>()
  const takenIn = async (looks: number) => {
    const origins: string[] = []
    for (let look = 0; look < looks; look += 1) {
      const free = 16 - takenBy.values().reduce((sum, taken) => sum + taken, 0)
      for (const { origin, ownerId } of await takeDueSites(store, { free, each: 8, takenBy }, 10)) {
        origins.push(origin)
        takenBy.set(ownerId, (takenBy.get(ownerId) ?? 0) + 1)
      }
    }
    return origins
  }
  // None of the first ones answers.
  expect((await takenIn(1)).length).toBe(8)
  expect(await takenIn(4)).toEqual(['https://ben.example'])
  expect([...takenBy]).toEqual([
    [1, 8],
    [2, 1],
  ])
})
