import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import about from '../../package.json' with { type: 'json' }
import { becomes } from '../eventually.ts'
import { METRICS_TOKEN, metricsOf } from '../metrics.ts'
import { newPerson } from '../people.ts'
import { startReceiver } from '../receiver.ts'
import { type RedisServer, startRedis } from '../redis.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'
import { startSqld } from '../sqld.ts'
import { testOnce } from '../targets.ts'
import { create, newSlug, START_MS, URL_OK } from './support.ts'

const env = { SERVICE_METRICS_TOKEN: METRICS_TOKEN }

describe.each(RUNTIMES.map((runtime) => ({ runtime })))('on $runtime over a file', ({ runtime }) => {
  let server: Server
  let redis: RedisServer
  beforeAll(async () => {
    redis = await startRedis()
    server = await startServer({
      runtime,
      env: { ...env, REDIS_URL: redis.url, SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' },
    })
  }, START_MS)
  afterAll(async () => {
    await server?.stop()
    await redis?.kill()
  })

  test('metrics name the version and the runtime', async () => {
    const [info] = [...(await metricsOf(server)).keys()].filter((name) => name.startsWith('openall_build_info'))
    expect(info).toMatch(
      new RegExp(`^openall_build_info{version="${about.version}",commit="[^"]+",runtime="${runtime}/[0-9.]+"}$`, 'i'),
    )
  })

  test('metrics report how long a durable write takes, and how many writes share one', async () => {
    const read = async () => {
      const metrics = await metricsOf(server)
      const value = (name: string) => metrics.get(name) ?? Number.NaN
      return {
        commits: value('openall_store_commit_seconds_count'),
        seconds: value('openall_store_commit_seconds_sum'),
        groups: value('openall_store_commit_writes_count'),
        writes: value('openall_store_commit_writes_sum'),
      }
    }
    const before = await read()
    const made = await Promise.all(Array.from({ length: 20 }, () => create(server, { urls: [URL_OK] })))
    expect(made.map(({ status }) => status)).toEqual(Array(20).fill(201))
    const after = await read()
    expect(after.writes - before.writes).toBeGreaterThanOrEqual(20)
    expect(after.commits - before.commits).toBeLessThanOrEqual(after.writes - before.writes)
    expect(after.groups).toBe(after.commits)
    expect(after.seconds).toBeGreaterThan(before.seconds)
    expect(after.seconds - before.seconds).toBeLessThan(60)
  })

  test('metrics report the size of the file and its log, and free disk space', async () => {
    await newSlug(server)
    const [file = '', log = ''] = server.files()
    // A checkpoint empties the log, until the next write.
    const logBytes = async () => (await metricsOf(server)).get('openall_store_bytes{part="log"}') ?? 0
    await becomes(async () => (await newSlug(server)) !== '' && (await logBytes()) > 0, true)
    const fileBytes = async () => (await metricsOf(server)).get('openall_store_bytes{part="file"}')
    // A checkpoint may lengthen the file between the two looks.
    await becomes(async () => (await fileBytes()) === Bun.file(file).size, true)
    await becomes(async () => (await logBytes()) <= Bun.file(log).size, true)
    const metrics = await metricsOf(server)
    const [free, size] = [metrics.get('openall_disk_free_bytes') ?? 0, metrics.get('openall_disk_size_bytes') ?? 0]
    expect(free).toBeGreaterThan(0)
    expect(size).toBeGreaterThan(free)
  })

  test('metrics report webhooks: what was taken, what was not, what is late, and which were given up', async () => {
    const receiver = startReceiver()
    const person = await newPerson(server)
    await person.api('POST', '/api/me/webhooks', { url: receiver.url, events: ['bundle.created'] })
    const read = async () => {
      const metrics = await metricsOf(server)
      const attempts = ['delivered', 'failed'].map((result) =>
        metrics.get(`openall_webhook_attempts_total{result="${result}"}`),
      )
      return [...attempts, metrics.get('openall_webhooks_disabled_total'), metrics.get('openall_webhook_overdue')]
    }
    expect(await read()).toEqual([0, 0, 0, 0])
    await person.makeBundle()
    await becomes(read, [1, 0, 0, 0])
    receiver.answer = () => new Response(null, { status: 500 })
    await person.makeBundle()
    await becomes(read, [1, 1, 0, 0])
    const given = 'SELECT attempts FROM outbox WHERE sent_at IS NULL AND lease IS NULL'
    await becomes(() => server.sql(given), [{ attempts: 1 }])
    await server.sql('UPDATE outbox SET attempts = 6, due_at = 1 WHERE sent_at IS NULL')
    await becomes(read, [1, 2, 1, 0])
    await receiver.stop()
  })

  test('metrics report whether Redis answers, even if nothing else uses it', async () => {
    const isUp = async () => (await metricsOf(server)).get('openall_redis_up')
    const errors = async () => (await metricsOf(server)).get('openall_redis_errors_total') ?? Number.NaN
    expect([await isUp(), await errors()]).toEqual([1, 0])
    await redis.freeze()
    expect(await isUp()).toBe(0)
    expect((await create(server, { urls: [URL_OK] })).status).toBe(201)
    redis.thaw()
    await becomes(isUp, 1)
    expect(await errors()).toBeGreaterThan(0)
    await redis.kill()
    await becomes(isUp, 0)
    await redis.restart()
    await becomes(isUp, 1)
  })
})

testOnce(
  'a remote database reports no size or disk, and without Redis it is neither up nor down',
  async () => {
    const sqld = await startSqld()
    const server = await startServer({
      env: {
        ...env,
        DATABASE_URL: sqld.url,
        DATABASE_AUTH_TOKEN: sqld.token,
        SERVICE_SECRET: 'a secret of the tests, forty characters long',
      },
      database: sqld.url,
    })
    expect((await create(server, { urls: [URL_OK] })).status).toBe(201)
    const metrics = await metricsOf(server)
    const told = [...metrics.keys()]
    expect(told.filter((name) => /^openall_(?:store_bytes|disk|redis|backup)/.test(name))).toEqual([])
    expect(metrics.get('openall_store_commit_writes_sum')).toBeGreaterThan(0)
    expect(metrics.get('openall_store_commit_seconds_sum')).toBeGreaterThan(0)
    await server.stop()
    await sqld.stop()
  },
  START_MS,
)
