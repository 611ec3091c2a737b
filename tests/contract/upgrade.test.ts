import { Database } from 'bun:sqlite'
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@libsql/client'
import { knownMigrations } from '../../db/known-migrations.ts'
import { KEPT_ENV, type Kept } from '../fixtures/make.ts'
import { runOperator } from '../operator.ts'
import { actFor, signIn, Visitor } from '../people.ts'
import { startServer } from '../server.ts'
import { startSqld } from '../sqld.ts'
import { SUM_OF_BYTES } from './history-bytes.ts'

// Only guards against hanging: commands are processes, and the machine may be busy.
setDefaultTimeout(180_000)

/** A database with its first migrations. */
function makeStore(path: string, migrations: number): Database {
  const store = new Database(path, { create: true })
  store.run('CREATE TABLE __drizzle_migrations (hash text PRIMARY KEY, created_at integer NOT NULL)')
  for (const { hash, sql, folderMillis } of knownMigrations().slice(0, migrations)) {
    for (const text of sql) store.run(text)
    store.run('INSERT INTO __drizzle_migrations VALUES (?, ?)', [hash, folderMillis])
  }
  return store
}

const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url))
const OBJECTS = `SELECT type, name, sql FROM sqlite_master WHERE name NOT GLOB 'bundle_index_*' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'libsql_*'
  AND name NOT IN ('__drizzle_migrations', 'migration_lease') ORDER BY type, name`
const COUNTED = `SELECT history_bytes AS counted, ${SUM_OF_BYTES} AS real FROM owners ORDER BY id`

describe.each(readdirSync(FIXTURES).filter((name) => name.endsWith('.sql')))('a database as %s left it', (name) => {
  test.each(['a file', 'sqld'])('is migrated on %s, and serves everything it had', async (store) => {
    const dump = readFileSync(join(FIXTURES, name), 'utf8')
    const kept = JSON.parse(dump.slice('-- '.length, dump.indexOf('\n'))) as Kept
    const folder = mkdtempSync(join(tmpdir(), 'openall-upgrade-'))
    const sqld = store === 'sqld' ? await startSqld() : null
    const database = sqld?.url ?? join(folder, 'kept.db')
    const client = createClient(sqld === null ? { url: `file:${database}` } : { url: database, authToken: sqld.token })
    await client.executeMultiple(dump)
    client.close()
    const remote: Record<string, string> =
      sqld === null ? {} : { DATABASE_URL: sqld.url, DATABASE_AUTH_TOKEN: sqld.token }
    const token = sqld === null ? {} : { token: sqld.token }
    const server = await startServer({ database, ...token, env: { ...KEPT_ENV, ...remote } })
    const isNewest = name === `${knownMigrations().at(-1)?.name}.sql`
    expect(server.output().includes('"the database is migrated"')).toBe(!isNewest)

    const person = await signIn(server, kept.email, kept.password)
    const page = await (await person.fetch(`/l/${kept.slug}`)).text()
    expect(page).toContain('Kept über all</h1>')
    expect(page).toContain('https://b.example/')
    for (const [path, answer] of Object.entries(kept.answers)) {
      const text = JSON.stringify((await person.api('GET', path)).body).replaceAll(server.origin, 'ORIGIN')
      expect([path, JSON.parse(text)]).toMatchObject([path, answer])
    }
    const views = `SELECT sum(views) AS views FROM daily_counters JOIN bundles ON bundles.id = bundle_id WHERE slug = ?`
    expect(Number((await server.sql(views, [kept.slug]))[0]?.views)).toBeGreaterThanOrEqual(3)

    const authorization = `Bearer ${kept.key}`
    const edit = { title: 'Kept still', description: null }
    expect((await new Visitor(server).api('PATCH', `/api/links/${kept.slug}`, edit, { authorization })).status).toBe(
      200,
    )
    const proposals = `/api/links/${kept.slug}/proposals`
    const { body } = await person.api<{ proposals: { id: string; state: string }[] }>('GET', proposals)
    const open = body.proposals.find(({ state }) => state === 'open')
    const accepted = await person.api('POST', `${proposals}/${open?.id}/accept`, { title: 'Better' })
    expect([accepted.status, accepted.body]).toMatchObject([200, {}])
    await actFor(person, kept.organization)
    expect((await person.api('GET', '/api/me/links?q=of+all')).body).toMatchObject({
      bundles: [{ title: 'Of all of us' }],
    })

    for (const { counted, real } of await server.sql(COUNTED)) expect(counted).toBe(real as number)
    expect(await server.sql('PRAGMA foreign_key_check')).toEqual([])
    const fresh = makeStore(join(folder, 'fresh.db'), knownMigrations().length)
    expect(await server.sql(OBJECTS)).toEqual(fresh.query(OBJECTS).all() as never[])
    fresh.close()
    await server.stop()
    await sqld?.stop()
    rmSync(folder, { recursive: true })
  })
})

test('a first start says in one line that it makes the database', async () => {
  const server = await startServer()
  expect(server.output().match(/"[^"]*database[^"]*"/g)).toEqual(['"the database is made"'])
  await server.stop()
})

test('a database that a newer version has changed is left alone: the start says so and exits', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'openall-newer-'))
  const path = join(folder, 'newer.db')
  const server = await startServer({ database: path })
  await server.stop()
  const newer = new Database(path)
  newer.run("INSERT INTO __drizzle_migrations VALUES ('of the future', 9e15)")
  newer.close()
  const started = await startServer({ database: path }).then(
    () => 'started',
    (error: Error) => error.message.trim(),
  )
  expect(started).toBe(
    'the server exited with 78: DATABASE_URL must name a database of this version: a newer version of this service has changed it: run that version, or restore the backup from before the upgrade.',
  )
  rmSync(folder, { recursive: true })
})

/** Runs every command on the database. */
const COMMANDS = [
  ['reports'],
  ['dismiss', 'slug'],
  ['block', 'slug', 'why'],
  ['unblock', 'slug'],
  ['add-account', 'a@b.example'],
  ['plan', 'a@b.example', 'pro'],
]
const STARTED_ON = 'no version of this service has been started on it: set DATABASE_URL as it is set for the service'

test('an operator’s command leaves a database of another version unchanged, and says what to do', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'openall-versions-'))
  const all = knownMigrations().length
  makeStore(join(folder, 'older.db'), all - 1).close()
  const newer = makeStore(join(folder, 'newer.db'), all)
  newer.run("INSERT INTO __drizzle_migrations VALUES ('of the future', 9e15)")
  newer.close()
  const unreleased = new Database(join(folder, 'unreleased.db'), { create: true })
  unreleased.run('CREATE TABLE __drizzle_migrations (hash text NOT NULL, created_at numeric)')
  unreleased.run("INSERT INTO __drizzle_migrations VALUES ('of before the first release', 1)")
  unreleased.close()
  const foreign = new Database(join(folder, 'foreign.db'), { create: true })
  foreign.run('CREATE TABLE theirs (id)')
  foreign.close()
  writeFileSync(join(folder, 'text.db'), 'not a database, but long enough to be looked at as one'.repeat(50))
  const sayings = {
    'older.db':
      'it is from an older version of this service: start this version on it, which brings it up to date, or give the command to the older one',
    'newer.db':
      'a newer version of this service has changed it: run that version, or restore the backup from before the upgrade',
    'unreleased.db':
      'it was made before the first release, and no version migrates it: export its data with the code that made it',
    'foreign.db': STARTED_ON,
    'text.db': 'SQLITE_NOTADB: file is not a database',
  }
  for (const [name, saying] of Object.entries(sayings)) {
    const database = join(folder, name)
    const before = readFileSync(database)
    // All on one runtime, because each command is a slow process.
    for (const words of name === 'older.db' ? COMMANDS : [['reports']]) {
      const { error } = await runOperator<{ error: string }>({ database }, words)
      expect([name, words, error]).toEqual([name, words, `DATABASE_URL cannot be used: ${saying}.`])
    }
    expect(readFileSync(database).equals(before)).toBeTrue()
  }
  expect(readdirSync(folder).sort()).toEqual(Object.keys(sayings).sort())
  rmSync(folder, { recursive: true })
})

test('a backup of a database of an older version keeps that version', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'openall-older-'))
  const [database, copy] = [join(folder, 'older.db'), join(folder, 'copy.db')]
  makeStore(database, 1).close()
  expect(await runOperator<object>({ database }, ['backup', copy])).toMatchObject({ file: copy, bundles: 0 })
  for (const path of [database, copy]) {
    const store = new Database(path)
    expect(store.query('SELECT count(*) AS n FROM __drizzle_migrations').get()).toEqual({ n: 1 })
    store.close()
  }
  rmSync(folder, { recursive: true })
})

test('an operator’s command creates no tables on a server where the service has not been started', async () => {
  const sqld = await startSqld()
  const { error } = await runOperator<{ error: string }>({ database: sqld.url, token: sqld.token }, ['reports'])
  expect(error).toBe(`DATABASE_URL cannot be used: ${STARTED_ON}.`)
  const client = createClient({ url: sqld.url, authToken: sqld.token })
  expect((await client.execute('SELECT name FROM sqlite_master')).rows).toEqual([])
  client.close()
  await sqld.stop()
})
