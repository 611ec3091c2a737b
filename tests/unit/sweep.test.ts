import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, createClient } from '@libsql/client'
import { sql } from 'drizzle-orm'
import { openStore, type Store } from '../../db/client.ts'
import type { RetentionRule } from '../../src/retention/retention-rule.ts'
import { countDue, eraseDue, retentionRules, rowsPerWrite } from '../../src/retention/rules.ts'
import { oldestOf, Sweeper } from '../../src/retention/sweep.ts'
import { openLog } from '../../src/runtime/log.ts'
import { byMode } from '../faults/full.ts'
import { rows } from '../insights/support.ts'
import { startSqld } from '../sqld.ts'

// How many rows a write touches, and through which index, is not visible from outside (contract/owners-sweep.test.ts).

const log = openLog('silent')
const DAY_MS = 86_400_000
const RULES = retentionRules({ keepDeletedMs: 30 * DAY_MS })
const ROWS_PER_WRITE = Math.max(...RULES.map(rowsPerWrite))
const NOW = Date.parse('2026-11-20T12:00:00Z')
const MANY = byMode({ quick: 3 * ROWS_PER_WRITE + 7, full: 1_000_000 })
/** For kinds that do not reach millions of rows. */
const SOME = Math.min(MANY, 20 * ROWS_PER_WRITE + 7)
const YOUNG = 40
/** Rows per seeding write: a server allows two seconds. */
const SEEDED = 20_000

/** The key of an app that is still used. */
const LASTING = 100_000_000

/** Rows of each kind; `n.i` is a unique number and `?1` the time from which their rule counts. */
const SEEDS: Record<string, string> = {
  address_hashes: `INSERT INTO bundles (slug, slug_hash, urls, url_metadata, source, address_hash, created_at, updated_at)
    SELECT 'swept-' || i, '#swept' || i, '["https://a.example/"]', '[{}]', 'api', 'h' || i % 1000, ?1, ?1 FROM n`,
  claims: `INSERT INTO claims (token_hash, bundle_id, email, expires_at)
    SELECT 't' || i, bundles.id, 'a@people.example', ?1 FROM n JOIN bundles ON slug = 'swept-' || i`,
  answers: `INSERT INTO idempotency_answers (key_hash, request_hash, answer, created_at) SELECT 'k' || i, 'r', x'00', ?1 FROM n`,
  app_grants: `INSERT INTO app_grants
    (key_id, client_hash, host, audience, scopes, redirect_uri, code_hash, code_challenge, code_expires_at, ends_at)
    SELECT i, zeroblob(32), 'app.example', 'mcp', '[]', 'https://app.example/', CAST(printf('%032d', i) AS BLOB), 'c', 1, ?1 FROM n`,
  app_refresh_tokens: `INSERT INTO app_refresh_tokens (hash, key_id, created_at)
    SELECT CAST(printf('%032d', i) AS BLOB), ${LASTING}, ?1 FROM n`,
  device_requests: `INSERT INTO device_requests
    (hash, user_code_hash, client_hash, name, audience, scopes, network_hash, expires_at)
    SELECT CAST(printf('%032d', i) AS BLOB), 'u' || i, zeroblob(32), 'app', 'api', '[]', 'n', ?1 FROM n`,
  sessions: `INSERT INTO session (id, token, user_id, expires_at, created_at, updated_at)
    SELECT 's' || i, 's' || i, 'of-' || (i % 1000), ?1, 1, 1 FROM n`,
  verifications: `INSERT INTO verification (id, identifier, value, expires_at, created_at, updated_at)
    SELECT 'v' || i, 'v' || i, 'v', ?1, 1, 1 FROM n`,
  bundle_changes: `INSERT INTO bundle_changes (bundle_id, slug, at) SELECT i, 'swept-' || i, ?1 FROM n`,
  counter_batches: `INSERT INTO counter_batches (at, id) SELECT ?1, 'b' || i FROM n`,
  notices: `INSERT INTO notices (user_id, bundle_id, kind, waiting, not_before)
    SELECT 'ada', bundles.id, 'proposed', '[]', ?1 FROM n JOIN bundles ON slug = 'swept-' || i`,
  unsent_notices: `INSERT INTO notices (user_id, bundle_id, kind, waiting, due_at)
    SELECT 'ada', bundles.id, 'decided', '[]', ?1 FROM n JOIN bundles ON slug = 'swept-' || i`,
  mails: `INSERT INTO mails (recipient, sealed, bytes, created_at, ends_at, due_at)
    SELECT 'r' || i, zeroblob(16), 16, 1, ?1, ?1 FROM n`,
  // Of a kind that no webhook hears of.
  events: `INSERT INTO events (public_id, owner_id, kind, type, actor_type, nth, at, expires_at)
    SELECT 'evt_' || i, 1000000 + i, 'key', 'key.created', 'service', 1, 1, ?1 FROM n`,
  gone_owners: `INSERT INTO gone_owners (id, at) SELECT 2000000 + i, ?1 FROM n`,
  provider_events: `INSERT INTO provider_events (source, event_id, received_at) SELECT 'payment', 'd' || i, ?1 FROM n`,
  outbox: `INSERT INTO outbox (webhook_id, message_id, event, at) SELECT 'wh_' || (i % 1000), 'm' || i, 'webhook.test', ?1 FROM n`,
  sites: `INSERT INTO sites (origin, due_at, unused_since) SELECT 'https://' || i || '.example', 1, ?1 FROM n`,
  icons: `INSERT INTO icons (id, png, unused_since) SELECT 'i' || i, x'00', ?1 FROM n`,
  gone_webhooks: `INSERT INTO gone_webhooks (id, at) SELECT 'gone_' || i, ?1 FROM n`,
  // They want what none of the other rows is.
  old_webhook_secrets: `INSERT INTO webhooks (id, owner_id, created_by, url, events, secret, created_at, old_secret, old_secret_until)
    SELECT 'old_' || i, owners.id, 'ada', 'https://a.example/', '["proposal.rejected"]', x'00', ${NOW}, x'00', ?1
    FROM n JOIN owners ON owners.user_id = 'ada'`,
  checked_links: `INSERT INTO checked_links (owner_id, host, hash, url, since, unused_since)
    SELECT 1, 'swept.example', 'h' || i, 'https://swept.example/' || i, 1, ?1 FROM n`,
  robots: `INSERT INTO robots (authority, owner_id, rules, bytes, at) SELECT 'h' || i || '.example', 1, '[]', 2, ?1 FROM n`,
  outgoing_turns: `INSERT INTO outgoing_turns (place, next_at) SELECT 'h' || i || '.example', ?1 FROM n`,
  provider_entities: `INSERT INTO provider_entities (source, entity, at) SELECT 'payment', 'e' || i, ?1 FROM n`,
  deleted_bundles: `INSERT INTO bundles (slug, slug_hash, urls, url_metadata, source, created_at, updated_at, deleted_at)
    SELECT 'gone-' || i, '#' || i, '["https://a.example/"]', '[{}]', 'api', 1, 1, ?1 FROM n`,
  unclaimed_bundles: `INSERT INTO bundles (slug, slug_hash, urls, url_metadata, source, created_at, updated_at)
    SELECT 'idle-' || i, '#idle' || i, '["https://a.example/"]', '[{}]', 'api', ?1, ?1 FROM n`,
}

const amountOf = ({ what }: RetentionRule) => (['address_hashes', 'deleted_bundles'].includes(what) ? MANY : SOME)
/** How many rows fewer are due after one write of each rule: unclaimed bundles become deleted ones. */
const erasedOnce = (rule: RetentionRule) => (rule.what === 'deleted_bundles' ? 0 : rowsPerWrite(rule))

/** Inserts rows of each kind that are due, and some that are due in a minute. */
async function seed(store: Store): Promise<void> {
  await store.write([
    sql`INSERT OR IGNORE INTO user (id, name, email, email_verified, created_at, updated_at) VALUES ('ada', 'Ada', 'ada@people.example', 1, 1, 1)`,
  ])
  // A person has a hundred sessions at most.
  await store.write([
    sql`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999) INSERT OR IGNORE INTO user (id, name, email, created_at, updated_at)
      SELECT 'of-' || i, 'Of', 'of-' || i || '@people.example', 1, 1 FROM n`,
  ])
  await store.write([sql`INSERT OR IGNORE INTO owners (user_id) VALUES ('ada')`])
  await store.write([
    sql`INSERT OR IGNORE INTO webhooks (id, owner_id, created_by, url, events, secret, created_at)
      SELECT 'wh_1', id, 'ada', 'https://a.example/', '["bundle.created"]', x'00', ${NOW} FROM owners`,
  ])
  const key = (
    ids: string,
  ) => `INSERT INTO api_keys (id, owner_id, minted_by, name, key_prefix, secret_hash, scopes, created_at)
    SELECT i, owners.id, 'ada', 'app', 'oa_' || i, zeroblob(32), '["links:read"]', 1 FROM (${ids}) JOIN owners`
  const last = SOME + YOUNG
  const ids = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${last}) SELECT i FROM n`
  const lasting = SEEDS.app_grants?.replace('FROM n', `FROM (SELECT ${LASTING} AS i)`).replace('?1', String(2 * NOW))
  await store.write([key(ids), key(`SELECT ${LASTING} AS i`), lasting ?? ''].map((text) => sql.raw(text)))
  const add = async ({ what, keptMs }: RetentionRule, first: number, last: number, age: number) => {
    for (let from = first; from <= last; from += SEEDED) {
      const to = Math.min(from + SEEDED - 1, last)
      const rows = `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to}) ${SEEDS[what]}`
      await store.write([sql.raw(rows.replaceAll('?1', String(NOW - keptMs - age)))])
    }
  }
  // Claims refer to bundles, so these come first; an event that is added erases deleted webhooks, so these come last.
  const place = ({ what }: RetentionRule) => (what === 'gone_webhooks' ? 'z' : what)
  for (const rule of RULES.toSorted((a, b) => place(a).localeCompare(place(b)))) {
    await add(rule, 1, amountOf(rule), 5 * DAY_MS)
    await add(rule, amountOf(rule) + 1, amountOf(rule) + YOUNG, -60_000)
  }
  await store.write([
    sql`INSERT INTO provider_entities (source, entity, at, user_id) VALUES ('identity', 'linked', 1, 'ada')`,
  ])
}

/** How many rows of a kind are due. */
async function due(store: Store, rule: RetentionRule, now = NOW): Promise<number> {
  const [counted] = await countDue(store.db, rule, now - rule.keptMs, 10 * MANY)
  return counted?.rows ?? 0
}

const dueByRule = async (store: Store, now?: number): Promise<Record<string, number>> =>
  Object.fromEntries(await Promise.all(RULES.map(async (rule) => [rule.what, await due(store, rule, now)])))
const byRule = (rows: (rule: RetentionRule) => number) =>
  Object.fromEntries(RULES.map((rule) => [rule.what, rows(rule)]))

const STORES = {
  async 'a file'() {
    const folder = mkdtempSync(join(tmpdir(), 'openall-'))
    const database = { url: `file:${join(folder, 'test.db')}` }
    return { database, stop: async () => rmSync(folder, { recursive: true, force: true }) }
  },
  async sqld() {
    const { url, token, stop } = await startSqld()
    return { database: { url, authToken: token }, stop }
  },
}

for (const [name, open] of Object.entries(STORES)) {
  describe(`over ${name}`, () => {
    let database: Parameters<typeof openStore>[0]
    let store: Store
    let stop: () => Promise<void>
    beforeAll(async () => {
      const opened = await open()
      database = opened.database
      stop = opened.stop
      store = await openStore(database)
      await seed(store)
    }, 900_000)
    afterAll(async () => {
      await store.close()
      await stop()
    })

    test('every query of the sweep uses an index', async () => {
      // A separate connection, because the driver leaves EXPLAIN statements open.
      const client = createClient(database as Config)
      for (const rule of RULES) {
        const queries = [oldestOf(store.db, rule), ...(await eraseDue(store.db, rule, NOW))]
        for (const { sql: text, params } of queries.map((query) => query.toSQL())) {
          const { rows: plan } = await client.execute({ sql: `EXPLAIN QUERY PLAN ${text}`, args: params as number[] })
          const steps = plan.map(({ detail }) => String(detail))
          expect([rule.what, steps.filter((step) => /^SCAN|TEMP B-TREE/.test(step))]).toEqual([rule.what, []])
          expect([rule.what, steps.some((step) => /^SEARCH .* USING/.test(step))]).toEqual([rule.what, true])
        }
      }
      client.close()
    })

    test('a failure for one kind leaves the others swept, and the next run catches up', async () => {
      const broken: Store = {
        ...store,
        writeCounters: ([statement, ...rest]) => {
          const text = typeof statement === 'object' ? statement.sql : ''
          return text.includes('"claims"')
            ? Promise.reject(new Error('away'))
            : store.writeCounters([statement!, ...rest])
        },
      }
      // A run without time gets one batch.
      const sweeper = new Sweeper(broken, log, RULES, () => NOW, 0)
      expect(await sweeper.run()).toBeFalse()
      expect(sweeper.failures).toBe(1)
      expect(await dueByRule(store)).toEqual(
        byRule((rule) => amountOf(rule) - (rule.what === 'claims' ? 0 : erasedOnce(rule))),
      )
      expect(sweeper.statuses.get('claims')?.dueAt).toBe(NOW - 5 * DAY_MS)
      expect(sweeper.statuses.get('claims')?.backlog).toBe(Math.min(SOME, 10_000))
    })

    test('a run that ends early continues at the next, nothing old remains, and no write exceeds its batch', async () => {
      const before = await dueByRule(store)
      let [writes, most] = [0, 0]
      const watched: Store = {
        ...store,
        async writeCounters(statements) {
          // Counting a million rows after each of two thousand writes would take longer than the writes.
          const isCounted = writes++ % byMode({ quick: 1, full: 100 }) === 0
          const count = async () => Object.values(await dueByRule(store)).reduce((sum, rows) => sum + rows, 0)
          const from = isCounted ? await count() : 0
          const result = await store.writeCounters(statements)
          if (isCounted) most = Math.max(most, from - (await count()))
          return result
        },
      }
      const early = new Sweeper(watched, log, RULES, () => NOW, 0)
      expect(await early.run()).toBeFalse()
      expect(writes).toBe(RULES.length)
      expect(await dueByRule(store)).toEqual(byRule((rule) => (before[rule.what] ?? 0) - erasedOnce(rule)))
      const sweeper = new Sweeper(watched, log, RULES, () => NOW)
      while (!(await sweeper.run()));
      expect(most).toBe(ROWS_PER_WRITE)
      expect(await dueByRule(store)).toEqual(byRule(() => 0))
      expect([...sweeper.statuses.values()].map(({ backlog }) => backlog)).toEqual(RULES.map(() => 0))
      // Rows due in a minute still exist, and so do the bundles of the hashes.
      expect(await dueByRule(store, NOW + 60_000)).toEqual(byRule(() => YOUNG))
      expect(await rows(store, 'SELECT count(*) FROM bundles')).toEqual([[MANY + 3 * YOUNG]])
      expect(await rows(store, 'SELECT entity FROM provider_entities WHERE user_id IS NOT NULL')).toEqual([['linked']])
      const written = writes
      // Whoever deletes something else, such as a whole account: it is not in a file's log after a run, either.
      await store.write([sql`DELETE FROM provider_entities WHERE entity = 'linked'`])
      const wal = `${database.url.replace('file:', '')}-wal`
      const hasLog = () => existsSync(wal) && statSync(wal).size > 0
      expect(hasLog()).toBe(name === 'a file')
      expect(await sweeper.run()).toBeTrue()
      expect(writes).toBe(written)
      expect(hasLog()).toBeFalse()
    }, 3_600_000)
  })
}
