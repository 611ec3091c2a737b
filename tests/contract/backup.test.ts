import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { runOperator } from '../operator.ts'
import { newPerson, Visitor } from '../people.ts'
import { type Server, startServer } from '../server.ts'

setDefaultTimeout(180_000)

interface Done {
  file: string
  bytes: number
  bundles: number
  error?: string
}

let folder: string
let server: Server
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'openall-backup-'))
  server = await startServer()
})
afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const backUp = (to: string, database = server.database) => runOperator<Done>({ database }, ['backup', to])
const restore = (from: string, to: string) => runOperator<Done>({ database: to }, ['restore', from])

/** Runs SQL on a file that no process has open. */
function on(file: string, sql: string): unknown[] {
  const database = new Database(file)
  try {
    return database.query(sql).all()
  } finally {
    database.close()
  }
}

test('a backup under load holds everything answered before it, complete, and a service runs on it again', async () => {
  const person = await newPerson(server)
  const kept = await person.makeBundle({ title: 'Kept' })
  await (await fetch(`${server.origin}/l/${kept.slug}`)).text()
  const visitor = new Visitor(server)
  const made: string[] = []
  let isOver = false
  const load = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      made.push((await visitor.makeBundle()).slug)
      await person.api('PATCH', `/api/links/${kept.slug}`, { description: String(Math.random()) })
    }
  })
  await eventually(() => made.length > 20, 'the load is under way')
  const known = [...made]
  const copy = join(folder, 'copy.db')
  const done = await backUp(copy)
  isOver = true
  await Promise.all(load)
  expect(known.length).toBeGreaterThan(10)
  expect(done).toMatchObject({ file: copy, bytes: statSync(copy).size })
  expect(done.bundles).toBeGreaterThan(known.length)
  expect(readdirSync(folder).sort()).toEqual(['copy.db', 'copy.db.secret', 'copy.db.sha256'])
  expect(statSync(`${copy}.secret`).mode & 0o777).toBe(0o600)

  const place = join(folder, 'restored', 'deep', 'openall.db')
  expect((await restore(copy, place)).bundles).toBe(done.bundles)
  expect(statSync(join(folder, 'restored')).mode & 0o777).toBe(0o700)
  const again = await startServer({ database: place })
  for (const slug of [kept.slug, ...known]) expect((await fetch(`${again.origin}/l/${slug}`)).status).toBe(200)
  // The secret restores sessions too; version numbers have no gaps.
  const back = new Visitor(again)
  for (const [name, value] of person.cookies) back.cookies.set(name, value)
  const { body } = await back.api<{ versions: { versionNumber: number }[] }>('GET', `/api/links/${kept.slug}/versions`)
  const numbers = body.versions.map(({ versionNumber }) => versionNumber)
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => numbers.length - index))
  await again.stop()
})

test('a backup contains nothing that could identify a viewer of today', async () => {
  const { slug } = await new Visitor(server).makeBundle()
  await (await fetch(`${server.origin}/l/${slug}`, { headers: { 'user-agent': 'Mozilla/5.0 Firefox/150.0' } })).text()
  const stored = () =>
    server.sql('SELECT hex(salt) AS salt, (SELECT hex(max(hash)) FROM viewer_hashes) AS hash FROM salts')
  await eventually(async () => String((await stored())[0]?.hash).length === 32, 'the viewer is stored')
  const [row] = await stored()
  const copy = join(folder, 'private.db')
  await backUp(copy)
  expect(on(copy, 'SELECT (SELECT count(*) FROM salts) + (SELECT count(*) FROM viewer_hashes) AS n')).toEqual([
    { n: 0 },
  ])
  const bytes = readFileSync(copy)
  expect(String(row?.salt)).toHaveLength(64)
  expect([row?.salt, row?.hash].map((hex) => bytes.includes(Buffer.from(String(hex), 'hex')))).toEqual([false, false])
  expect(on(copy, 'SELECT sum(viewers) > 0 AS counted FROM daily_viewers')).toEqual([{ counted: 1 }])
})

test('an incomplete or foreign database is not restored, and no existing file is overwritten', async () => {
  const copy = join(folder, 'good.db')
  await backUp(copy)
  const target = join(folder, 'target.db')
  const bad = (name: string, spoil: (file: string) => void) => {
    const file = join(folder, `${name}.db`)
    copyFileSync(copy, file)
    copyFileSync(`${copy}.secret`, `${file}.secret`)
    spoil(file)
    return file
  }
  const cases: [string, string][] = [
    [bad('short', (file) => truncateSync(file, statSync(file).size / 2)), 'damaged'],
    [
      bad('torn', (file) => {
        const bytes = readFileSync(file)
        bytes.fill(0x5a, bytes.length / 2, bytes.length / 2 + 8192)
        writeFileSync(file, bytes)
      }),
      'damaged',
    ],
    [
      bad('newer', (file) => on(file, "INSERT INTO __drizzle_migrations VALUES ('of the future', 1) RETURNING 1")),
      'newer version',
    ],
    [
      bad('unreleased', (file) => on(file, "UPDATE __drizzle_migrations SET hash = 'earlier ' || hash RETURNING 1")),
      'made before the first release',
    ],
    [bad('orphan', (file) => on(file, 'DELETE FROM bundles RETURNING 1')), 'rows are missing'],
    [bad('text', (file) => writeFileSync(file, 'not a database at all'.repeat(100))), 'not a database'],
    [bad('empty', (file) => truncateSync(file, 0)), 'not a store'],
    [join(folder, 'missing.db'), 'there is no copy'],
  ]
  for (const [file, says] of cases) {
    const { error } = await restore(file, target)
    expect([file, error]).toEqual([file, expect.stringContaining(says)])
    expect([file, existsSync(target), readdirSync(folder).filter((name) => name.includes('partial'))]).toEqual([
      file,
      false,
      [],
    ])
  }
  expect((await restore(copy, server.database)).error).toContain('already exists')
  expect((await backUp(copy)).error).toContain('already exists')
  expect((await backUp(join(folder, 'none.db'), join(folder, 'nowhere.db'))).error).toContain('there is no database')
  expect(existsSync(join(folder, 'nowhere.db'))).toBeFalse()
  expect((await backUp(join(folder, 'none.db'), 'http://127.0.0.1:1')).error).toContain('back it up there')
})

test('a copy without its secret is restored only if the secret is set', async () => {
  const copy = join(folder, 'alone.db')
  await backUp(copy)
  rmSync(`${copy}.secret`)
  const target = join(folder, 'alone', 'openall.db')
  const { error } = await restore(copy, target)
  expect(error).toContain(`${copy}.secret is missing`)
  expect(existsSync(target)).toBeFalse()
  const env = { SERVICE_SECRET: 'a secret of the tests, forty characters long' }
  const other = await runOperator<Done>({ database: target }, ['restore', copy], { env })
  expect([other.error, existsSync(target)]).toEqual([expect.stringContaining('everyone would be signed out'), false])
  const sure = await runOperator<Done>({ database: target }, ['restore', copy, '--yes'], { env })
  expect(sure).toMatchObject({ file: target })
})

test('no command creates a missing database, or needs the file of blocked hosts', async () => {
  const database = join(folder, 'mistyped', 'openall.db')
  for (const words of [
    ['reports'],
    ['block', 'slug', 'why'],
    ['plan', 'a@b.example', 'pro'],
    ['add-account', 'a@b.example'],
  ]) {
    const { error } = await runOperator<Done>({ database }, words)
    expect([words, error]).toEqual([
      words,
      `there is no database at ${database}: set DATABASE_URL as it is set for the service.`,
    ])
  }
  const env = { SERVICE_BLOCKED_HOSTS_FILE: join(folder, 'blocked-hosts') }
  expect(await runOperator<{ host: string }>({ database }, ['block-host', 'bad.example'], { env })).toEqual({
    host: 'bad.example',
  })
  expect(existsSync(join(folder, 'mistyped'))).toBeFalse()
})

test('a wrong operator command is answered with the valid ones', async () => {
  for (const words of [
    ['backups'],
    ['backup'],
    ['backup', ''],
    ['plan', 'a@b.example'],
    ['reports', 'x'],
    ['toString'],
  ]) {
    const { error } = await runOperator<Done>(server, words)
    expect([words, error]).toEqual([words, expect.stringContaining('take a bundle down: its link answers 451')])
  }
  const { error } = await runOperator<Done>(server, ['plan', 'a@b.example', 'gold'])
  expect(error).toBe('there is no plan gold: use free or pro.')
})
