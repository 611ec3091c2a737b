import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { knownMigrations } from '../../db/known-migrations.ts'
import { becomes } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import { type Server, startServer } from '../server.ts'
import { onEveryProcess } from '../targets.ts'
import { HISTORY_BYTES } from './history-bytes.ts'

const TOKEN = 'a metrics token of the tests'
/** More than one batch converts. */
const VERSIONS = 450
const LINKS = Array.from({ length: 25 }, (_, n) => `https://links.example/${n}/${'x'.repeat(80)}`)
const DESCRIPTION = 'é'.repeat(1000)

const rowsLeft = async (server: Server) => (await server.sql('SELECT count(*) AS n FROM version_backfill'))[0]?.n

/** Everything that the service returns about versions. */
async function told(person: Person, slug: string): Promise<string> {
  const versions = await (await person.fetch(`/api/links/${slug}/versions`)).text()
  const exported = (await (await person.fetch('/api/me/export')).json()) as { bundles: unknown }
  return versions + JSON.stringify(exported.bundles)
}

/** Moves every value back into its row and adds many versions, like an older version of the service. */
async function makeOld(server: Server, slug: string): Promise<void> {
  for (const name of ['urls', 'description']) {
    await server.sql(`UPDATE bundle_versions SET ${name} = (SELECT content FROM version_parts WHERE id = ${name}_part),
      ${name}_part = NULL WHERE ${name}_part IS NOT NULL RETURNING 1`)
  }
  await server.sql('DELETE FROM version_parts RETURNING 1')
  await server.sql(
    `INSERT INTO bundle_versions (bundle_id, version_number, urls, url_metadata, title, description, edited_by, edited_at)
     WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     SELECT bundle_id, n, urls, url_metadata, 'Version ' || n, description, edited_by, edited_at
     FROM numbers, bundle_versions WHERE bundle_id = (SELECT id FROM bundles WHERE slug = ?) RETURNING 1`,
    [VERSIONS, slug],
  )
  await server.sql('UPDATE bundles SET version_number = ? WHERE slug = ? RETURNING 1', [VERSIONS, slug])
  await server.sql('INSERT INTO version_backfill SELECT 1, 0, 0, max(id) FROM bundles RETURNING 1')
}

onEveryProcess({ SERVICE_METRICS_TOKEN: TOKEN }, (at) => {
  test('old versions can be read while and after they are converted, which a kill does not stop for good', async () => {
    const server = at()
    const ann = await newPerson(server)
    const { slug } = await ann.makeBundle({ urls: LINKS, description: DESCRIPTION, title: 'Version 1' })
    await makeOld(server, slug)
    const bytes = async () => Number((await server.sql('SELECT max(history_bytes) AS n FROM owners'))[0]?.n)
    const [before, large] = [await told(ann, slug), await bytes()]
    expect(before.match(/"Version \d+"/g)?.length).toBe(2 * VERSIONS + 1)

    await server.kill()
    await server.restart()
    const moved = async () => Number((await server.sql('SELECT count(urls_part) AS n FROM bundle_versions'))[0]?.n)
    await becomes(async () => (await moved()) > 0, true)
    await server.kill()
    const some = await moved()
    await server.restart()
    expect(await told(ann, slug)).toBe(before)
    await becomes(() => rowsLeft(server), 0)
    expect([some > 0, await moved()]).toEqual([true, VERSIONS])
    expect(await told(ann, slug)).toBe(before)
    expect(await server.sql('SELECT count(*) AS n FROM version_parts')).toEqual([{ n: 2 }])
    expect(await bytes()).toBeLessThan(large / 12)
    expect(await server.sql('PRAGMA foreign_key_check')).toEqual([])
    await becomes(async () => {
      const answer = await fetch(`${server.origin}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
      return /^openall_version_backfill_ratio (.+)$/m.exec(await answer.text())?.[1]
    }, '1')
  })
})

test('two processes edit a bundle while both convert its old versions, and nothing is lost', async () => {
  const first = await startServer()
  const ann = await newPerson(first)
  const { slug } = await ann.makeBundle({ urls: LINKS, description: DESCRIPTION, title: 'Version 1' })
  await makeOld(first, slug)
  const before = (await versionsOf(ann, slug)).toReversed()
  await first.kill()
  await first.restart()
  const second = await startServer({ database: first.database })
  const cookies = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const edit = (server: Server, title: string) =>
    fetch(`${server.origin}/api/links/${slug}`, {
      method: 'PATCH',
      headers: { cookie: cookies, 'content-type': 'application/json' },
      body: JSON.stringify({ title }),
    }).then(({ status }) => status)
  const titles = Array.from({ length: 40 }, (_, n) => `Edit ${n}`)
  const statuses = await Promise.all(titles.map((title, n) => edit(n % 2 === 0 ? first : second, title)))
  expect(new Set(statuses)).toEqual(new Set([200]))
  await becomes(() => rowsLeft(first), 0)
  const after = (await versionsOf(ann, slug)).toReversed()
  expect(after.slice(0, VERSIONS)).toEqual(before)
  const edits = after.slice(VERSIONS)
  expect(edits.map(({ versionNumber }) => versionNumber)).toEqual(titles.map((_, n) => VERSIONS + 1 + n))
  expect(new Set(edits.map(({ title }) => title))).toEqual(new Set(titles))
  for (const version of edits) expect(version).toMatchObject({ urls: LINKS, description: DESCRIPTION })
  expect(await first.sql('SELECT count(*) AS n FROM version_parts')).toEqual([{ n: 2 }])
  await second.stop()
  await first.stop()
})

async function versionsOf(person: Person, slug: string) {
  const { body } = await person.api<{ versions: { versionNumber: number; title: string }[] }>(
    'GET',
    `/api/links/${slug}/versions`,
  )
  return body.versions
}

test('a database from before parts existed keeps every value to the byte, whatever its JSON looks like', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'openall-old-versions-'))
  const path = join(folder, 'old.db')
  const migrations = knownMigrations()
  const parts = migrations.findIndex(({ sql }) => sql.some((text) => text.includes('CREATE TABLE `version_parts`')))
  const old = new Database(path, { create: true })
  old.run('CREATE TABLE __drizzle_migrations (hash text PRIMARY KEY, created_at integer NOT NULL)')
  for (const { hash, sql, folderMillis } of migrations.slice(0, parts)) {
    for (const text of sql) old.run(text)
    old.run('INSERT INTO __drizzle_migrations VALUES (?, ?)', [hash, folderMillis])
  }
  const urls = `[ "https://a.example/${'é'.repeat(600)}",\n\t"https://b.example/\\u00e9" ]`
  const metadata = JSON.stringify([{ note: 'n'.repeat(1100) }, {}])
  const description = `${'d'.repeat(1100)}\r\n `
  old.run(
    `INSERT INTO user (id, name, email, email_verified, created_at, updated_at) VALUES ('ada', 'ada', 'a@x.example', 1, 1, 1)`,
  )
  old.run(`INSERT INTO owners (id, user_id) VALUES (1, 'ada')`)
  for (const id of [1, 2]) {
    old.run(
      `INSERT INTO bundles (id, slug, owner_id, urls, url_metadata, description, source, version_number, created_at, updated_at)
       VALUES (?, ?, 1, ?, ?, ?, 'api', 2, 1, 1)`,
      [id, `old-${id}`, urls, metadata, description],
    )
    for (const number of [1, 2]) {
      old.run(
        `INSERT INTO bundle_versions (bundle_id, version_number, urls, url_metadata, description, edited_at)
         VALUES (?, ?, ?, ?, ?, 1)`,
        [id, number, urls, metadata, description],
      )
    }
  }
  const counted = old.query('SELECT history_bytes AS n FROM owners').get()
  expect(counted).toEqual({ n: 4 * Buffer.byteLength(urls + metadata + description) })
  old.close()

  const server = await startServer({ database: path })
  await becomes(() => rowsLeft(server), 0)
  const value = (name: string) => `(SELECT content FROM version_parts WHERE id = ${name}_part) AS ${name}`
  const rows = await server.sql(
    `SELECT ${['urls', 'url_metadata', 'description'].map(value).join()} FROM bundle_versions`,
  )
  expect(rows).toEqual(Array(4).fill({ urls, url_metadata: metadata, description }))
  expect(await server.sql('SELECT bundle_id, count(*) AS n FROM version_parts GROUP BY 1')).toEqual([
    { bundle_id: 1, n: 3 },
    { bundle_id: 2, n: 3 },
  ])
  const [history] = await server.sql(`SELECT history_bytes AS counted, ${HISTORY_BYTES} AS real FROM owners`)
  expect(history?.counted).toBe(history?.real)
  await server.stop()
  rmSync(folder, { recursive: true })
})
