import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { create } from '../contract/support.ts'
import { RUNTIMES, startServer } from '../server.ts'

const ROUNDS = 16

/** What a bundle consists of; `broken` counts those that lack a part. */
const WHOLE = `SELECT
  (SELECT count(*) FROM bundles b WHERE NOT EXISTS
    (SELECT 1 FROM bundle_versions v WHERE v.bundle_id = b.id AND v.version_number = 1 AND v.urls = b.urls)
    OR NOT EXISTS (SELECT 1 FROM claims c WHERE c.bundle_id = b.id)) AS broken,
  (SELECT count(*) FROM bundle_versions WHERE bundle_id NOT IN (SELECT id FROM bundles)) AS strayVersions,
  (SELECT count(*) FROM claims WHERE bundle_id NOT IN (SELECT id FROM bundles)) AS strayClaims`

for (const runtime of RUNTIMES) {
  describe(`on ${runtime}`, () => {
    test('kill -9 in the middle of creates loses no bundle that was answered, and leaves none in part', async () => {
      const server = await startServer({ runtime })
      const answered = new Map<string, string>()
      for (let round = 0; round < ROUNDS; round += 1) {
        let isRunning = true
        const send = async (worker: number) => {
          for (let sent = 0; isRunning; sent += 1) {
            const url = `https://a.example/${round}/${worker}/${sent}`
            const headers = { 'idempotency-key': url }
            const answer = await create(server, { urls: [url] }, sent % 2 === 0 ? headers : {}).catch(() => null)
            if (answer?.status === 201) answered.set(answer.body.slug, url)
            else if (answer !== null) throw new Error(JSON.stringify(answer.body))
            else return
          }
        }
        const workers = Promise.all(Array.from({ length: 8 }, (_, worker) => send(worker)))
        const atLeast = answered.size + 5
        while (answered.size < atLeast + (round % 7)) await Bun.sleep(2)
        await server.kill()
        isRunning = false
        await workers

        const file = new Database(server.database)
        expect(file.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
        expect(file.query('PRAGMA foreign_key_check').all()).toEqual([])
        expect(file.query(WHOLE).get()).toEqual({ broken: 0, strayVersions: 0, strayClaims: 0 })
        const stored = file.query('SELECT slug, urls FROM bundles').all() as { slug: string; urls: string }[]
        file.close()
        const urls = new Map(stored.map((row) => [row.slug, (JSON.parse(row.urls) as string[])[0]]))
        expect([...answered].filter(([slug, url]) => urls.get(slug) !== url)).toEqual([])
        await server.restart()
      }
      expect(answered.size).toBeGreaterThan(ROUNDS * 5)
      const [slug = ''] = [...answered.keys()]
      expect((await fetch(`${server.origin}/l/${slug}`)).status).toBe(200)
      expect(await server.stop()).toBe(0)
      rmSync(dirname(server.database), { recursive: true, force: true })
    }, 120_000)
  })
}
