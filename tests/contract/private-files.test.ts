import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runOperator } from '../operator.ts'
import { RUNTIMES, startServer } from '../server.ts'
import { newSlug } from './support.ts'

setDefaultTimeout(180_000)

const folder = mkdtempSync(join(tmpdir(), 'openall-private-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Files below a folder that other users can access, and the number of all files. */
function openToOthers(below: string): { open: string[]; count: number } {
  const names = ['', ...(readdirSync(below, { recursive: true }) as string[])]
  const open = names.filter((name) => (statSync(join(below, name)).mode & 0o077) !== 0)
  return { open, count: names.length }
}

for (const runtime of RUNTIMES) {
  test(`on ${runtime} the database, its log, its secret, copies of it and their folders are readable only by their owner`, async () => {
    const database = join(folder, runtime, 'data', 'deep', 'one.db')
    const server = await startServer({ runtime, database })
    await newSlug(server)
    expect(readdirSync(dirname(database)).sort()).toEqual(['one.db', 'one.db-shm', 'one.db-wal', 'one.db.secret'])
    const copy = join(folder, runtime, 'copies.db')
    expect(await runOperator({ database }, ['backup', copy], { runtime })).toMatchObject({ bundles: 1 })
    expect(openToOthers(join(folder, runtime))).toEqual({ open: [], count: 10 })

    // As earlier versions left them.
    const lax = [...['', '-shm', '-wal', '.secret'].map((end) => database + end), copy, `${copy}.secret`]
    for (const file of lax) chmodSync(file, 0o644)
    await server.kill()
    await server.restart()
    expect(openToOthers(dirname(database)).open).toEqual([])
    const restored = join(folder, runtime, 'restored', 'one.db')
    mkdirSync(dirname(restored), { mode: 0o700 })
    expect(await runOperator({ database: restored }, ['restore', copy], { runtime })).toMatchObject({ bundles: 1 })
    expect(openToOthers(dirname(restored))).toEqual({ open: [], count: 3 })
    await server.stop()
  })

  test(`on ${runtime} the folder of the default database is readable only by its owner, an existing one too`, async () => {
    const cwd = mkdtempSync(join(folder, 'default-'))
    const main = join(import.meta.dir, '../../src/main.ts')
    const server = await startServer({ runtime, cwd, main, env: { DATABASE_URL: '' } })
    expect(openToOthers(join(cwd, 'data')).open).toEqual([])
    await server.stop()
    chmodSync(join(cwd, 'data'), 0o755)
    await server.restart()
    expect(openToOthers(join(cwd, 'data')).open).toEqual([])
    await server.stop()
  })
}

test('a file of blocked hosts made by the operator is readable for a service under another user', async () => {
  const hosts = join(folder, 'hosts.txt')
  const env = { SERVICE_BLOCKED_HOSTS_FILE: hosts }
  const database = join(folder, 'blocking', 'one.db')
  expect(await runOperator({ database }, ['block-host', 'bad.example'], { env })).toEqual({ host: 'bad.example' })
  expect(statSync(hosts).mode & 0o777).toBe(0o644)
})
