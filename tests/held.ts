import { agent, must, printPieces, run, send, sendAs } from './held-service.ts'

// Run by contract/held.test.ts on each runtime, in its own process: starts the service, gives a person as much as the free plan
// allows, and prints for each read the longest piece of work on the event loop’s thread, in ms of processor time.

/** The numbers from 1 to `count`, as the table `n`. */
const numbers = (count: number) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`

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

/** Edits the rules of a bundle with a feed: a reader whom one rule gives tabs sees none of it, like everybody else. */
let edits = 0
async function editRules(): Promise<void> {
  edits += 1
  const { rules, version } = policy(`edit ${edits}`)
  const when = { op: 'equals', field: 'client', value: 'agent' }
  const ofAgents = { name: 'Agents', when, tabs: [{ url: 'https://agents.example/' }] }
  await sendAs('PATCH', '/api/links/fed', { resolutionPolicy: { version, rules: [ofAgents, ...rules.slice(1)] } })
}

async function seed(): Promise<string> {
  await must('/api/links', { slug: 'fed', urls, urlMetadata: urls.map(() => ({ note: quoted(200) })) })
  for (let edit = 0; edit < 100; edit += 1) await editRules()
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
  await sendAs('PATCH', '/api/links/one', edit)
  // All others are copies.
  const content = `'${JSON.stringify(urls)}', '${JSON.stringify(urlMetadata)}', 'Large', '${quoted(2000)}'`
  const columns =
    'slug, slug_hash, owner_id, urls, url_metadata, title, description, resolution_policy, source, created_at, updated_at'
  const policyOf = `(SELECT resolution_policy FROM bundles WHERE slug = 'one')`
  await run(
    `INSERT INTO bundles (${columns}) ${numbers(98)} SELECT 'large-' || i, '#large-' || i, id, ${content}, ${policyOf}, 'api', i, i FROM owners, n`,
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

/** The feed after an edit, for which it is made anew. */
const feed = (agent: string) => async () => {
  await editRules()
  return send('GET', '/l/fed/feed', undefined, { 'user-agent': agent })
}

const get = (path: string) => () => sendAs('GET', path)

const EDITS = Array.from({ length: 98 }, (_, at) => ({ slug: `large-${at + 1}`, closedNote: quoted(400) }))

const READS: Record<string, () => Promise<Response>> = {
  list_bundles: get('/api/me/links?limit=100'),
  'list_bundles with a slow search': get(`/api/me/links?q=${encodeURIComponent(`${rocket(90)}x`)}`),
  'list_bundles as a tool': agent('tools/call', { name: 'list_bundles', arguments: { limit: 100 } }),
  'resources/list': agent('resources/list', {}),
  'completion/complete': agent('completion/complete', {
    ref: { type: 'ref/prompt', name: 'write_policy' },
    argument: { name: 'slug', value: '' },
  }),
  update_bundles: () => sendAs('PATCH', '/api/links/bulk', { edits: EDITS }),
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
  'a feed after many edits of rules': feed('Mozilla/5.0'),
  'the feed of a rule after many edits': feed('Claude-User/1.0'),
  'the page of rules': get('/dashboard/links/one/policy'),
}

await printPieces(READS, (status) => status === 200)
