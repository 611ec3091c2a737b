import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Call, mintKey, writeCalls } from './api.ts'
import { contentOf, makeBundles } from './bundles.ts'
import { median, type Row, table } from './figures.ts'
import { fileStore, type Server, startService } from './processes.ts'
import { CONNECTIONS, callForSeconds, findWrk, loadForSeconds } from './wrk.ts'

// `bun run bench:growth`: how much slower a database of a million bundles is than one of a thousand. Both have the same
// user with the same thousand bundles; the larger has 999 000 of other owners too, inserted with SQL. Rounds alternate.

const OWN = 1_000
const OTHERS = 999_000
const ROUNDS = 5
const ROUND_SECONDS = 2
const GOAL = 1.5

/** A database's server, and the user's key and bundles. */
interface Side {
  server: Server
  key: string
  slugs: string[]
}

async function bench(folder: string): Promise<void> {
  const few = await side(join(folder, 'few.db'), 0)
  const many = await side(join(folder, 'many.db'), OTHERS)
  const rows = [await firstViews(few, many)]
  for (const workload of ['launchers', 'list', 'search', 'create'] as const) {
    const ratios: number[] = []
    const rates: [number, number][] = []
    for (let round = 0; round <= ROUNDS; round += 1) {
      const withFew = await perSecond(workload, few, folder)
      const withMany = await perSecond(workload, many, folder)
      if (round === 0) continue
      ratios.push(withFew / withMany)
      rates.push([withFew, withMany])
    }
    const medians = [0, 1].map((at) => Math.round(median(rates.map((pair) => pair[at] ?? 0))).toLocaleString('en'))
    rows.push(row(`${workload} per second: ${medians.join(' and ')}`, median(ratios)))
  }
  console.log(table(rows))
  if (rows.some(({ isMet }) => isMet === false)) process.exitCode = 1
  for (const { server } of [few, many]) await server.stop()
}

function row(label: string, ratio: number): Row {
  return { label, figure: `${ratio.toFixed(2)} times as long`, goal: `at most ${GOAL}`, isMet: ratio <= GOAL }
}

async function side(database: string, others: number): Promise<Side> {
  const filling = await startService(fileStore(database), '/')
  const key = await mintKey(filling)
  const slugs = await makeBundles(filling, OWN, key)
  await filling.stop()
  fill(database, others)
  return { server: await startService(fileStore(database), '/healthz'), key, slugs }
}

/** Inserts bundles of other owners, each with its first version and its search text. */
function fill(file: string, count: number): void {
  const { urls, urlMetadata } = contentOf(1)
  const database = new Database(file)
  database.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO bundles (slug, title, urls, url_metadata, source, created_at, updated_at)
     SELECT lower(hex(randomblob(8))), 'Reading list ' || i, ?2, ?3, 'api', i, i FROM n WHERE ?1 > 0`,
    [count, JSON.stringify(urls), JSON.stringify(urlMetadata)],
  )
  database.run(
    `INSERT INTO bundle_search (bundle_id, text)
     SELECT id, lower(title) || char(10) || ?1 FROM bundles WHERE owner_id IS NULL`,
    [[...urls, ...urlMetadata.map(({ note }) => note)].join('\n').toLowerCase()],
  )
  database.run(
    `INSERT INTO bundle_versions (bundle_id, version_number, urls, url_metadata, title, edited_at)
     SELECT id, 1, urls, url_metadata, title, created_at FROM bundles WHERE owner_id IS NULL`,
  )
  // Rows of edits, which a running service deletes after an hour.
  database.run('DELETE FROM bundle_changes')
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

/** Launchers that are not cached yet, so each is read and rendered; one at a time, alternating. */
async function firstViews(few: Side, many: Side): Promise<Row> {
  const times = { few: [] as number[], many: [] as number[] }
  for (let at = 0; at < OWN; at += 1) {
    for (const [name, { server, slugs }] of Object.entries({ few, many }) as ['few' | 'many', Side][]) {
      const from = performance.now()
      const answer = await fetch(`${server.origin}/l/${slugs[at]}`)
      await answer.arrayBuffer()
      times[name].push(performance.now() - from)
    }
  }
  const ms = [median(times.few), median(times.many)]
  return row(`first views, ms: ${ms.map((each) => each.toFixed(2)).join(' and ')}`, ms[1]! / ms[0]!)
}

async function perSecond(workload: 'launchers' | Call, { server, key, slugs }: Side, folder: string): Promise<number> {
  const file = join(folder, 'calls')
  if (workload === 'launchers') writeFileSync(file, slugs.join('\n'))
  else writeCalls(workload, slugs, file)
  const { answered, seconds } =
    workload === 'launchers'
      ? await loadForSeconds(workload, server.origin, file, ROUND_SECONDS)
      : await callForSeconds(server.origin, { file, key, connections: CONNECTIONS }, ROUND_SECONDS)
  return answered / seconds
}

if (findWrk() === null) throw new Error('wrk is not installed: apt install wrk')
const folder = mkdtempSync(join(tmpdir(), 'openall-bench-'))
try {
  await bench(folder)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
