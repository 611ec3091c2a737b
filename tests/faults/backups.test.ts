import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { copiesIn, filesOf, namesIn, startWithBackups, verify } from '../backups.ts'
import { newSlug } from '../contract/support.ts'
import { eventually } from '../eventually.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'

setDefaultTimeout(180_000)

/** Large enough that a copy can be killed halfway. */
const ROWS = 100_000
const DAY_MS = 86_400_000
/** A service has started by then. */
const DUE_IN_MS = 12_000

const folder = mkdtempSync(join(tmpdir(), 'openall-backups-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A database of some megabytes, whose service has stopped. */
async function large(name: string): Promise<string> {
  const database = join(folder, name, 'openall.db')
  const server = await startServer({ database })
  await newSlug(server)
  await server.sql(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
    INSERT INTO idempotency_answers (key_hash, request_hash, answer, created_at)
    SELECT 'k' || i, 'r', randomblob(1000), ${Date.now()} FROM n`)
  await server.stop()
  return database
}

/** The name of an unfinished backup. */
const partialIn = (at: string) => namesIn(at).find((name) => name.includes('.partial'))

describe.each(RUNTIMES.map((runtime) => ({ runtime })))('on $runtime', ({ runtime }) => {
  test('a kill in the middle of a backup leaves no partial one, and the next start makes it and cleans up', async () => {
    const database = await large(`${runtime}-killed`)
    const to = join(dirname(database), 'backups')
    const server = await startWithBackups(database, to, runtime)
    let kills = 0
    for (let tries = 0; tries < 5 && kills < 2; tries += 1) {
      await eventually(() => partialIn(to) !== undefined || copiesIn(to).length > 0, 'a backup is being made')
      await server.kill()
      if (copiesIn(to).length === 0) kills += 1
      else for (const name of namesIn(to)) rmSync(join(to, name))
      if (kills < 2) await server.restart()
    }
    expect([kills, copiesIn(to)]).toEqual([2, []])
    expect(partialIn(to)).toBeDefined()
    await server.restart()
    await eventually(() => copiesIn(to).length === 1, 'the backup is made')
    const [name = ''] = copiesIn(to)
    expect(namesIn(to)).toEqual(filesOf(name).sort())
    expect((await verify(to)).intact).toEqual([join(to, name)])
    await server.stop()
  })

  test('requests are answered during a backup, and a stop does not wait for it', async () => {
    const database = await large(`${runtime}-busy`)
    const to = join(dirname(database), 'backups')
    mkdirSync(to, { mode: 0o700 })
    // Due after the start, when the service is otherwise idle.
    const last = new Date(Date.now() - DAY_MS + DUE_IN_MS).toISOString().slice(0, 19).replaceAll(':', '-')
    const before = `openall-${last}Z.db`
    writeFileSync(join(to, before), '')
    const server = await startWithBackups(database, to, runtime)
    const isMade = () => copiesIn(to).some((name) => name !== before)
    await eventually(() => partialIn(to) !== undefined || isMade(), 'a backup is being made', 60_000)
    // One statement copies: on the event loop no answer would come before the copy is complete.
    const sizes: number[] = []
    while (!isMade()) {
      await (await fetch(`${server.origin}/healthz`)).text()
      const partial = partialIn(to)
      const size = partial === undefined ? undefined : statSync(join(to, partial), { throwIfNoEntry: false })?.size
      if (size !== undefined) sizes.push(size)
    }
    const whole = statSync(join(to, copiesIn(to).find((name) => name !== before) ?? '')).size
    expect(sizes.filter((size) => size < whole).length).toBeGreaterThan(0)
    await server.stop()
    for (const name of namesIn(to)) rmSync(join(to, name))
    await server.restart()
    await eventually(() => partialIn(to) !== undefined, 'another is being made')
    expect(await server.stop()).toBe(0)
    expect(copiesIn(to)).toEqual([])
  })
})

test('two processes on one file make one backup', async () => {
  const database = await large('two')
  const to = join(dirname(database), 'backups')
  const servers = await Promise.all([startWithBackups(database, to), startWithBackups(database, to)])
  await eventually(() => copiesIn(to).length > 0, 'a backup is made')
  const isSaid = (server: Server) => server.output().includes('"msg":"backed up"')
  await eventually(() => servers.some(isSaid), 'it is logged')
  for (const server of servers) await server.stop()
  expect(servers.filter(isSaid)).toHaveLength(1)
  expect(copiesIn(to)).toHaveLength(1)
  expect(servers.map((server) => server.output().includes('the backup failed'))).toEqual([false, false])
})
