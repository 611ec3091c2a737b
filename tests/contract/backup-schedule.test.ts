import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { backUpIfDue } from '../../db/scheduled-backup.ts'
import { Backups } from '../../src/runtime/backups.ts'
import { openLog } from '../../src/runtime/log.ts'
import { age, copiesIn, filesOf, namesIn, startWithBackups, verify } from '../backups.ts'
import { becomes, eventually } from '../eventually.ts'
import { metricsOf } from '../metrics.ts'
import { runOperator } from '../operator.ts'
import { RUNTIMES, startServer } from '../server.ts'
import { newSlug } from './support.ts'

setDefaultTimeout(180_000)

const DAY_MS = 86_400_000

const folder = mkdtempSync(join(tmpdir(), 'openall-schedule-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(RUNTIMES.map((runtime) => ({ runtime })))('on $runtime', ({ runtime }) => {
  test('a backup is made at the start and whenever one is due, only its owner can read it, and the oldest is deleted', async () => {
    const database = join(folder, `${runtime}-due`, 'openall.db')
    const to = join(dirname(database), 'backups', 'daily')
    const server = await startWithBackups(database, to, runtime)
    const slug = await newSlug(server)
    await eventually(() => copiesIn(to).length === 1, 'the first backup is there')
    const [first = ''] = copiesIn(to)
    await becomes(() => namesIn(to), filesOf(first).sort())
    expect(statSync(to).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(to)) expect([name, statSync(join(to, name)).mode & 0o777]).toEqual([name, 0o600])
    expect(Bun.spawnSync(['sha256sum', '--check', `${first}.sha256`], { cwd: to }).stdout.toString()).toBe(
      `${first}: OK\n${first}.secret: OK\n`,
    )
    const metrics = await metricsOf(server)
    expect(metrics.get('openall_backup_age_seconds')).toBeLessThan(120)
    expect(metrics.get('openall_backup_interval_seconds')).toBe(86_400)
    expect(metrics.get('openall_backup_failures_total')).toBe(0)
    expect(metrics.get('openall_backup_last_failure_timestamp_seconds')).toBe(0)

    // A backup that is not due is not made, and foreign files are left alone.
    writeFileSync(join(to, 'openall-by-hand.db'), 'mine')
    await server.kill()
    await server.restart()
    expect((await metricsOf(server)).get('openall_backup_age_seconds')).toBeGreaterThan(0)
    await server.stop()
    expect(copiesIn(to)).toEqual([first])
    const made: string[] = []
    for (const days of [3, 2]) {
      made.push(age(to, copiesIn(to).at(-1) ?? '', days))
      await server.restart()
      await eventually(() => copiesIn(to).length > 1 && !made.includes(copiesIn(to).at(-1) ?? ''), 'the next is there')
      await becomes(() => copiesIn(to).length, 2)
      await server.stop()
    }
    const kept = [made[1] ?? '', copiesIn(to).at(-1) ?? '']
    expect(namesIn(to)).toEqual(['openall-by-hand.db', ...kept.flatMap(filesOf)].sort())
    rmSync(join(to, 'openall-by-hand.db'))
    expect(await verify(to)).toEqual({ intact: kept.map((name) => join(to, name)) })

    const restored = join(folder, `${runtime}-restored.db`)
    expect(await runOperator({ database: restored }, ['restore', join(to, kept[1] ?? '')], { runtime })).toMatchObject({
      bundles: 1,
    })
    const again = await startServer({ runtime, database: restored })
    expect((await fetch(`${again.origin}/l/${slug}`)).status).toBe(200)
    await again.stop()
  })
})

test('backups dated in the future, from a wrong clock, do not push out a new one', async () => {
  const server = await startServer({ database: join(folder, 'future', 'openall.db') })
  await newSlug(server)
  const to = join(folder, 'future', 'backups')
  const plan = { folder: to, everyMs: DAY_MS, keep: 2 }
  const future: string[] = []
  for (const days of [-400, -300]) {
    expect(await backUpIfDue(server.database, plan)).toMatchObject({ bundles: 1 })
    const made = copiesIn(to).find((name) => !future.includes(name)) ?? ''
    future.push(age(to, made, days))
  }
  const copy = await backUpIfDue(server.database, plan)
  const made = basename(copy?.file ?? '')
  expect(namesIn(to)).toEqual([made, future[0] ?? ''].flatMap(filesOf).sort())
  expect(await backUpIfDue(server.database, plan)).toBeNull()
  await server.stop()
})

test('a damaged database is not backed up: that is logged and counted, and earlier backups stay', async () => {
  const database = join(folder, 'damaged', 'openall.db')
  const to = join(dirname(database), 'backups')
  const server = await startWithBackups(database, to)
  const slug = await newSlug(server)
  await eventually(() => copiesIn(to).length === 1, 'the first is made')
  await server.stop()
  const before = age(to, copiesIn(to)[0] ?? '', 3)
  const raw = new Database(database)
  raw.run('PRAGMA foreign_keys = OFF')
  raw.run('DELETE FROM bundles WHERE slug = ?', [slug])
  raw.close()
  await server.restart()
  const failures = async () => (await metricsOf(server)).get('openall_backup_failures_total')
  await becomes(failures, 1)
  const metrics = await metricsOf(server)
  const failedAt = (metrics.get('openall_backup_last_failure_timestamp_seconds') ?? 0) * 1000
  expect(Math.abs(Date.now() - failedAt)).toBeLessThan(DAY_MS)
  expect(metrics.get('openall_backup_age_seconds')).toBeGreaterThan(2 * 86_400)
  expect(server.output()).toContain('the backup failed; retrying in ten minutes')
  expect(server.output()).toContain('rows are missing')
  expect(namesIn(to)).toEqual(filesOf(before).sort())
  await server.stop()
})

test('one changed byte of a backup is found wherever it is, and reported; a restore refuses it', async () => {
  const database = join(folder, 'changed', 'openall.db')
  const to = join(dirname(database), 'backups')
  mkdirSync(to, { recursive: true })
  const server = await startServer({ database })
  await newSlug(server)
  await server.stop()
  const copies = ['a.db', 'b.db'].map((name) => join(to, name))
  for (const copy of copies) await runOperator({ database }, ['backup', copy])
  const [good = '', bad = ''] = copies
  expect(await verify(to)).toEqual({ intact: copies })
  const size = statSync(bad).size
  const places: [string, number][] = [
    ...[0, 99, Math.floor(size / 2), size - 1].map((at): [string, number] => [bad, at]),
    [`${bad}.secret`, 3],
    [`${bad}.sha256`, 10],
  ]
  for (const [file, at] of places) {
    const whole = readFileSync(file)
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] ?? 0) ^ 1
    writeFileSync(file, changed)
    const told = await verify(to)
    expect([file, at, told.error]).toEqual([
      file,
      at,
      expect.stringContaining(file === bad ? `${bad} is damaged` : file),
    ])
    expect(told.error).not.toContain(good)
    // Once per file, because each command is a process.
    if (at < 100 && at > 0) {
      const refused = await runOperator<{ error?: string }>({ database: join(folder, 'refused.db') }, ['restore', bad])
      expect([file, at, refused.error]).toEqual([file, at, expect.stringContaining(file)])
      expect(readdirSync(folder).filter((name) => name.startsWith('refused'))).toEqual([])
    }
    writeFileSync(file, whole)
  }
  expect(await verify(bad)).toEqual({ intact: [bad] })
  rmSync(`${bad}.sha256`)
  expect((await verify(to)).error).toContain(`${bad}.sha256 is missing`)
  expect((await verify(join(to, 'c.db'))).error).toContain('there is no copy at')
  mkdirSync(join(to, 'empty'))
  expect((await verify(join(to, 'empty'))).error).toContain('there is no backup in')
})

test('scheduled backups continue, and the newest few are kept', async () => {
  const server = await startServer({ database: join(folder, 'on', 'openall.db') })
  const to = join(folder, 'on', 'backups')
  const backups = new Backups(server.database, { folder: to, everyMs: 1_000, keep: 2 }, openLog('silent'))
  backups.start()
  const seen = new Set<string>()
  await eventually(
    () => {
      for (const name of copiesIn(to)) seen.add(name)
      return seen.size >= 4
    },
    'four have been made',
    60_000,
  )
  backups.stop()
  await eventually(() => copiesIn(to).length <= 2, 'two stay')
  expect(backups.failures).toBe(0)
  await server.stop()
})

test('metrics still work if the folder of backups cannot be read', async () => {
  const to = join(folder, 'unreadable', 'backups')
  const server = await startWithBackups(join(folder, 'unreadable', 'openall.db'), to)
  await eventually(() => copiesIn(to).length === 1, 'the first is made')
  await becomes(() => namesIn(to).length, 3)
  rmSync(to, { recursive: true })
  writeFileSync(to, '')
  expect((await metricsOf(server)).get('openall_backup_age_seconds')).toBeGreaterThanOrEqual(0)
  await server.stop()
})

test('invalid settings stop the start', async () => {
  const sqld = { DATABASE_URL: 'http://127.0.0.1:1', SERVICE_SECRET: 'a secret of the tests, forty characters long' }
  await expect(startServer({ env: { ...sqld, SERVICE_BACKUP_DIR: join(folder, 'x') } })).rejects.toThrow(
    'SERVICE_BACKUP_DIR must be unset where DATABASE_URL is a server',
  )
  const file = join(folder, 'a file')
  writeFileSync(file, '')
  chmodSync(file, 0o600)
  await expect(startServer({ env: { SERVICE_BACKUP_DIR: file } })).rejects.toThrow('SERVICE_BACKUP_DIR cannot be used')
})
