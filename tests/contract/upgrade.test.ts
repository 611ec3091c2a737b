import { Database } from 'bun:sqlite'
import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { knownMigrations } from '../../db/known-migrations.ts'
import { becomes } from '../eventually.ts'
import { runOperator } from '../operator.ts'
import { startServer } from '../server.ts'
import { startSqld } from '../sqld.ts'

// Only guards against hanging: commands are processes, and the machine may be busy.
setDefaultTimeout(180_000)

/** The last migration before proofs of addresses; existing databases with data are at this point. */
const BEFORE = 6

/** A database as created by the version with this many migrations. */
function makeStore(path: string, migrations: number): Database {
  const store = new Database(path, { create: true })
  store.run('PRAGMA foreign_keys = ON')
  store.run('CREATE TABLE __drizzle_migrations (hash text PRIMARY KEY, created_at integer NOT NULL)')
  for (const { hash, sql, folderMillis } of knownMigrations().slice(0, migrations)) {
    for (const text of sql) store.run(text)
    store.run('INSERT INTO __drizzle_migrations VALUES (?, ?)', [hash, folderMillis])
  }
  return store
}

test('a database of an older version is migrated with its data', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'openall-upgrade-'))
  const path = join(folder, 'old.db')
  const old = makeStore(path, BEFORE)
  for (const id of ['ada', 'ben', 'eve']) {
    old.run(`INSERT INTO user VALUES ('${id}', '${id}', '${id}@people.example', 1, NULL, 1, 1)`)
  }
  old.run(`INSERT INTO organization VALUES ('acme', 'Acme', 'acme', NULL, NULL, 1)`)
  old.run(`INSERT INTO member VALUES ('m1', 'acme', 'ada', 'admin', 1), ('m2', 'acme', 'ben', 'viewer', 1)`)
  old.run(`INSERT INTO owners (id, user_id, organization_id) VALUES (1, 'ada', NULL), (2, NULL, 'acme')`)
  const urls = JSON.stringify(['https://a.example/'])
  old.run(`INSERT INTO bundles (id, slug, owner_id, urls, url_metadata, source, created_at, updated_at)
    VALUES (1, 'mine', 1, '${urls}', '[{}]', 'api', 1, 1)`)
  old.run(`INSERT INTO bundles (id, slug, owner_id, urls, url_metadata, source, created_at, updated_at, deleted_at)
    VALUES (2, 'gone', 1, '${urls}', '[{}]', 'api', 1, 1, 2)`)
  old.run(`INSERT INTO viewer_hashes VALUES (1, '2026-11-20', 'a hash of the older form')`)
  old.run(`INSERT INTO counter_batches VALUES ('sent', ${Date.now()})`)
  for (const number of [1, 2]) {
    old.run(`INSERT INTO bundle_versions (bundle_id, version_number, urls, url_metadata, title, edited_at)
      VALUES (1, ${number}, '${urls}', '[{}]', 'é', 1)`)
  }
  // Eve created a key of the organisation and left; Ben was demoted after he had invited a person.
  old.run(`INSERT INTO api_keys (owner_id, minted_by, name, key_prefix, secret_hash, scopes, created_at)
    VALUES (2, 'eve', 'left', 'oa_left', zeroblob(32), '["links:read"]', 1), (2, 'ada', 'here', 'oa_here', zeroblob(32), '["links:read"]', 1)`)
  old.run(`INSERT INTO invitation VALUES ('i1', 'acme', 'x@people.example', 'admin', 'pending', 'ben', 9e15, 1),
    ('i2', 'acme', 'y@people.example', 'viewer', 'pending', 'ada', 9e15, 1)`)
  old.run(`INSERT INTO account (id, account_id, provider_id, user_id, access_token, id_token, created_at, updated_at)
    VALUES ('a1', 'sub', 'oidc', 'ada', 'secret', 'secret', 1, 1)`)
  old.close()

  const server = await startServer({ database: path })
  const all = knownMigrations()
  for (const [at, { name }] of [...all.entries()].slice(BEFORE)) {
    expect(server.output()).toContain(`"migrating the database: migration ${at + 1} of ${all.length} (${name})"`)
  }
  expect(server.output()).toContain('"the database is migrated"')
  // Of the bundle that the sweep leaves: twice its content, its versions, and what is counted besides.
  const content = urls.length + '[{}]'.length + 'link0'.length
  const bytes = 2 * content + 512 + 2 * (content + 'é'.length + 1 + 192)
  await becomes(
    () => server.sql('SELECT id, history_bytes AS bytes, bundle_count AS bundles FROM owners ORDER BY id'),
    [
      { id: 1, bytes, bundles: 1 },
      { id: 2, bytes: 0, bundles: 0 },
    ],
  )
  // Old hashes cannot be compared with new ones; a written batch must not be counted again.
  expect(await server.sql('SELECT day FROM viewer_hashes')).toEqual([])
  expect(await server.sql('SELECT id FROM counter_batches')).toEqual([{ id: 'sent' }])
  expect(await server.sql('SELECT name, minter_left_at IS NULL AS works FROM api_keys ORDER BY id')).toEqual([
    { name: 'left', works: 0 },
    { name: 'here', works: 1 },
  ])
  expect(await server.sql('SELECT id, status FROM invitation ORDER BY id')).toEqual([
    { id: 'i1', status: 'canceled' },
    { id: 'i2', status: 'pending' },
  ])
  expect(await server.sql('SELECT access_token AS access, id_token AS id FROM account')).toEqual([
    { access: null, id: null },
  ])
  expect(await server.sql('SELECT created_by FROM organization')).toEqual([{ created_by: 'ada' }])
  expect((await fetch(`${server.origin}/l/mine`)).status).toBe(200)
  expect(await server.sql('PRAGMA foreign_key_check')).toEqual([])
  await server.stop()
  rmSync(folder, { recursive: true })
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
    'the server exited with 1: DATABASE_URL cannot be used: a newer version of this service has changed it: run that version, or restore the backup from before the upgrade.',
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
  const foreign = new Database(join(folder, 'foreign.db'), { create: true })
  foreign.run('CREATE TABLE theirs (id)')
  foreign.close()
  writeFileSync(join(folder, 'text.db'), 'not a database, but long enough to be looked at as one'.repeat(50))
  const sayings = {
    'older.db':
      'it is from an older version of this service: start this version on it, which brings it up to date, or give the command to the older one',
    'newer.db':
      'a newer version of this service has changed it: run that version, or restore the backup from before the upgrade',
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
  makeStore(database, BEFORE).close()
  expect(await runOperator<object>({ database }, ['backup', copy])).toMatchObject({ file: copy, bundles: 0 })
  for (const path of [database, copy]) {
    const store = new Database(path)
    expect(store.query('SELECT count(*) AS n FROM __drizzle_migrations').get()).toEqual({ n: BEFORE })
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
