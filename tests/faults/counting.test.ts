import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newSlug, sendEvent } from '../contract/support.ts'
import { eventually } from '../eventually.ts'
import { signUp } from '../people.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'
import { startSqld } from '../sqld.ts'
import { byMode } from './full.ts'
import { ADDRESS_HEADER, mixedLoad, type Sent } from './load.ts'

/** The duration of each load. */
const SECONDS = byMode({ quick: 3, full: 60 })
const PATIENCE_MS = (SECONDS * 3 + 60) * 1000
const env = { SERVICE_CLIENT_IP_HEADER: ADDRESS_HEADER, LOG_LEVEL: 'error' }

const TOTALS = `SELECT (SELECT coalesce(sum(views), 0) FROM daily_counters) AS views,
  (SELECT coalesce(sum(open_all_clicks), 0) FROM daily_counters) AS clicks,
  (SELECT coalesce(sum(viewers), 0) FROM daily_viewers) AS viewers`

interface Totals {
  views: number
  clicks: number
  viewers: number
}

const folder = mkdtempSync(join(tmpdir(), 'openall-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function totalsOf(database: string): Totals {
  const file = new Database(database)
  try {
    return file.query(TOTALS).get() as Totals
  } finally {
    file.close()
  }
}

/** What the database must hold. A load across midnight UTC sees viewers on two days. */
function expected({ views, clicks, viewers }: Sent): Totals {
  return { views, clicks, viewers: [...viewers.values()].reduce((sum, { size }) => sum + size, 0) }
}

const makeSlugs = (server: Server) => Promise.all(Array.from({ length: 5 }, () => newSlug(server)))

for (const runtime of RUNTIMES) {
  describe(`on ${runtime}`, () => {
    test(
      'every view, viewer and click of a mixed load is counted exactly after SIGTERM',
      async () => {
        const server = await startServer({ runtime, env, database: join(folder, `${runtime}-one.db`) })
        const slugs = await makeSlugs(server)
        // Even on a busy machine the load must be large enough to show something.
        const sent = await mixedLoad([server], slugs, (sent) =>
          Promise.all([Bun.sleep(SECONDS * 1000), eventually(() => sent.views > 500, 'there is a load', PATIENCE_MS)]),
        )
        expect(await server.stop()).toBe(0)
        expect(sent.wrong).toEqual([])
        expect(sent.views).toBeGreaterThan(500)
        expect(totalsOf(server.database)).toEqual(expected(sent))
      },
      PATIENCE_MS,
    )

    test(
      'requests that were answered during SIGTERM are counted',
      async () => {
        const server = await startServer({ runtime, env, database: join(folder, `${runtime}-amid.db`) })
        const slugs = await makeSlugs(server)
        let stopped = Promise.resolve(-1)
        const sent = await mixedLoad([server], slugs, (sent) => {
          const isLoaded = eventually(() => sent.views > 10, 'there is a load', PATIENCE_MS)
          stopped = Promise.all([Bun.sleep(500), isLoaded]).then(() => server.stop())
          return stopped
        })
        expect(await stopped).toBe(0)
        const { views, clicks } = totalsOf(server.database)
        // Per connection at most one request was counted without its answer arriving.
        expect(views).toBeGreaterThanOrEqual(sent.views)
        expect(clicks).toBeGreaterThanOrEqual(sent.clicks)
        expect(views + clicks).toBeLessThanOrEqual(sent.views + sent.clicks + 64)
        // A reader that holds the file open during the stop does not matter.
        expect(sent.views).toBeGreaterThan(10)
      },
      PATIENCE_MS,
    )

    test(
      'two processes on one file count correctly together, also when one goes and comes back',
      async () => {
        const database = join(folder, `${runtime}-two.db`)
        const servers = [
          await startServer({ runtime, env, database }),
          await startServer({ runtime: 'bun', env, database }),
        ] as const
        const slugs = await makeSlugs(servers[0])
        const first = await mixedLoad(servers, slugs, () => Bun.sleep(SECONDS * 500))
        expect(await servers[1].stop()).toBe(0)
        await servers[1].restart()
        const second = await mixedLoad(servers, slugs, () => Bun.sleep(SECONDS * 500))
        expect(await Promise.all(servers.map((server) => server.stop()))).toEqual([0, 0])
        expect([...first.wrong, ...second.wrong]).toEqual([])
        const viewers = new Map(slugs.map((slug) => [slug, union(first.viewers.get(slug), second.viewers.get(slug))]))
        const both = { ...first, viewers, views: first.views + second.views, clicks: first.clicks + second.clicks }
        expect(totalsOf(database)).toEqual(expected(both))
      },
      PATIENCE_MS,
    )

    test(
      'while the database is down cached pages and events keep answering, no answer is wrong, and counts are kept',
      async () => {
        const sqld = await startSqld()
        const remote = {
          DATABASE_URL: sqld.url,
          DATABASE_AUTH_TOKEN: sqld.token,
          SERVICE_SECRET: 'a secret of the tests, forty characters long',
        }
        const server = await startServer({
          runtime,
          env: { ...env, ...remote, LOG_LEVEL: 'silent' },
          database: sqld.url,
          token: sqld.token,
        })
        try {
          const slugs = await makeSlugs(server)
          const before = await mixedLoad([server], slugs, () => Bun.sleep(300))
          const owner = await signUp(server)
          const insights = `/api/links/${(await owner.makeBundle()).slug}/insights`
          expect((await owner.api('GET', insights)).status).toBe(200)
          await sqld.kill()
          const away = () => Bun.sleep(SECONDS * 1000)
          const [during, unknown, refused] = await Promise.all([
            mixedLoad([server], slugs, away),
            sendEvent(server, 'unknown123'),
            owner.api('GET', insights),
          ])
          expect([unknown.status, refused.status]).toEqual([204, 503])
          expect(refused.body.code).toBe('STORE_UNAVAILABLE')
          await sqld.restart()
          const after = await mixedLoad([server], slugs, () => Bun.sleep(300))
          expect(await server.stop()).toBe(0)
          const all = [before, during, after]
          expect(all.flatMap(({ wrong }) => wrong)).toEqual([])
          const sum = (of: 'views' | 'clicks') => all.reduce((total, sent) => total + sent[of], 0)
          const viewers = new Map(slugs.map((slug) => [slug, union(...all.map((sent) => sent.viewers.get(slug)))]))
          const sent = { views: sum('views'), clicks: sum('clicks'), viewers, wrong: [] }
          expect(await server.sql(TOTALS)).toEqual([{ ...expected(sent) }])
        } finally {
          await server.kill()
          await sqld.stop()
        }
      },
      PATIENCE_MS,
    )
  })
}

function union(...sets: (Set<string> | undefined)[]): Set<string> {
  return new Set(sets.flatMap((set) => [...(set ?? [])]))
}
