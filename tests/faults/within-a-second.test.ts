import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { counts, newSlug } from '../contract/support.ts'
import { eventually } from '../eventually.ts'
import { newPerson } from '../people.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'
import { startSqld } from '../sqld.ts'

// Promises of one second, tested at the worst moment: just after the periodic work has run. A busy machine may be late, so
// one of a few tries must succeed; with a longer period none would.

const PATIENCE_MS = 180_000
const SECOND_MS = 1_000
const TRIES = 5
/** A User-Agent that is not taken for a bot. */
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0' }
const SECRET = { SERVICE_SECRET: 'the same secret in both processes, forty characters' }

/** Whether one of a few tries succeeds. */
async function once(attempt: (index: number) => Promise<boolean>): Promise<boolean> {
  for (let index = 0; index < TRIES; index += 1) if (await attempt(index)) return true
  return false
}

const viewsOf = async (server: Server, slug: string) => (await counts(server, slug))?.views ?? 0

for (const runtime of RUNTIMES) {
  test(
    `on ${runtime} counts from a second before kill -9 are stored`,
    async () => {
      const server = await startServer({ runtime })
      const slug = await newSlug(server)
      const view = async () => (await fetch(`${server.origin}/l/${slug}`, { headers: BROWSER })).arrayBuffer()
      const isKept = await once(async () => {
        // Just after a write, the next counts have to wait longest.
        const before = await viewsOf(server, slug)
        await view()
        await eventually(async () => (await viewsOf(server, slug)) > before, 'a view is written')
        await Promise.all(Array.from({ length: 20 }, view))
        await Bun.sleep(SECOND_MS)
        await server.kill()
        const isThere = (await viewsOf(server, slug)) === before + 21
        await server.restart()
        return isThere
      })
      expect(isKept).toBeTrue()
      await server.stop()
    },
    PATIENCE_MS,
  )
}

const STORES = [
  { name: 'a file', runtimes: ['bun', 'deno'], isRemote: false },
  { name: 'a file', runtimes: ['deno', 'bun'], isRemote: false },
  { name: 'sqld', runtimes: ['deno', 'bun'], isRemote: true },
] as const

describe.each(STORES)('on $runtimes.0 and $runtimes.1 over $name', ({ runtimes, isRemote }) => {
  test(
    'an edit in one process shows in the other within a second, and so does a deletion',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'openall-second-'))
      const sqld = isRemote ? await startSqld() : null
      const started = (runtime: (typeof runtimes)[number]) =>
        sqld === null
          ? startServer({ runtime, database: join(folder, 'test.db'), env: SECRET })
          : startServer({
              runtime,
              database: sqld.url,
              token: sqld.token,
              env: { ...SECRET, DATABASE_URL: sqld.url, DATABASE_AUTH_TOKEN: sqld.token },
            })
      const servers: Server[] = []
      try {
        for (const runtime of runtimes) servers.push(await started(runtime))
        const [here, there] = servers as [Server, Server]
        const person = await newPerson(here)
        const { slug } = await person.makeBundle({ title: 'title 0' })
        const shown = async () => (await fetch(`${there.origin}/l/${slug}`)).text()
        expect(await shown()).toContain('title 0')
        const edit = (title: string) => person.api('PATCH', `/api/links/${slug}`, { title })
        const shows = (title: string) => eventually(async () => (await shown()).includes(title), title)
        const isQuick = await once(async (index) => {
          // Just after a poll, the next edit has to wait longest.
          await edit(`first ${index}`)
          await shows(`first ${index}`)
          await edit(`second ${index}`)
          const from = performance.now()
          await shows(`second ${index}`)
          return performance.now() - from <= SECOND_MS
        })
        const isGone = await once(async (index) => {
          await person.api('POST', `/api/links/${slug}/restore`)
          await edit(`third ${index}`)
          await shows(`third ${index}`)
          await person.api('DELETE', `/api/links/${slug}`)
          const from = performance.now()
          await eventually(async () => (await fetch(`${there.origin}/l/${slug}`)).status === 404, 'it is gone')
          return performance.now() - from <= SECOND_MS
        })
        expect([isQuick, isGone]).toEqual([true, true])
      } finally {
        await Promise.all(servers.map((server) => server.kill()))
        await sqld?.stop()
        rmSync(folder, { recursive: true, force: true })
      }
    },
    PATIENCE_MS,
  )
})
