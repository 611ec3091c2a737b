import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, newSlug, sendEvent, URL_OK } from '../contract/support.ts'
import { eventually } from '../eventually.ts'
import { need } from '../needs.ts'
import { type Person, signUp } from '../people.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'

const PATIENCE_MS = 180_000
const METRICS_TOKEN = 'a token of the tests'

/** A disk of a few megabytes. */
function mountDisk(): { folder: string; fill(): void; free(): void; unmount(): void } {
  need('root')
  const folder = mkdtempSync(join(tmpdir(), 'openall-disk-'))
  if (Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]).exitCode !== 0) {
    rmdirSync(folder)
    throw new Error('a tmpfs cannot be mounted')
  }
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill() {
      const file = openSync(ballast, 'a')
      // To the last byte: whole blocks, then the rest.
      for (let size = 65_536; size >= 1; ) {
        try {
          if (writeSync(file, Buffer.alloc(size)) < size) size = Math.floor(size / 2)
        } catch {
          size = Math.floor(size / 2)
        }
      }
      closeSync(file)
    },
    free: () => rmSync(ballast),
    unmount() {
      Bun.spawnSync(['umount', folder])
      rmdirSync(folder)
    },
  }
}

describe.each(RUNTIMES.map((runtime) => ({ runtime })))('on $runtime', ({ runtime }) => {
  let disk: ReturnType<typeof mountDisk>
  let server: Server
  let owner: Person
  beforeAll(async () => {
    disk = mountDisk()
    server = await startServer({
      runtime,
      database: join(disk.folder, 'test.db'),
      env: { LOG_LEVEL: 'silent', SERVICE_METRICS_TOKEN: METRICS_TOKEN },
    })
    owner = await signUp(server)
  }, PATIENCE_MS)
  afterAll(async () => {
    await server?.kill()
    disk?.unmount()
  })

  const page = async (path: string) => {
    const answer = await fetch(`${server.origin}${path}`, { headers: { 'user-agent': 'Mozilla/5.0 Firefox/153.0' } })
    await answer.arrayBuffer()
    return answer.status
  }

  test(
    'a full disk refuses writes with 503 and says so to the operator; reads and launchers go on, writes once there is space',
    async () => {
      const { slug } = await owner.makeBundle()
      const kept = await newSlug(server)
      const secondsOfFailing = async () => {
        const metrics = await fetch(`${server.origin}/metrics`, {
          headers: { authorization: `Bearer ${METRICS_TOKEN}` },
        })
        return Number(/^openall_store_writes_failing_seconds (\S+)$/m.exec(await metrics.text())?.[1])
      }
      expect(await page(`/l/${kept}`)).toBe(200)
      disk.fill()
      const made: string[] = []
      const write = async () => {
        const answer = await create(server, { urls: [URL_OK] })
        if (answer.status === 201) made.push(answer.body.slug)
        return [answer.status, answer.body.code]
      }
      // The log has some space left before it must grow.
      await eventually(async () => (await write())[0] === 503, 'a write is refused')
      for (let round = 0; round < 3; round += 1) {
        expect(await write()).toEqual([503, 'STORE_UNAVAILABLE'])
        expect((await owner.api('PATCH', `/api/links/${slug}`, { title: 'no room' })).status).toBe(503)
        expect(await page(`/l/${kept}`)).toBe(200)
        expect(await page(`/l/${slug}`)).toBe(200)
        expect((await sendEvent(server, kept)).status).toBe(204)
        expect((await owner.api('GET', '/api/me/links')).status).toBe(200)
        expect([await page('/readyz'), await page('/healthz')]).toEqual([200, 200])
        expect(await (await fetch(`${server.origin}/readyz`)).text()).toBe('ready, but the store takes no writes')
        expect(await secondsOfFailing()).toBeGreaterThan(round)
        // By now the service has tried to write counts.
        await Bun.sleep(1_100)
      }
      disk.free()
      // Without anybody's write.
      const isReady = async () => (await (await fetch(`${server.origin}/readyz`)).text()) === 'ready'
      await eventually(isReady, 'it says that it is ready')
      expect(await secondsOfFailing()).toBe(0)
      await eventually(async () => (await write())[0] === 201, 'a write is taken')
      expect((await owner.api('PATCH', `/api/links/${slug}`, { title: 'room' })).status).toBe(200)
      for (const each of made) expect([each, await page(`/l/${each}`)]).toEqual([each, 200])
      expect(await server.stop()).toBe(0)
      const [counted] = await server.sql(
        'SELECT views, open_all_clicks AS clicks FROM daily_counters JOIN bundles ON bundles.id = bundle_id WHERE slug = ?',
        [kept],
      )
      expect(counted).toEqual({ views: 4, clicks: 3 })
      expect(
        await server.sql(
          'SELECT v.title FROM bundle_versions v JOIN bundles b ON b.id = bundle_id WHERE slug = ? ORDER BY v.version_number',
          [slug],
        ),
      ).toEqual([{ title: null }, { title: 'room' }])
      expect(await server.sql('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    },
    PATIENCE_MS,
  )
})
