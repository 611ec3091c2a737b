import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { create } from '../contract/support.ts'
import { signUp } from '../people.ts'
import { RUNTIMES, startServer } from '../server.ts'
import { byMode, reportFault } from './full.ts'

/** Enough for dozens of writes to wait for the disk together. */
const CREATORS = 62
/** Times that it is killed. On Deno only a start is another: what is stored when, and how, is the same code and library. */
const ROUNDS = byMode({ quick: { bun: 8, deno: 2 }, full: { bun: 40, deno: 40 } })

/** The parts of a bundle; `broken` counts bundles that lack one. */
const WHOLE = `SELECT
  (SELECT count(*) FROM bundles b WHERE NOT EXISTS
    (SELECT 1 FROM bundle_versions v WHERE v.bundle_id = b.id AND v.version_number = 1 AND v.urls = b.urls)
    OR (b.owner_id IS NULL AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.bundle_id = b.id))) AS broken,
  (SELECT count(*) FROM bundle_versions WHERE bundle_id NOT IN (SELECT id FROM bundles)) AS strayVersions,
  (SELECT count(*) FROM claims WHERE bundle_id NOT IN (SELECT id FROM bundles)) AS strayClaims`

/** Bundles whose versions are not 1, 2, 3 … up to the current one, or whose last version differs from the bundle. */
const GAPS = `SELECT b.slug FROM bundles b JOIN bundle_versions v ON v.bundle_id = b.id GROUP BY b.id
  HAVING min(v.version_number) <> 1 OR max(v.version_number) <> count(*) OR max(v.version_number) <> b.version_number
    OR b.title IS NOT (SELECT title FROM bundle_versions WHERE bundle_id = b.id ORDER BY version_number DESC LIMIT 1)`

for (const runtime of RUNTIMES) {
  describe(`on ${runtime}`, () => {
    test('kill -9 in the middle of creates and edits loses nothing that was answered, and leaves nothing incomplete', async () => {
      const rounds = ROUNDS[runtime]
      const server = await startServer({ runtime })
      const owner = await signUp(server)
      const { slug: edited } = await owner.makeBundle()
      const titles: string[] = []
      const answered = new Map<string, string>()
      for (let round = 0; round < rounds; round += 1) {
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
        const edit = async (editor: number) => {
          for (let sent = 0; isRunning; sent += 1) {
            const title = `${round} ${editor} ${sent}`
            const answer = await owner.api('PATCH', `/api/links/${edited}`, { title }).catch(() => null)
            if (answer?.status === 200) titles.push(title)
            else if (answer !== null) throw new Error(JSON.stringify(answer.body))
            else return
          }
        }
        const creators = Array.from({ length: CREATORS }, (_, worker) => send(worker))
        const workers = Promise.all([...creators, ...[0, 1].map(edit)])
        const atLeast = answered.size + 5
        const edits = titles.length
        while (answered.size < atLeast + (round % 7) || titles.length === edits) await Bun.sleep(2)
        await server.kill()
        isRunning = false
        await workers

        const file = new Database(server.database)
        expect(file.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
        expect(file.query('PRAGMA foreign_key_check').all()).toEqual([])
        expect(file.query(WHOLE).get()).toEqual({ broken: 0, strayVersions: 0, strayClaims: 0 })
        expect(file.query(GAPS).all()).toEqual([])
        const versions = new Set(file.query('SELECT title FROM bundle_versions').values().flat())
        expect(titles.filter((title) => !versions.has(title))).toEqual([])
        const stored = file.query('SELECT slug, urls FROM bundles').all() as { slug: string; urls: string }[]
        file.close()
        const urls = new Map(stored.map((row) => [row.slug, (JSON.parse(row.urls) as string[])[0]]))
        expect([...answered].filter(([slug, url]) => urls.get(slug) !== url)).toEqual([])
        await server.restart()
      }
      reportFault(`${runtime} over a file, killed ${rounds} times`, answered.size + titles.length, 0)
      expect(answered.size).toBeGreaterThan(rounds * 5)
      const [slug = ''] = [...answered.keys()]
      expect((await fetch(`${server.origin}/l/${slug}`)).status).toBe(200)
      expect(await server.stop()).toBe(0)
      rmSync(dirname(server.database), { recursive: true, force: true })
    }, 240_000)
  })
}
