import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, newSlug, URL_OK } from '../contract/support.ts'
import { eventually } from '../eventually.ts'
import { signUp } from '../people.ts'
import { RUNTIMES, startServer } from '../server.ts'
import { ADDRESS_HEADER, mixedLoad } from './load.ts'

const NO_WRITES = 'ready, but the store takes no writes'

/** Another process takes the write lock on a file for a while; resolves once it has it. */
async function lock(file: string, ms: number): Promise<Bun.Subprocess> {
  const script = `
    const { Database } = require('bun:sqlite')
    const database = new Database(process.argv.at(-1))
    database.run('PRAGMA busy_timeout = 5000')
    database.run('BEGIN EXCLUSIVE')
    console.log('locked')
    setTimeout(() => database.run('COMMIT'), ${ms})`
  const child = Bun.spawn([process.execPath, '-e', script, '--', file], { stdout: 'pipe' })
  await child.stdout.getReader().read()
  return child
}

for (const runtime of RUNTIMES) {
  describe(`on ${runtime}`, () => {
    test('another process that writes for seconds costs no count, no edit and no account', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'openall-'))
      const database = join(folder, 'test.db')
      const server = await startServer({ runtime, database, env: { SERVICE_CLIENT_IP_HEADER: ADDRESS_HEADER } })
      const slugs = [await newSlug(server)]
      const before = await mixedLoad([server], slugs, () => Bun.sleep(200))
      const loads = [before]
      const people = []
      for (const ms of [300, 2000, 1200]) {
        const locked = await lock(database, ms)
        // Both wait for the lock; the account is written by better-auth, with its own queries.
        const [person, load] = await Promise.all([signUp(server), mixedLoad([server], slugs, () => Bun.sleep(ms))])
        await person.makeBundle()
        people.push(person)
        loads.push(load)
        await locked.exited
      }
      loads.push(await mixedLoad([server], slugs, () => Bun.sleep(200)))
      expect(await server.stop()).toBe(0)
      expect(loads.flatMap(({ wrong }) => wrong)).toEqual([])
      const file = new Database(database)
      expect(
        file.query('SELECT sum(views) AS views, sum(open_all_clicks) AS clicks FROM daily_counters').get(),
      ).toEqual({
        views: loads.reduce((sum, { views }) => sum + views, 0),
        clicks: loads.reduce((sum, { clicks }) => sum + clicks, 0),
      })
      const emails = file.query('SELECT email FROM user ORDER BY 1').values().flat()
      expect(emails).toEqual(people.map(({ email }) => email).sort())
      expect(file.query('SELECT count(*) AS n FROM bundles').get()).toEqual({ n: 1 + people.length })
      expect(file.query('SELECT count(*) AS n FROM session').get()).toEqual({ n: people.length })
      file.close()
      rmSync(folder, { recursive: true, force: true })
    }, 180_000)

    test('a write that waits too long is told when to come back, and /readyz and metrics report it until it is over', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'openall-'))
      const database = join(folder, 'test.db')
      const server = await startServer({ runtime, database, env: { SERVICE_METRICS_TOKEN: 'a token of the tests' } })
      const slug = await newSlug(server)
      const ready = async () => (await fetch(`${server.origin}/readyz`)).text()
      const failingSeconds = async () => {
        const headers = { authorization: 'Bearer a token of the tests' }
        const text = await (await fetch(`${server.origin}/metrics`, { headers })).text()
        return Number(/^openall_store_writes_failing_seconds (.+)$/m.exec(text)?.[1])
      }
      expect([await ready(), await failingSeconds()]).toEqual(['ready', 0])
      const locked = await lock(database, 9_000)
      const refused = await create(server, { urls: [URL_OK] })
      expect([refused.status, refused.body.code]).toEqual([503, 'STORE_UNAVAILABLE'])
      expect(refused.headers.get('retry-after')).toBe('2')
      expect([await ready(), (await fetch(`${server.origin}/l/${slug}`)).status]).toEqual([NO_WRITES, 200])
      expect(await failingSeconds()).toBeGreaterThan(0)
      await locked.exited
      await eventually(async () => (await ready()) === 'ready', 'writing goes on')
      expect(await failingSeconds()).toBe(0)
      expect((await create(server, { urls: [URL_OK] })).status).toBe(201)
      expect(await server.stop()).toBe(0)
      rmSync(folder, { recursive: true, force: true })
    }, 180_000)
  })
}
