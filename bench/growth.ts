import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NOTHING } from '../src/bundles/content/content.ts'
import { searchText } from '../src/bundles/list/search.ts'
import { type Call, mintKey, writeCalls } from './api.ts'
import { contentOf, makeBundles } from './bundles.ts'
import { median, type Row, table } from './figures.ts'
import { fileStore, type Server, startService } from './processes.ts'
import { CONNECTIONS, callForSeconds, findWrk, loadForSeconds } from './wrk.ts'

// `bun run bench:growth [others]`: how much slower a database of a million bundles is than one of a thousand. A user has
// the same thousand bundles in both; the larger has 999 000 of 1 000 other users too. A third database has the thousand and
// 99 000 more of the same user. Rounds alternate.

const OWN = 1_000
const OTHERS = Number(process.argv[2] ?? 999_000)
const OTHER_OWNERS = 1_000
const MORE_OWN = 99_000
const ROUNDS = 5
const ROUND_SECONDS = 2
const GOAL = 1.5
/** With a hundred times as many bundles of the same user. */
const OWN_SEARCH_GOAL = 3
const BESIDE_GOAL = 0.5

/** A database's server, and the user's key and bundles. */
interface Side {
  server: Server
  key: string
  slugs: string[]
}

const WORKLOADS = ['launchers', 'list', 'search', 'create'] as const

async function bench(folder: string): Promise<void> {
  const few = await side(join(folder, 'few.db'), () => {})
  const many = await side(join(folder, 'many.db'), (database) =>
    fill(database, OTHERS, (id) => 1 + (id % OTHER_OWNERS)),
  )
  const own = await side(join(folder, 'own.db'), (database) => fill(database, MORE_OWN, () => 0))
  const rows = [await firstViews(few, many)]
  for (const workload of WORKLOADS) {
    const rates: Record<'few' | 'many' | 'own', number>[] = []
    for (let round = 0; round <= ROUNDS; round += 1) {
      const rate = {
        few: await perSecond(workload, few, folder),
        many: await perSecond(workload, many, folder),
        own: await perSecond(workload, own, folder),
      }
      if (round > 0) rates.push(rate)
    }
    for (const larger of ['many', 'own'] as const) {
      const of = (side: 'few' | 'many' | 'own') =>
        Math.round(median(rates.map((rate) => rate[side]))).toLocaleString('en')
      const goal = larger === 'own' && workload === 'search' ? OWN_SEARCH_GOAL : GOAL
      const label = `${workload} per second: ${of('few')} and, with ${larger === 'own' ? 'more of their own' : 'others'}, ${of(larger)}`
      rows.push(row(label, median(rates.map((rate) => rate.few / rate[larger])), goal))
    }
  }
  rows.push(await besideSearcher(own, folder))
  console.log(table(rows))
  if (rows.some(({ isMet }) => isMet === false)) process.exitCode = 1
  for (const { server } of [few, many, own]) await server.stop()
}

/** Launchers while one connection of the user with the most bundles searches without a pause. */
async function besideSearcher(own: Side, folder: string): Promise<Row> {
  const [launchers, searches] = [join(folder, 'launchers'), join(folder, 'searches')]
  writeFileSync(launchers, own.slugs.join('\n'))
  writeCalls('search', own.slugs, searches)
  const ratios: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const alone = await loadForSeconds('launchers', own.server.origin, launchers, ROUND_SECONDS)
    const [beside] = await Promise.all([
      loadForSeconds('launchers', own.server.origin, launchers, ROUND_SECONDS),
      callForSeconds(own.server.origin, { file: searches, key: own.key, connections: 1 }, ROUND_SECONDS),
    ])
    if (round > 0) ratios.push(beside.answered / alone.answered)
  }
  const ratio = median(ratios)
  return {
    label: 'launchers beside a searcher with 100 000, of alone',
    figure: ratio.toFixed(2),
    goal: `at least ${BESIDE_GOAL}`,
    isMet: ratio >= BESIDE_GOAL,
  }
}

function row(label: string, ratio: number, goal = GOAL): Row {
  return { label, figure: `${ratio.toFixed(2)} times as long`, goal: `at most ${goal}`, isMet: ratio <= goal }
}

async function side(file: string, more: (database: Database) => void): Promise<Side> {
  const filling = await startService(fileStore(file), '/')
  const key = await mintKey(filling)
  const slugs = await makeBundles(filling, OWN, key)
  await filling.stop()
  const database = new Database(file)
  more(database)
  // Changes that are read, which a running service deletes after an hour.
  database.run('DELETE FROM bundle_changes WHERE NOT (for_search OR for_sites OR for_links)')
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  const server = await startService(fileStore(file), '/healthz')
  await indexed(database)
  database.close()
  return { server, key, slugs }
}

/** Waits until the service has indexed all bundles for search. */
async function indexed(database: Database): Promise<void> {
  const pending = database.query<{ n: number }, []>('SELECT count(*) AS n FROM bundle_changes WHERE for_search = 1')
  const before = pending.get()?.n ?? 0
  const from = performance.now()
  while ((pending.get()?.n ?? 0) > 0) await Bun.sleep(50)
  const seconds = (performance.now() - from) / 1000
  if (before > OWN) console.log(`${before.toLocaleString('en')} bundles indexed in ${seconds.toFixed(0)} s`)
}

/**
 * Inserts bundles, each with its first version and its search text.
 * @param ownerOf of the bundle with a number; 0: the user whose bundles are there.
 */
function fill(database: Database, count: number, ownerOf: (number: number) => number): void {
  const first = database.query<{ id: number }, []>('SELECT id FROM owners ORDER BY id LIMIT 1').get()?.id ?? 0
  const owner = database.query('INSERT OR IGNORE INTO owners (id, user_id) VALUES (?, ?)')
  const bundle = database.query(
    `INSERT INTO bundles (slug, slug_hash, owner_id, urls, url_metadata, title, description, source, created_at, updated_at)
     VALUES (?1, '#' || ?1, ?2, ?3, ?4, ?5, ?6, 'api', ?7, ?8) RETURNING id`,
  )
  const text = database.query('INSERT INTO bundle_search (bundle_id, text) VALUES (?, ?)')
  database.transaction(() => {
    for (let number = OWN; number < OWN + count; number += 1) {
      const ownerId = first + ownerOf(number)
      owner.run(ownerId, `user ${ownerId}`)
      const { title, description, urls, urlMetadata } = contentOf(number)
      const slug = `filled-${number}`
      const json = [JSON.stringify(urls), JSON.stringify(urlMetadata)] as const
      const inserted = bundle.get(slug, ownerId, ...json, title, description, number, number) as { id: number }
      text.run(inserted.id, searchText({ ...NOTHING, title, description, urls, urlMetadata, slug, aliases: [] }))
    }
  })()
  const size = 'octet_length(urls) + octet_length(url_metadata) + octet_length(title) + octet_length(description)'
  database.run(`UPDATE bundles SET bytes = bytes + ${size} WHERE slug LIKE 'filled-%'`)
  database.run(
    `INSERT INTO bundle_versions (bundle_id, version_number, urls, url_metadata, title, description, edited_at, bytes)
     SELECT id, 1, urls, url_metadata, title, description, created_at, ${size} FROM bundles WHERE slug LIKE 'filled-%'`,
  )
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
