import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, createClient, type Transaction } from '@libsql/client'
import type { Migration } from '../../db/known-migrations.ts'
import { migrate } from '../../db/migrator.ts'
import { openDriver } from '../../db/remote.ts'
import { eventually } from '../eventually.ts'
import { command, type Runtime } from '../server.ts'
import { startSqld } from '../sqld.ts'
import { concurrentTest } from './lanes.ts'

const PATIENCE_MS = 180_000
const SCRIPT = fileURLToPath(new URL('./migrating.ts', import.meta.url))

/** What a process says first. */
const READY = 'ready\n'

interface Migrating {
  /** Whether its code is loaded, which takes seconds on a busy machine: from then on it waits for `begin`. */
  isReady(): boolean
  begin(): void
  output(): string
  kill(): Promise<void>
  exited: Promise<number>
}

function startMigrating(runtime: Runtime, to: string[]): Migrating {
  const child = Bun.spawn([...command(runtime), SCRIPT, ...to], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let output = ''
  const all = Promise.all(
    [child.stdout, child.stderr].map(async (stream) => {
      const decoder = new TextDecoder()
      const reader = stream.getReader()
      for (let read = await reader.read(); !read.done; read = await reader.read()) output += decoder.decode(read.value)
    }),
  )
  return {
    isReady: () => output.startsWith(READY),
    begin: () => void child.stdin.end(),
    output: () => output.replace(READY, ''),
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
    exited: child.exited.then(async (code) => {
      await all
      return code
    }),
  }
}

const CASES: { store: 'sqld' | 'a file'; runtimes: Runtime[] }[] = [
  { store: 'sqld', runtimes: ['bun', 'deno', 'bun', 'deno'] },
  { store: 'a file', runtimes: ['deno', 'bun'] },
]

for (const { store, runtimes } of CASES) {
  concurrentTest(
    `${runtimes.length} processes migrate a large store on ${store}: one does, another goes on when it is killed, each step runs once`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'openall-migrating-'))
      const sqld = store === 'sqld' ? await startSqld() : null
      const file = join(folder, 'large.db')
      const to = sqld === null ? [file] : [sqld.url, sqld.token]
      const maker = startMigrating('bun', ['1', ...to])
      maker.begin()
      expect([await maker.exited, maker.output()]).toEqual([0, 'the database is made\nup\n'])
      const all = runtimes.map((runtime) => startMigrating(runtime, ['3', ...to]))
      await eventually(() => all.every((one) => one.isReady()), 'all are ready to begin together', PATIENCE_MS)
      for (const one of all) one.begin()
      const isHalfDone = ({ output }: Migrating) => output().includes('0002_bytes), step 2 of 4')
      try {
        await eventually(() => all.some(isHalfDone), 'one is amid the last migration', PATIENCE_MS)
        const killed = all.find(isHalfDone)!
        await killed.kill()
        const others = all.filter((one) => one !== killed)
        expect(await Promise.all(others.map(({ exited }) => exited))).toEqual(others.map(() => 0))
        for (const { output } of others) {
          expect(output()).toContain(
            'waiting for another process, which is migrating the database: migration 2 of 3 (0001_rows)\n',
          )
          expect(output()).toEndWith('up\n')
        }
        const [heir, ...rest] = others.filter(({ output }) => /^migrating /m.test(output()))
        expect(rest).toEqual([])
        const lines = heir?.output().split('\n').slice(1) ?? []
        expect(lines.filter((line) => !line.endsWith(' rows so far'))).toEqual([
          'migrating the database: migration 3 of 3 (0002_bytes), step 2 of 4',
          'migrating the database: migration 3 of 3 (0002_bytes), step 3 of 4',
          'migrating the database: migration 3 of 3 (0002_bytes), step 4 of 4',
          'the database is migrated',
          'up',
          '',
        ])
        // A process that comes later finds nothing to do, and says nothing.
        const late = startMigrating('bun', ['3', ...to])
        late.begin()
        expect([await late.exited, late.output()]).toEqual([0, 'up\n'])
        const client = createClient({
          url: sqld?.url ?? `file:${file}`,
          ...(sqld === null ? {} : { authToken: sqld.token }),
        })
        const { rows } = await client.execute('SELECT group_concat(name) AS names FROM runs')
        const left = await client.execute('SELECT count(*) AS rows, sum(bytes IS NULL) AS unfilled FROM rows')
        const journal = await client.execute('SELECT hash FROM __drizzle_migrations ORDER BY hash')
        client.close()
        expect(rows[0]?.names).toBe('first,rows,column,indexes')
        expect({ ...left.rows[0] }).toEqual({ rows: 200_000, unfilled: 0 })
        expect(journal.rows.map(({ hash }) => hash)).toEqual(['0000_runs', '0001_rows', '0002_bytes'])
      } finally {
        await Promise.all(all.map((one) => one.kill()))
        await sqld?.stop()
        rmSync(folder, { recursive: true, force: true })
      }
    },
    PATIENCE_MS,
  )
}

const migration = (name: string, ...sql: string[]): Migration => ({ name, sql, hash: name, folderMillis: 1 })

concurrentTest(
  'a transaction that sqld ends in favour of another writer is made again',
  async () => {
    const sqld = await startSqld()
    const [migrating, beside] = [0, 1].map(() => openDriver({ url: sqld.url, authToken: sqld.token }, 60_000)) as [
      Client,
      Client,
    ]
    await beside.execute('CREATE TABLE others (n integer)')
    // Each statement lasts for some seconds, and sqld looks between them.
    const slow = `INSERT INTO sums WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 12000000) SELECT sum(n) FROM c`
    const told: string[] = []
    let ended = 0
    const transaction = migrating.transaction.bind(migrating) as (mode: 'deferred') => Promise<Transaction>
    migrating.transaction = async () => {
      const made = await transaction('deferred')
      const batch = made.batch.bind(made)
      made.batch = (statements) =>
        batch(statements).catch((error: { code: string }) => {
          if (error.code === 'TRANSACTION_TIMEOUT') ended += 1
          throw error
        })
      return made
    }
    const first = migration('0000_sums', 'CREATE TABLE sums (n integer)')
    await migrate(beside, [first], () => {})
    const all = [first, migration('0001_slow', ...Array<string>(8).fill(slow))]
    const done = migrate(migrating, all, (line) => told.push(line))
    await eventually(() => told.length > 0, 'it migrates')
    const isEnded = async () => {
      await beside.execute('INSERT INTO others VALUES (1)')
      return ended > 0
    }
    await eventually(isEnded, 'sqld has ended the transaction')
    await done
    expect(told).toEqual(['migrating the database: migration 2 of 2 (0001_slow)', 'the database is migrated'])
    const { rows } = await beside.execute('SELECT count(*) AS n FROM sums')
    expect(rows[0]?.n).toBe(8)
    migrating.close()
    beside.close()
    await sqld.stop()
  },
  PATIENCE_MS,
)

concurrentTest(
  'a migration that fails is named with its reason and what to do, and leaves its finished steps',
  async () => {
    const client = createClient({ url: ':memory:' })
    const bad = migration('0001_bad', 'CREATE TABLE b (n)', '-- step\nINSERT INTO missing VALUES (1)', 'SELECT 1')
    const run = (one: Migration) => migrate(client, [migration('0000_good', 'CREATE TABLE a (n)'), one], () => {})
    const failure = await run(bad).catch((error: Error) => `${error.constructor.name}: ${error.message}`)
    expect(failure).toBe(
      'MigrationFailed: the database could not be migrated: migration 2 of 2 (0001_bad), step 2 of 2 was refused (SQLITE_ERROR: no such table: missing), and nothing of it was kept: mend what that names and start again, which goes on from there, or restore the backup from before the upgrade',
    )
    // The lease is given back at once, and the finished step is not repeated.
    await client.execute('CREATE TABLE missing (n)')
    await run(bad)
    expect((await client.execute('SELECT n FROM missing')).rows.length).toBe(1)
    // A version without the half-done migration leaves the store alone.
    await client.execute("INSERT INTO __drizzle_migrations VALUES ('0002_future 1', 1)")
    expect(run(bad)).rejects.toThrow('a newer version of this service has changed it')
    client.close()
  },
)
