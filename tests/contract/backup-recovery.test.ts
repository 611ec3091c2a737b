import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { backUpIfDue } from '../../db/scheduled-backup.ts'
import { restore } from '../../src/operator/backup.ts'
import { age, copiesIn, filesOf, startWithBackups } from '../backups.ts'
import { becomes, eventually } from '../eventually.ts'
import { METRICS_TOKEN, metricsOf } from '../metrics.ts'
import { runOperator } from '../operator.ts'
import { newPerson } from '../people.ts'
import { type Server, startServer } from '../server.ts'
import { newSlug } from './support.ts'

// A machine is lost, and its backups are copied to another one on which a new service already runs, as the page says.

setDefaultTimeout(180_000)

const DAY_MS = 86_400_000
const SECRET = 'a secret of the tests, forty characters long'

const folder = mkdtempSync(join(tmpdir(), 'openall-recovery-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Found {
  file: string
  bundles: number
  accounts: number
  changedAt: string | null
}
interface Restored {
  bundles: number
  from: Found
  error?: string
}
interface Check {
  name: string
  state: string
  says: string
}

/** A service with backups in a folder of its own, which is a machine of its own. */
async function machine(name: string): Promise<{ server: Server; to: string }> {
  const to = join(folder, name, 'backups')
  const server = await startWithBackups(join(folder, name, 'openall.db'), to)
  return { server, to }
}

const unexpected = async (server: Server) => {
  const metrics = await metricsOf(server)
  return Object.fromEntries(
    ['database', 'secret', 'backups'].map((what) => [what, metrics.get(`openall_unexpected{what="${what}"}`)]),
  )
}
test('on a new machine, recovery takes the backup that holds something, not the newer one of the new service', async () => {
  const lost = await machine('lost')
  const person = await newPerson(lost.server)
  const { slug } = await person.makeBundle({ title: 'Kept' })
  await newSlug(lost.server)
  await lost.server.kill()
  for (const name of copiesIn(lost.to)) for (const file of filesOf(name)) rmSync(join(lost.to, file), { force: true })
  const plan = { folder: lost.to, everyMs: DAY_MS, keep: 2 }
  await backUpIfDue(lost.server.database, plan)

  const made = await machine('new')
  await eventually(() => copiesIn(made.to).length === 1, 'the new service makes its first backup')
  await eventually(() => existsSync(join(made.to, filesOf(copiesIn(made.to)[0] ?? '')[2] ?? '')), 'it is whole')
  const older = age(lost.to, copiesIn(lost.to)[0] ?? '', 1)
  for (const file of filesOf(older)) cpSync(join(lost.to, file), join(made.to, file))
  expect(copiesIn(made.to)[0]).toBe(older)
  const { backups } = await runOperator<{ backups: Found[] }>(made.server, ['backups', made.to])
  expect(backups.map(({ file, bundles, accounts }) => [basename(file), bundles, accounts])).toEqual([
    [older, 2, 1],
    [copiesIn(made.to)[1] ?? '', 0, 0],
  ])
  expect(Date.parse(backups[0]?.changedAt ?? '')).toBeGreaterThan(Date.now() - 600_000)

  // The new service says so too, wherever somebody may look.
  await made.server.stop()
  await made.server.restart()
  await becomes(() => unexpected(made.server), { database: 0, secret: 0, backups: 1 })
  expect(made.server.output()).toContain('has one of another database')
  const env = { SERVICE_BACKUP_DIR: made.to, SERVICE_BASE_URL: made.server.origin }
  const says = await saysOf(made.server.database, env)
  expect(says.backups).toEqual(['wrong', expect.stringContaining(`${older} is of another database`)])
  expect(says.data?.[0]).toBe('ok')

  await made.server.stop()
  const before = join(dirname(made.to), 'before')
  mkdirSync(before)
  for (const end of ['', '-wal', '-shm', '.secret'])
    if (existsSync(made.server.database + end)) {
      cpSync(made.server.database + end, join(before, `openall.db${end}`))
      rmSync(made.server.database + end)
    }
  const restored = await runOperator<Restored>(made.server, ['restore', made.to])
  expect(restored).toMatchObject({ bundles: 2, from: { file: join(made.to, older), accounts: 1 } })
  await made.server.restart()
  expect((await fetch(`${made.server.origin}/l/${slug}`)).status).toBe(200)
  await becomes(() => unexpected(made.server), { database: 0, secret: 0, backups: 0 })
  await made.server.stop()
})

/** What `check` says, by name; it ends with 1 if anything is wrong, and then prints it all the same. */
async function saysOf(database: string, env: Record<string, string>): Promise<Record<string, [string, string]>> {
  const child = Bun.spawn([process.execPath, 'src/main.ts', 'check', '--json'], {
    cwd: join(import.meta.dir, '../..'),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: `file:${database}`, ...env },
    stdout: 'pipe',
  })
  const checks = JSON.parse(await new Response(child.stdout).text()) as Check[]
  return Object.fromEntries(checks.map(({ name, state, says }) => [name, [state, says]]))
}

test('backups of a new, empty database never push out those of another that hold something', async () => {
  const one = await startServer({ database: join(folder, 'pushed', 'one.db') })
  await newSlug(one)
  await one.stop()
  const two = await startServer({ database: join(folder, 'pushed', 'two.db') })
  await two.stop()
  const to = join(folder, 'pushed', 'backups')
  const plan = { folder: to, everyMs: DAY_MS, keep: 2 }
  await backUpIfDue(one.database, plan)
  const kept = age(to, copiesIn(to)[0] ?? '', 9)
  for (let days = 8; days > 4; days -= 1) {
    expect(await backUpIfDue(two.database, plan)).toMatchObject({ bundles: 0 })
    age(to, copiesIn(to).at(-1) ?? '', days)
  }
  expect(copiesIn(to)).toHaveLength(3)
  expect(copiesIn(to)[0]).toBe(kept)
  await backUpIfDue(one.database, plan)
  expect(copiesIn(to)).toHaveLength(4)
  expect(copiesIn(to)[0]).toBe(kept)
  // Nor do empty ones pile up, should every start make another database.
  age(to, copiesIn(to).at(-1) ?? '', 2)
  await backUpIfDue(one.database, { ...plan, keep: 1 })
  expect(copiesIn(to)).toHaveLength(2)
})

test('what looks like the wrong backup is restored only with --yes', async () => {
  const place = join(folder, 'doubts')
  const server = await startServer({ database: join(place, 'openall.db') })
  const to = join(place, 'copies')
  mkdirSync(to)
  const restore = (path: string, name: string, words: string[] = [], env: Record<string, string> = {}) =>
    runOperator<Restored>({ database: join(place, name, 'openall.db') }, ['restore', path, ...words], { env })
  await runOperator(server, ['backup', join(to, 'empty.db')])
  const { error } = await restore(to, 'empty')
  expect(error).toMatch(
    /empty\.db: 0 bundles, 0 accounts, never changed\. Nothing was restored, because it holds 0 bundles/,
  )
  expect(existsSync(join(place, 'empty', 'openall.db'))).toBeFalse()
  expect(await restore(to, 'empty', ['--yes'])).toMatchObject({ bundles: 0 })

  for (let made = 0; made < 3; made += 1) await newSlug(server)
  await runOperator(server, ['backup', join(to, 'three.db')])
  expect(await restore(to, 'three')).toMatchObject({ bundles: 3, from: { file: join(to, 'three.db') } })
  // The last change decides among backups of one database.
  await newSlug(server)
  await runOperator(server, ['backup', join(to, 'a-later.db')])
  expect(await restore(to, 'four')).toMatchObject({ bundles: 4, from: { file: join(to, 'a-later.db') } })
  const other = await restore(to, 'other secret', [], { SERVICE_SECRET: SECRET })
  expect(other.error).toContain('SERVICE_SECRET is not the secret that it was used with')
  expect(await restore(to, 'other secret', ['--yes'], { SERVICE_SECRET: SECRET })).toMatchObject({ bundles: 4 })
  writeFileSync(join(to, 'b-damaged.db'), 'not a database at all'.repeat(100))
  expect((await restore(to, 'damaged')).error).toContain('not all can be read')
  // One that is named is restored without a look at its neighbours.
  expect(await restore(join(to, 'three.db'), 'named')).toMatchObject({ bundles: 3 })
  expect((await restore(join(to, 'b-damaged.db'), 'named damaged')).error).toContain('not a database')
  await server.stop()
})

test('the secret may stay where it is if it is the same, and a failed restore leaves it there', async () => {
  const place = join(folder, 'stays')
  const server = await startServer({ database: join(place, 'openall.db') })
  await newSlug(server)
  await server.stop()
  const copy = join(place, 'copy.db')
  await runOperator(server, ['backup', copy])
  const secret = readFileSync(`${server.database}.secret`, 'utf8')
  rmSync(server.database)
  const whole = readFileSync(copy)
  writeFileSync(copy, whole.subarray(0, whole.length - 4096))
  expect(await runOperator<Restored>(server, ['restore', copy])).toMatchObject({
    error: expect.stringContaining('damaged'),
  })
  expect(readFileSync(`${server.database}.secret`, 'utf8')).toBe(secret)
  writeFileSync(copy, whole)
  expect(await runOperator<Restored>(server, ['restore', copy])).toMatchObject({ bundles: 1 })
  rmSync(server.database)
  writeFileSync(`${server.database}.secret`, SECRET)
  expect(await runOperator<Restored>(server, ['restore', copy])).toMatchObject({
    error: expect.stringContaining('openall.db.secret already exists'),
  })
})

test('a new secret beside a database, or a new database beside a secret, is told in the log, in check and in the metrics', async () => {
  const database = join(folder, 'lost-parts', 'openall.db')
  const env = { SERVICE_METRICS_TOKEN: METRICS_TOKEN }
  const server = await startServer({ database, env })
  await newSlug(server)
  const madeAt = (await metricsOf(server)).get('openall_database_created_timestamp_seconds')
  expect(await unexpected(server)).toEqual({ database: 0, secret: 0, backups: undefined })
  await server.stop()
  const kept = readFileSync(`${database}.secret`)
  rmSync(`${database}.secret`)
  // Before the service is started again, `check` knows already.
  expect((await saysOf(database, { SERVICE_SECRET: SECRET })).data).toEqual([
    'wrong',
    expect.stringContaining('The secret is not the one'),
  ])
  await server.restart()
  expect(await unexpected(server)).toMatchObject({ secret: 1, database: 0 })
  expect(server.output()).toMatch(/"level":"?(?:40|warn)"?[^\n]*another secret is used than before/)
  expect((await saysOf(database, {})).data).toEqual(['warning', expect.stringContaining('another secret is used')])
  await server.stop()
  for (const end of ['', '-wal', '-shm']) rmSync(database + end, { force: true })
  writeFileSync(`${database}.secret`, kept)
  chmodSync(`${database}.secret`, 0o600)
  Bun.spawnSync(['touch', '-d', 'yesterday', `${database}.secret`])
  await server.restart()
  expect(await unexpected(server)).toMatchObject({ secret: 0, database: 1 })
  expect((await metricsOf(server)).get('openall_database_created_timestamp_seconds')).toBeGreaterThan(madeAt ?? 0)
  expect((await saysOf(database, {})).data).toEqual(['warning', expect.stringContaining('its secret')])
  await server.stop()
})

test('a dump that is cut off, damaged or none is refused, and leaves nothing', async () => {
  const place = join(folder, 'dumps')
  mkdirSync(join(place, 'new'), { recursive: true })
  const env = { DATABASE_URL: `file:${join(place, 'new', 'openall.db')}`, SERVICE_SECRET: SECRET }
  const [begin, end] = ['PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n', 'COMMIT;\n']
  const dumps = {
    'cut-off': [`${begin}CREATE TABLE a (b);\n`, /is no dump of a libSQL server, or is cut off/],
    none: ['dear diary', /is no dump of a libSQL server, or is cut off/],
    damaged: [`${begin}CREATE TABLE a b;\n${end}`, /is damaged: .*syntax error/],
    foreign: [`${begin}CREATE TABLE a (b);\n${end}`, /cannot be read|not a store of this service/],
  } as const
  for (const [name, [sql, why]] of Object.entries(dumps)) {
    writeFileSync(join(place, `${name}.sql`), sql)
    const refused = await restore(env, join(place, `${name}.sql`), true).catch((error: Error) => error.message)
    expect([name, refused]).toEqual([name, expect.stringMatching(why)])
    expect([name, readdirSync(join(place, 'new'))]).toEqual([name, []])
  }
  const missing = await restore(env, join(place, 'gone.sql'), true).catch((error: Error) => error.message)
  expect(missing).toMatch(/there is no dump at .*gone\.sql/)
})
