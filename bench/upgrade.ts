import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@libsql/client'
import { openFile, retryWhileBusy } from '../db/file.ts'
import { knownMigrations, type Migration } from '../db/known-migrations.ts'
import { MIGRATION_TIMEOUT_MS, migrate, START_PATIENCE_MS } from '../db/migrator.ts'
import { FileReads } from '../db/reads.ts'
import { openDriver } from '../db/remote.ts'
import { startSqld } from '../tests/sqld.ts'
import { contentOf } from './bundles.ts'

// `bun bench/upgrade.ts`: how long an upgrade migrates a store of 100,000 bundles, on a file and on sqld: a migration that only
// adds a column, and one that then rewrites each bundle, in steps.

const BUNDLES = 100_000
const PER_STEP = 5_000

const migration = (name: string, ...sql: string[]): Migration => ({ name, sql, hash: name, folderMillis: 1 })
const COLUMN = migration('9998_column', 'ALTER TABLE bundles ADD benched_column text')
const REWRITE = migration(
  '9999_rewrite',
  'ALTER TABLE bundles ADD benched_title text',
  `-- repeat
  UPDATE bundles SET benched_title = upper(title)
    WHERE id IN (SELECT id FROM bundles WHERE benched_title IS NULL LIMIT ${PER_STEP})`,
)

const folder = mkdtempSync(join(tmpdir(), 'openall-upgrade-'))
try {
  const path = join(folder, 'openall.db')
  const file = await openFile(
    path,
    (attempt) => retryWhileBusy(attempt, START_PATIENCE_MS),
    (at) => new FileReads(at),
  )
  await bench('a file', file)
  const sqld = await startSqld(undefined, folder)
  await bench('sqld', openDriver({ url: sqld.url, authToken: sqld.token }, MIGRATION_TIMEOUT_MS))
  await sqld.stop()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function bench(store: string, client: Client): Promise<void> {
  const known = knownMigrations()
  const empty = await seconds(() => migrate(client, known, () => {}))
  await fill(client)
  const column = await seconds(() => migrate(client, [...known, COLUMN], () => {}))
  const rewrite = await seconds(() => migrate(client, [...known, COLUMN, REWRITE], () => {}))
  const { rows } = await client.execute('SELECT count(*) AS n FROM bundles WHERE benched_title IS NULL')
  const left = Number(rows[0]?.[0])
  if (left !== 0) throw new Error(`${left} bundles were not rewritten`)
  client.close()
  console.log(`${store}: ${empty} s for an empty store, ${column} s for a column, ${rewrite} s to rewrite each bundle`)
}

async function fill(client: Client): Promise<void> {
  const { title, description, urls, urlMetadata } = contentOf(1)
  await client.execute(
    "INSERT INTO user (id, name, email, email_verified, created_at, updated_at) VALUES ('bench', '', 'bench@people.example', 1, 0, 0)",
  )
  await client.execute("INSERT INTO owners (id, user_id) VALUES (1, 'bench')")
  for (let from = 0; from < BUNDLES; from += PER_STEP) {
    await client.execute({
      sql: `INSERT INTO bundles (slug, slug_hash, owner_id, urls, url_metadata, title, description, source, created_at, updated_at)
        WITH RECURSIVE c(n) AS (SELECT ? UNION ALL SELECT n + 1 FROM c WHERE n < ?)
        SELECT 'filled-' || n, '#filled-' || n, 1, ?, ?, ?, ?, 'api', n, n FROM c`,
      args: [from, from + PER_STEP - 1, JSON.stringify(urls), JSON.stringify(urlMetadata), title, description],
    })
  }
}

/** How long it takes. */
async function seconds(work: () => Promise<void>): Promise<string> {
  const from = performance.now()
  await work()
  return ((performance.now() - from) / 1000).toFixed(2)
}
