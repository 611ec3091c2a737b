import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { knownMigrations } from '../../db/known-migrations.ts'
import { ask, mint, type Person, revoke, signUp } from '../contract/people.ts'
import { newSlug } from '../contract/support.ts'
import { eventually } from '../eventually.ts'
import { type RedisServer, startRedis } from '../redis.ts'
import { type Runtime, type Server, startServer, type Target } from '../server.ts'
import { type Sqld, startSqld } from '../sqld.ts'
import { byMode, IS_FULL } from './full.ts'
import { ADDRESS_HEADER, mixedLoad } from './load.ts'

const PATIENCE_MS = 180_000
/** The promise is a second. With other tests the machine itself may be slow. */
const EDIT_SHOWS_MS = IS_FULL ? 1_500 : 4_000
const PROCESSES: readonly Runtime[] = ['bun', 'deno', 'bun']
const STORES: readonly Target['store'][] = IS_FULL ? ['http', 'ws'] : ['http']

/** Three processes of the service, started at once on one empty database and one Redis. */
describe.each(STORES.map((store) => ({ store })))('three processes over $store', ({ store }) => {
  let sqld: Sqld
  let redis: RedisServer
  let servers: Server[] = []
  let person: Person
  beforeAll(async () => {
    ;[sqld, redis] = await Promise.all([startSqld(), startRedis()])
    const env = {
      DATABASE_URL: store === 'ws' ? sqld.url.replace('http:', 'ws:') : sqld.url,
      DATABASE_AUTH_TOKEN: sqld.token,
      REDIS_URL: redis.url,
      SERVICE_SECRET: 'the same secret in all the processes',
      SERVICE_CLIENT_IP_HEADER: ADDRESS_HEADER,
      LOG_LEVEL: 'error',
    }
    servers = await Promise.all(
      PROCESSES.map((runtime) => startServer({ runtime, env, database: sqld.url, token: sqld.token })),
    )
    person = await signUp(servers[0]!)
    // Nothing is logged here, not even mails.
    await servers[0]!.sql('UPDATE user SET email_verified = 1 WHERE id = ? RETURNING 1', [person.userId])
  }, PATIENCE_MS)
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill()))
    await redis?.kill()
    await sqld?.stop()
  })

  const inTurn = async (count: number, send: (server: Server) => Promise<{ status: number }>) => {
    const answers = await Promise.all(Array.from({ length: count }, (_, n) => send(servers[n % servers.length]!)))
    return answers.filter(({ status }) => status < 300).length
  }
  const sql = (query: string) => servers[0]!.sql(query)

  test('each migration ran once, and the day has one salt', async () => {
    const rows = await sql('SELECT hash FROM __drizzle_migrations ORDER BY created_at')
    expect(rows.map(({ hash }) => hash)).toEqual(knownMigrations().map(({ hash }) => hash))
    const today = new Date().toISOString().slice(0, 10)
    expect(await sql(`SELECT day FROM salts WHERE day = '${today}'`)).toEqual([{ day: today }])
  })

  test('limits are exact: a key’s, and an address’s', async () => {
    const { rawKey: key } = await mint(servers[0]!, person, { rateLimitPerHour: 20 })
    const slug = await newSlug(servers[0]!)
    expect(await inTurn(60, (server) => ask(server, 'GET /api/me', { key }))).toBe(20)
    const report = (server: Server) =>
      ask(server, `POST /api/links/${slug}/reports`, {
        body: { reason: 'phishing' },
        headers: { [ADDRESS_HEADER]: '192.0.2.7' },
      })
    expect(await inTurn(15, report)).toBe(5)
  })

  test(
    'a key revoked in one process ends in the others within five seconds, an edit shows within one',
    async () => {
      const { rawKey: key, apiKey } = await mint(servers[0]!, person)
      const slug = (
        await ask(servers[0]!, 'POST /api/links', { key, body: { urls: ['https://a.example/'], title: 'old' } })
      ).body.slug
      const others = servers.slice(1)
      const everywhere = async (isSo: (server: Server) => Promise<boolean>) =>
        (await Promise.all(others.map(isSo))).every(Boolean)
      const shows = (title: string) =>
        everywhere(async ({ origin }) => (await (await fetch(`${origin}/l/${slug}`)).text()).includes(`>${title}</h1>`))
      await eventually(() => shows('old'), 'the bundle is shown')
      expect((await ask(servers[0]!, `PATCH /api/links/${slug}`, { key, body: { title: 'new' } })).status).toBe(200)
      await eventually(() => shows('new'), 'the edit is shown', EDIT_SHOWS_MS)
      const answers = (status: number) =>
        everywhere(async (server) => (await ask(server, 'GET /api/me', { key })).status === status)
      expect(await answers(200)).toBe(true)
      await revoke(servers[0]!, person, apiKey.id)
      await eventually(() => answers(401), 'the key has ended', 5_000)
    },
    PATIENCE_MS,
  )

  test(
    'continuous creates in all processes are all answered',
    async () => {
      const until = performance.now() + byMode({ quick: 3_000, full: 10_000 })
      const statuses: number[] = []
      const create = async (server: Server, client: number) => {
        for (let n = 0; performance.now() < until; n += 1) {
          const headers = { [ADDRESS_HEADER]: `10.${client}.${n >> 8}.${n & 255}` }
          const body = { urls: ['https://burst.example/'] }
          statuses.push((await ask(server, 'POST /api/links', { body, headers })).status)
        }
      }
      await Promise.all(Array.from({ length: 24 }, (_, client) => create(servers[client % servers.length]!, client)))
      expect(statuses.length).toBeGreaterThan(100)
      expect(statuses.filter((status) => status !== 201)).toEqual([])
    },
    PATIENCE_MS,
  )

  test('creates with one idempotency key that reach all processes at once make one bundle', async () => {
    const send = (server: Server) =>
      ask(server, 'POST /api/links', {
        body: { urls: ['https://once.example/'] },
        headers: { 'idempotency-key': 'the same everywhere' },
      })
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => send(servers[n % 3]!)))
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201))
    expect(new Set(answers.map(({ body }) => body.slug)).size).toBe(1)
    expect(await sql("SELECT count(*) AS n FROM bundles WHERE urls LIKE '%once.example%'")).toEqual([{ n: 1 }])
  })

  test(
    'every view, viewer and click that any of them answered is counted, right after SIGTERM',
    async () => {
      const slugs = await Promise.all(Array.from({ length: 5 }, () => newSlug(servers[0]!)))
      await Bun.sleep(500)
      const sent = await mixedLoad(servers, slugs, () => Bun.sleep(byMode({ quick: 2_000, full: 15_000 })))
      expect(await Promise.all(servers.map((server) => server.stop()))).toEqual([0, 0, 0])
      expect(sent.wrong).toEqual([])
      const of = `(SELECT id FROM bundles WHERE slug IN (${slugs.map((slug) => `'${slug}'`).join()}))`
      expect(
        await sql(`SELECT (SELECT sum(views) FROM daily_counters WHERE bundle_id IN ${of}) AS views,
        (SELECT sum(open_all_clicks) FROM daily_counters WHERE bundle_id IN ${of}) AS clicks,
        (SELECT sum(viewers) FROM daily_viewers WHERE bundle_id IN ${of}) AS viewers`),
      ).toEqual([
        {
          views: sent.views,
          clicks: sent.clicks,
          viewers: [...sent.viewers.values()].reduce((sum, { size }) => sum + size, 0),
        },
      ])
    },
    PATIENCE_MS,
  )
})
