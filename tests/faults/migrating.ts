import { openFile, retryWhileBusy } from '../../db/file.ts'
import type { Migration } from '../../db/known-migrations.ts'
import { MIGRATION_TIMEOUT_MS, migrate, START_PATIENCE_MS } from '../../db/migrator.ts'
import { FileReads } from '../../db/reads.ts'
import { openDriver } from '../../db/remote.ts'

// A process that migrates a store as a start does, with migrations of its own: `migrating.ts <how many> <url or file> [token]`.
// The store is made with the first, and migrated with the others. It says when it is ready, and begins when its input ends.

const ROWS = 200_000
const ROWS_PER_STEP = 10_000

const migration = (name: string, sql: string[]): Migration => ({ name, sql, hash: name, folderMillis: 1 })

/** Each part leaves a row when it runs. The last migration is in steps. */
const MIGRATIONS = [
  migration('0000_runs', ['CREATE TABLE runs (name text NOT NULL)', `INSERT INTO runs VALUES ('first')`]),
  migration('0001_rows', [
    'CREATE TABLE rows (id integer PRIMARY KEY, content text NOT NULL)',
    `INSERT INTO rows WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${ROWS})
      SELECT n, hex(randomblob(32)) FROM c`,
    `INSERT INTO runs VALUES ('rows')`,
  ]),
  migration('0002_bytes', [
    'ALTER TABLE rows ADD bytes integer',
    `INSERT INTO runs VALUES ('column')`,
    `-- repeat
    UPDATE rows SET bytes = length(hex(randomblob(4000))) WHERE id IN (SELECT id FROM rows WHERE bytes IS NULL LIMIT ${ROWS_PER_STEP})`,
    'CREATE INDEX rows_content ON rows (content)',
    `-- step
    CREATE INDEX rows_bytes ON rows (bytes, content)`,
    `INSERT INTO runs VALUES ('indexes')`,
  ]),
]

console.log('ready')
await Array.fromAsync(process.stdin)
const [, , count, url = '', authToken] = process.argv
const client = url.includes('://')
  ? openDriver({ url, authToken }, MIGRATION_TIMEOUT_MS)
  : await openFile(
      url,
      (attempt) => retryWhileBusy(attempt, START_PATIENCE_MS),
      (path) => new FileReads(path),
    )
await migrate(client, MIGRATIONS.slice(0, Number(count)), console.log)
console.log('up')
client.close()
