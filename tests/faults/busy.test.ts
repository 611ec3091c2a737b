import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newSlug } from '../contract/support.ts'
import { signUp } from '../people.ts'
import { RUNTIMES, startServer } from '../server.ts'
import { ADDRESS_HEADER, mixedLoad } from './load.ts'

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
        // Both wait for the lock; the account is written by a library, with queries of its own.
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
    }, 60_000)
  })
}
