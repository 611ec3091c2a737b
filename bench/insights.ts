import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RUNTIMES, type Runtime, type Server, startServer } from '../tests/server.ts'
import { median } from './figures.ts'

// `bun run bench:insights`: what `insights?range=90d` costs for a bundle with ten million views relative to one with a
// thousand, among 100 000 bundles. Counters are inserted with SQL.

const BUNDLES = 100_000
const DAYS = 90
const MANY = 10_000_000
const FEW = 1_000
const VIEWERS_TODAY = 200_000
const ROUNDS = 400
const GOAL = 2
const DAY_MS = 86_400_000

const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
const ruleIds = (rules: number) => Array.from({ length: rules }, (_, index) => `r_${String(index).padStart(10, '0')}`)

/** Bundles with the same policy and with many or few views. */
const PAIRS = [
  { rules: 0, many: 'bench-many-plain', few: 'bench-few-plain' },
  { rules: 50, many: 'bench-many-rules', few: 'bench-few-rules' },
]

async function bench(folder: string): Promise<void> {
  const database = join(folder, 'bench.db')
  const filling = await startServer({ database })
  const cookie = await signUp(filling)
  for (const { many, few } of PAIRS) for (const slug of [many, few]) await make(filling, slug, cookie)
  await filling.stop()
  fill(database)
  console.log(`| insights?range=90d | ${MANY} views, ms | ${FEW} views, ms | ratio | goal | |`)
  console.log('|---|---|---|---|---|---|')
  for (const runtime of RUNTIMES) await measure(runtime, database, cookie)
}

async function measure(runtime: Runtime, database: string, cookie: string): Promise<void> {
  const server = await startServer({ runtime, database })
  for (const { rules, many, few } of PAIRS) {
    const times: Record<string, number[]> = { [many]: [], [few]: [] }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const slug of [many, few]) times[slug]?.push(await timeOf(server, slug, cookie))
    }
    // The first quarter warms up.
    const [ours = 0, theirs = 0] = [many, few].map((slug) => median(times[slug]?.slice(ROUNDS / 4) ?? []))
    const ratio = ours / theirs
    const verdict = ratio <= GOAL ? 'pass' : 'FAIL'
    const figures = [ours.toFixed(2), theirs.toFixed(2), ratio.toFixed(2), `at most ${GOAL}`, verdict]
    console.log(`| ${runtime}, ${rules} rules | ${figures.join(' | ')} |`)
    if (ratio > GOAL) process.exitCode = 1
  }
  await server.stop()
}

async function timeOf({ origin }: Server, slug: string, cookie: string): Promise<number> {
  const from = performance.now()
  const answer = await fetch(`${origin}/api/links/${slug}/insights?range=90d`, { headers: { cookie } })
  const { series } = (await answer.json()) as { series: unknown[] }
  if (series.length !== DAYS) throw new Error(`insights of ${slug} have ${series.length} days`)
  return performance.now() - from
}

function fill(file: string): void {
  const database = new Database(file)
  database.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO bundles (slug, slug_hash, urls, url_metadata, source, created_at, updated_at)
     SELECT 'bench-other-' || i, '#bench-other-' || i, '["https://a.example/"]', '[{}]', 'api', 0, 0 FROM n`,
    [BUNDLES],
  )
  for (const { rules, many, few } of PAIRS) {
    const ids = ruleIds(rules)
    const tabs = [{ url: 'https://a.example/' }]
    const policy =
      rules === 0 ? null : JSON.stringify({ version: 1, rules: ids.map((id) => ({ id, name: `Rule ${id}`, tabs })) })
    for (const [slug, views] of [
      [many, MANY],
      [few, FEW],
    ] as const) {
      database.run('UPDATE bundles SET resolution_policy = ? WHERE slug = ?', [policy, slug])
      fillDays(database, slug, views, ['', ...ids])
      fillBreakdowns(database, slug, views)
    }
    fillViewers(database, many)
  }
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

/** Spreads the views over days and rules as evenly as whole numbers allow. */
function fillDays(database: Database, slug: string, views: number, rules: string[]): void {
  const insert = database.query(
    'INSERT INTO daily_counters SELECT id, ?1, ?2, ?3, ?3 / 3 FROM bundles WHERE slug = ?4 AND ?3 > 0',
  )
  const cells = DAYS * rules.length
  database.transaction(() => {
    for (let cell = 0; cell < cells; cell += 1) {
      const share = Math.floor(((cell + 1) * views) / cells) - Math.floor((cell * views) / cells)
      insert.run(dayBefore(Math.floor(cell / rules.length)), rules[cell % rules.length] ?? '', share, slug)
    }
  })()
}

/** As many referrers a day as the fewest views allow, for both, because their number is bounded. */
function fillBreakdowns(database: Database, slug: string, views: number): void {
  const perDay = Math.floor(FEW / DAYS)
  database.run(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 * ?2 - 1)
     INSERT INTO daily_breakdowns SELECT bundles.id, date(?3, '-' || (i / ?2) || ' days'), 'referrer',
       'site-' || (i % ?2) || '.example', ?4 / ?1 / ?2 FROM n JOIN bundles ON slug = ?5`,
    [DAYS, perDay, dayBefore(0), views, slug],
  )
}

function fillViewers(database: Database, slug: string): void {
  database.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO viewer_hashes SELECT unixepoch(?2) / 86400, bundles.id, randomblob(16) FROM n JOIN bundles ON slug = ?3`,
    [VIEWERS_TODAY, dayBefore(0), slug],
  )
  for (let day = 0; day < DAYS; day += 1) {
    database.run('INSERT INTO daily_viewers SELECT id, ?, ? FROM bundles WHERE slug = ?', [
      dayBefore(day),
      VIEWERS_TODAY,
      slug,
    ])
  }
}

async function signUp({ origin }: Server): Promise<string> {
  const answer = await send(origin, '/api/auth/sign-up/email', {
    name: 'bench',
    email: 'bench@people.example',
    password: 'correct horse battery',
  })
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}

async function make({ origin }: Server, slug: string, cookie: string): Promise<void> {
  const answer = await send(origin, '/api/links', { slug, urls: ['https://a.example/'] }, { cookie })
  if (answer.status !== 201) throw new Error(`a bundle was refused: ${answer.status} ${await answer.text()}`)
}

function send(origin: string, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

const folder = mkdtempSync(join(tmpdir(), 'openall-bench-'))
await bench(folder).finally(() => rmSync(folder, { recursive: true, force: true }))
