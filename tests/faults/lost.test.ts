import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { create } from '../contract/support.ts'
import { isLeftOut } from '../needs.ts'
import { type Person, signUp } from '../people.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'
import { type Sqld, startSqld } from '../sqld.ts'
import { mountDisk } from './disk.ts'
import { byMode, IS_FULL, reportFault } from './full.ts'

// The table in docs/self-hosting.md: how much of what was answered each fault loses. `bun run faults` prints the numbers.

const PATIENCE_MS = 300_000
const CREATORS = 16
/** After this long Linux writes unsynced data to the disk. */
const WRITTEN_BACK_MS = 40_000
const ROUNDS = byMode({ quick: 2, full: 5 })
/** The minimum number of answers before each fault. */
const AT_LEAST = byMode({ quick: 5, full: 20 }) * CREATORS

/** What was answered: creates by slug, edits of one bundle by title. */
class Ledger {
  readonly slugs: string[] = []
  readonly titles: string[] = []

  /** Creates and edits continuously until `fault` is over and nothing is answered any more. */
  async during(server: Server, owner: Person, slug: string, fault: () => Promise<unknown>): Promise<void> {
    const enough = this.slugs.length + AT_LEAST
    let isOver = false
    const send = async (_: unknown, worker: number) => {
      for (let sent = 0; !isOver; sent += 1) {
        const answer = await create(server, { urls: [`https://a.example/${worker}/${sent}`] }).catch(() => null)
        if (answer?.status === 201) this.slugs.push(answer.body.slug)
      }
    }
    const edit = async () => {
      while (!isOver) {
        const title = `edit ${this.titles.length}`
        const answer = await owner.api('PATCH', `/api/links/${slug}`, { title }).catch(() => null)
        if (answer?.status === 200) this.titles.push(title)
      }
    }
    const all = Promise.all([...Array.from({ length: CREATORS }, send), edit()])
    while (this.slugs.length < enough) await Bun.sleep(5)
    await fault()
    isOver = true
    await all
  }

  /** Answered writes that the database does not have. */
  async lost({ sql }: Pick<Server, 'sql'>): Promise<string[]> {
    const slugs = new Set((await sql('SELECT slug FROM bundles')).map((row) => row.slug))
    const titles = new Set((await sql('SELECT title FROM bundle_versions')).map((row) => row.title))
    return [...this.slugs.filter((slug) => !slugs.has(slug)), ...this.titles.filter((title) => !titles.has(title))]
  }

  report(fault: string, lost: readonly string[]): void {
    reportFault(fault, this.slugs.length + this.titles.length, lost.length)
  }
}

describe.each(RUNTIMES.map((runtime) => ({ runtime })))('on $runtime', ({ runtime }) => {
  const startOver = (sqld: Sqld) =>
    startServer({
      runtime,
      env: {
        DATABASE_URL: sqld.url,
        DATABASE_AUTH_TOKEN: sqld.token,
        SERVICE_SECRET: 'a secret of the tests, forty characters long',
      },
      database: sqld.url,
      token: sqld.token,
    })

  test.skipIf(isLeftOut('root'))(
    'a power cut loses nothing answered from a file, and signs nobody out',
    async () => {
      const disk = mountDisk()
      const server = await startServer({ runtime, database: join(disk.folder, 'openall.db') })
      const owner = await signUp(server)
      const { slug } = await owner.makeBundle()
      const ledger = new Ledger()
      try {
        for (let round = 0; round < ROUNDS; round += 1) {
          await ledger.during(server, owner, slug, async () => {
            disk.cutPower()
            await server.kill()
          })
          disk.mountAgain()
          await server.restart()
          expect(await server.sql('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
          expect((await owner.api('GET', `/api/links/${slug}`)).status).toBe(200)
        }
        const lost = await ledger.lost(server)
        ledger.report(`${runtime} over a file, ${ROUNDS} power cuts`, lost)
        expect(lost).toEqual([])
      } finally {
        await server.kill()
        disk.remove()
      }
    },
    PATIENCE_MS,
  )

  // sqld promises less: recent answers may be lost, but what exists is complete and usable.
  test.skipIf(isLeftOut('root') || !IS_FULL)(
    'after a power cut sqld has only complete bundles, and the service continues',
    async () => {
      const disk = mountDisk()
      const sqld = await startSqld(undefined, disk.folder)
      const server = await startOver(sqld)
      const owner = await signUp(server)
      const { slug } = await owner.makeBundle()
      const ledger = new Ledger()
      try {
        // So that there is something.
        await Bun.sleep(WRITTEN_BACK_MS)
        await ledger.during(server, owner, slug, async () => {
          disk.cutPower()
          await Promise.all([server.kill(), sqld.kill()])
        })
        disk.mountAgain()
        await sqld.restart()
        await server.restart()
        ledger.report(`${runtime} over sqld, a power cut`, await ledger.lost(server))
        expect(await server.sql('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
        expect((await owner.api('GET', `/api/links/${slug}`)).status).toBe(200)
        expect((await create(server, { urls: ['https://a.example/'] })).status).toBe(201)
      } finally {
        await Promise.all([server.kill(), sqld.stop()])
        disk.remove()
      }
    },
    PATIENCE_MS,
  )

  test(
    'kill -9 loses nothing answered over sqld',
    async () => {
      const sqld = await startSqld()
      const server = await startOver(sqld)
      const owner = await signUp(server)
      const { slug } = await owner.makeBundle()
      const ledger = new Ledger()
      try {
        for (let round = 0; round < ROUNDS; round += 1) {
          await ledger.during(server, owner, slug, () => server.kill())
          await server.restart()
        }
        const lost = await ledger.lost(server)
        ledger.report(`${runtime} over sqld, the service killed ${ROUNDS} times`, lost)
        expect(lost).toEqual([])
      } finally {
        await server.kill()
        await sqld.stop()
      }
    },
    PATIENCE_MS,
  )
})
