import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Call, mintKey, writeCalls } from './api.ts'
import { contentOf, makeBundles } from './bundles.ts'
import { median, type Row, table } from './figures.ts'
import { onFile, type Server, startService } from './processes.ts'
import { CONNECTIONS, calling, findWrk, forSeconds } from './wrk.ts'

// `bun run bench:growth`: what a million bundles cost that a thousand do not. Both stores have the same person with the
// same thousand bundles; the larger has 999 000 of others beside them, put there by SQL. Rounds are interleaved.

const OWN = 1_000
const OTHERS = 999_000
const ROUNDS = 5
const ROUND_SECONDS = 2
const GOAL = 1.5

/** Of a store: its server, the person's key and bundles, and bundles that are asked for once only. */
interface Side {
  server: Server
  key: string
  slugs: string[]
}

async function bench(folder: string): Promise<void> {
  const few = await side(join(folder, 'few.db'), 0)
  const many = await side(join(folder, 'many.db'), OTHERS)
  const rows = [await firstViews(few, many)]
  for (const work of ['launchers', 'list', 'search', 'create'] as const) {
    const slower: number[] = []
    const rates: [number, number][] = []
    for (let round = 0; round <= ROUNDS; round += 1) {
      const one = await perSecond(work, few, folder)
      const other = await perSecond(work, many, folder)
      if (round === 0) continue
      slower.push(one / other)
      rates.push([one, other])
    }
    const [one, other] = [0, 1].map((at) => Math.round(median(rates.map((pair) => pair[at] ?? 0))).toLocaleString('en'))
    rows.push(row(`${work} per second: ${one} and ${other}`, median(slower)))
  }
  console.log(table(rows))
  if (rows.some(({ isMet }) => isMet === false)) process.exitCode = 1
  for (const { server } of [few, many]) await server.stop()
}

function row(what: string, times: number): Row {
  return { what, figure: `${times.toFixed(2)} times as long`, goal: `at most ${GOAL}`, isMet: times <= GOAL }
}

async function side(database: string, others: number): Promise<Side> {
  const filling = await startService(onFile(database), '/')
  const key = await mintKey(filling)
  const slugs = await makeBundles(filling, OWN, key)
  await filling.stop()
  fill(database, others)
  return { server: await startService(onFile(database), '/healthz'), key, slugs }
}

/** Bundles of others, as an import might have left them: each with its first version. */
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
  // What an own edit leaves is swept after an hour.
  database.run('DELETE FROM bundle_changes')
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

/** Launchers that nobody has asked for yet are read and rendered: one after another, in turns. */
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

async function perSecond(work: 'launchers' | Call, { server, key, slugs }: Side, folder: string): Promise<number> {
  const file = join(folder, 'calls')
  if (work === 'launchers') writeFileSync(file, slugs.join('\n'))
  else writeCalls(work, slugs, file)
  const { answered, seconds } =
    work === 'launchers'
      ? await forSeconds(work, server.origin, file, ROUND_SECONDS)
      : await calling(server.origin, { file, key, connections: CONNECTIONS }, ROUND_SECONDS)
  return answered / seconds
}

if (findWrk() === null) throw new Error('wrk is not installed: apt install wrk')
const folder = mkdtempSync(join(tmpdir(), 'openall-bench-'))
try {
  await bench(folder)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
