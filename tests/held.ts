import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { sql } from 'drizzle-orm'
import { readConfig } from '../src/config/config.ts'
import { createApp } from '../src/runtime/app.ts'
import { openLog } from '../src/runtime/log.ts'
import { startService } from '../src/runtime/service.ts'
import { longestPiece } from './longest-piece.ts'

// Run by contract/held.test.ts on each runtime, in its own process: starts the service, gives a person as much as the free plan
// allows, and prints for each read the longest piece of work on the event loop’s thread, in ms of processor time.

const file = join(mkdtempSync(join(tmpdir(), 'openall-')), 'test.db')
const config = readConfig({
  DATABASE_URL: `file:${file}`,
  LOG_LEVEL: 'silent',
  SERVICE_WRITES_PER_MINUTE: '0',
  SERVICE_WRITES_PER_HOUR: '0',
})
const service = await startService(config, openLog(config.logLevel), { N: 16, r: 1, p: 1 })
const handle = createApp(service)
const run = (query: string) => service.store.write([sql.raw(query)])
/** The numbers from 1 to `count`, as the table `n`. */
const numbers = (count: number) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`

const cookies: string[] = []

async function send(
  method: string,
  path: string,
  body?: unknown,
  more: Record<string, string> = {},
): Promise<Response> {
  const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const headers = { host: config.authority, origin: config.origin, 'accept-encoding': 'br', ...json, ...more }
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
  return handle(new Request(`${config.origin}${path}`, init), () => '127.0.0.1')
}

async function must<T>(path: string, body: unknown): Promise<T> {
  const answer = await send('POST', path, body, { cookie: cookies.join('; ') })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  cookies.push(...answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? ''))
  return (await answer.json()) as T
}

// Everything as long as it may be, and four bytes a character, or one that JSON and HTML escape.
const rocket = (count: number) => '🚀'.repeat(count)
const quoted = (count: number) => '🚀"'.repeat(count / 2)
const urls = Array.from({ length: 25 }, (_, at) => `https://${at}.example/${rocket(2025)}`)
const tags = Array.from({ length: 10 }, (_, at) => `${at}${quoted(38)}`)
const urlMetadata = urls.map((_, at) => ({ note: quoted(500), section: `${at}${quoted(56)}`, tags }))
const policy = (of: string) => ({
  version: 1,
  rules: Array.from({ length: 50 }, (_, rule) => ({
    name: `Rule ${rule}`,
    when: { op: 'in', field: 'emailDomain', values: Array.from({ length: 10 }, (_, at) => `${rule}-${at}.example`) },
    tabs: Array.from({ length: 20 }, (_, at) => ({
      url: `https://${at}.example/${rule}`,
      note: `${of} ${'x '.repeat(20)}`,
    })),
  })),
})

await must('/api/auth/sign-up/email', { email: 'ann@people.example', password: 'correct horse battery', name: 'Ann' })
await run('UPDATE user SET email_verified = 1')
const { rawKey } = await must<{ rawKey: string }>('/api/me/keys', {
  name: 'all',
  scopes: ['keys:admin'],
  rateLimitPerHour: 0,
})

async function seed(): Promise<string> {
  // The same words in other orders, which are compared at length.
  const words = (step: number) =>
    urls.map((_, at) => ({
      note: `${at} ${Array.from({ length: 160 }, (_, word) => (word * step) % 161)
        .join(' ')
        .slice(0, 490)}`,
    }))
  const short = urls.map((url) => [...url].slice(0, 400).join(''))
  await must('/api/links', { slug: 'one', urls: short, urlMetadata: words(1), resolutionPolicy: policy('first') })
  const conflicting = {
    urls: short.map((url) => `${url}/p`),
    urlMetadata: words(50),
    resolutionPolicy: policy('second'),
  }
  const { id } = await must<{ id: string }>('/api/links/one/proposals', conflicting)
  const edit = { urls: short.map((url) => `${url}/n`), urlMetadata: words(69), title: rocket(200) }
  await send('PATCH', '/api/links/one', edit, { cookie: cookies.join('; '), 'content-type': 'application/json' })
  // All others are copies.
  const content = `'${JSON.stringify(urls)}', '${JSON.stringify(urlMetadata)}', 'Large', '${quoted(2000)}'`
  const columns =
    'slug, slug_hash, owner_id, urls, url_metadata, title, description, resolution_policy, source, created_at, updated_at'
  const policyOf = `(SELECT resolution_policy FROM bundles WHERE slug = 'one')`
  await run(
    `INSERT INTO bundles (${columns}) ${numbers(99)} SELECT 'large-' || i, '#large-' || i, id, ${content}, ${policyOf}, 'api', i, i FROM owners, n`,
  )
  await run(
    `UPDATE owners SET history_bytes = (SELECT sum(octet_length(urls) + octet_length(url_metadata)) FROM bundles)`,
  )
  await run(
    `INSERT OR IGNORE INTO bundle_search SELECT id, urls || url_metadata FROM bundles WHERE slug GLOB 'large-*'`,
  )
  await run(
    `INSERT INTO bundles (${columns}) ${numbers(50)} SELECT 'unclaimed-' || i, '#unclaimed-' || i, NULL, ${content}, NULL, 'api', i, i FROM n`,
  )
  await run(
    `INSERT INTO claims (token_hash, bundle_id, email, expires_at) SELECT id, id, 'ann@people.example', ${Date.now() + 1e9} FROM bundles WHERE owner_id IS NULL`,
  )
  // Keys that were revoked, and rules that were removed, are kept.
  await run(
    `INSERT INTO api_keys (owner_id, minted_by, name, key_prefix, secret_hash, scopes, created_at, revoked_at) ${numbers(10_000)} SELECT owner_id, minted_by, name, 'x' || i, secret_hash, scopes, 1, 1 FROM api_keys, n`,
  )
  await run(
    `INSERT INTO policy_rules (id, bundle_id) ${numbers(500)} SELECT 'r_' || id || '-' || i, id FROM n, bundles WHERE slug = 'one' OR i < 50`,
  )
  await run(
    `INSERT INTO daily_counters (bundle_id, day, rule_id, views) ${numbers(180)} SELECT bundle_id, date('now', '-' || (i - 1) || ' days'), policy_rules.id, 9 FROM policy_rules JOIN bundles ON bundles.id = bundle_id, n WHERE slug = 'one' OR i <= 30`,
  )
  // As many links as a day counts, on each day of the longest report: most are no longer there.
  await run(
    `INSERT INTO opened_links ${numbers(2_000)} SELECT id, unhex(printf('%032x', i)), 'https://gone.example/' || i FROM bundles, n WHERE slug = 'one'`,
  )
  await run(
    `INSERT INTO daily_opens ${numbers(90)} SELECT bundle_id, date('now', '-' || (i - 1) || ' days'), link, 1 + i % 7 FROM opened_links, n`,
  )
  return id
}

const proposal = await seed()

const get = (path: string) => () => send('GET', path, undefined, { cookie: cookies.join('; ') })
const agent = (method: string, params: unknown) => () =>
  send(
    'POST',
    '/api/mcp',
    { jsonrpc: '2.0', id: 1, method, params },
    {
      authorization: `Bearer ${rawKey}`,
      accept: 'application/json, text/event-stream',
    },
  )

const EDITS = Array.from({ length: 99 }, (_, at) => ({ slug: `large-${at + 1}`, closedNote: quoted(400) }))

const READS: Record<string, () => Promise<Response>> = {
  list_bundles: get('/api/me/links?limit=100'),
  'list_bundles with a slow search': get(`/api/me/links?q=${encodeURIComponent(`${rocket(90)}x`)}`),
  'list_bundles as a tool': agent('tools/call', { name: 'list_bundles', arguments: { limit: 100 } }),
  'resources/list': agent('resources/list', {}),
  'completion/complete': agent('completion/complete', {
    ref: { type: 'ref/prompt', name: 'write_policy' },
    argument: { name: 'slug', value: '' },
  }),
  update_bundles: () =>
    send(
      'PATCH',
      '/api/links/bulk',
      { edits: EDITS },
      { cookie: cookies.join('; '), 'content-type': 'application/json' },
    ),
  list_claims: get('/api/me/claims'),
  list_keys: get('/api/me/keys'),
  'list_keys as a tool': agent('tools/call', { name: 'list_keys', arguments: {} }),
  list_versions: get('/api/links/one/versions'),
  get_insights: get('/api/links/one/insights?range=90d'),
  get_overview: get('/api/me/insights?range=90d'),
  get_proposal: get(`/api/links/one/proposals/${proposal}`),
  export_data: get('/api/me/export'),
  'the page of bundles': get('/dashboard?limit=100'),
  'the page of keys': get('/dashboard/keys'),
  'the page of insights': get('/dashboard/links/one/insights?range=90d'),
  'the page of versions': get('/dashboard/links/one/versions'),
  'a comparison of versions': get('/dashboard/links/one/versions?from=1&to=2'),
  'the page of a proposal': get(`/dashboard/links/one/proposals/${proposal}`),
  'the page of rules': get('/dashboard/links/one/policy'),
}

/** Reads an answer to its end. */
async function readAll(read: () => Promise<Response>): Promise<void> {
  const answer = await read()
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
  const parts = answer.body!.getReader()
  // A connection takes each part in a round of its own.
  while (!(await parts.read()).done) await new Promise((resolve) => setImmediate(resolve))
}

const pieces: Record<string, number> = {}
for (const [name, read] of Object.entries(READS)) {
  // The first may compile code, and any may collect garbage.
  const piece = () => longestPiece(() => readAll(read))
  const rounds = [await piece(), await piece(), await piece()]
  pieces[name] = Math.round(Math.min(...rounds))
}
console.log(JSON.stringify(pieces))
await service.stop()
rmSync(dirname(file), { recursive: true })
process.exit(0)
