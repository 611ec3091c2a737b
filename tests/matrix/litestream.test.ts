import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { create, URL_OK } from '../contract/support.ts'
import { eventually } from '../eventually.ts'
import { type Server, startServer } from '../server.ts'

// Tests deploy/litestream.yml with a real Litestream that replicates to a folder instead of a bucket.

setDefaultTimeout(180_000)

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LITESTREAM = join(ROOT, 'node_modules/@flydotio/litestream-linux-x64/litestream')

let folder: string
let config: string
let server: Server
let litestream: Bun.Subprocess
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'openall-litestream-'))
  server = await startServer({ database: join(folder, 'data', 'openall.db') })
  config = join(folder, 'litestream.yml')
  const shipped = Bun.YAML.parse(readFileSync(join(ROOT, 'deploy/litestream.yml'), 'utf8')) as {
    dbs: [{ path: string; replicas: [Record<string, string>] }]
  }
  const [database] = shipped.dbs
  const { bucket: _, region: __, ...replica } = database.replicas[0]
  const local = { path: server.database, replicas: [{ ...replica, type: 'file', path: join(folder, 'copy') }] }
  writeFileSync(config, JSON.stringify({ dbs: [local] }))
  litestream = Bun.spawn([LITESTREAM, 'replicate', '-config', config], { stdout: 'ignore', stderr: 'inherit' })
})
afterAll(async () => {
  litestream?.kill()
  await litestream?.exited
  await server?.kill()
  rmSync(folder, { recursive: true, force: true })
})

/** Restores the replica to a new file, optionally as of a point in time; null if there is nothing to restore yet. */
async function restore(name: string, at?: string): Promise<string | null> {
  const file = join(folder, name)
  rmSync(file, { force: true })
  const when = at === undefined ? [] : ['-timestamp', at]
  const words = ['restore', '-config', config, '-o', file, ...when, server.database]
  const child = Bun.spawn([LITESTREAM, ...words], { stdout: 'ignore', stderr: 'ignore' })
  return (await child.exited) === 0 ? file : null
}

function titlesIn(file: string): unknown[] {
  const database = new Database(file)
  try {
    expect(database.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    return database
      .query<{ title: string }, []>('SELECT title FROM bundles ORDER BY id')
      .all()
      .map(({ title }) => title)
  } finally {
    database.close()
  }
}

const isCopied = async (title: string) => {
  const file = await restore('look.db')
  return file !== null && titlesIn(file).includes(title)
}

test('Litestream restores a point in time, and after a kill the last second, while the service writes', async () => {
  const early = await create(server, { title: 'Early', urls: [URL_OK] })
  await eventually(() => isCopied('Early'), 'the first bundle is copied', 60_000)
  // Litestream's resolution is one second.
  await Bun.sleep(2_000)
  const moment = new Date().toISOString()
  await Bun.sleep(2_000)
  expect((await create(server, { title: 'Late', urls: [URL_OK] })).status).toBe(201)
  await eventually(() => isCopied('Late'), 'the second bundle is copied', 60_000)
  await server.kill()
  litestream.kill()
  await litestream.exited
  expect(titlesIn((await restore('last.db')) ?? '')).toEqual(['Early', 'Late'])
  const then = (await restore('then.db', moment)) ?? ''
  expect(titlesIn(then)).toEqual(['Early'])
  copyFileSync(`${server.database}.secret`, `${then}.secret`)
  const again = await startServer({ database: then })
  expect((await fetch(`${again.origin}/l/${early.body.slug}`)).status).toBe(200)
  await again.stop()
})
