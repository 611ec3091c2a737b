import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import type { Decision, Limit } from '../../src/limits/rate-limits.ts'
import { RedisBucket } from '../../src/limits/redis.ts'
import { MemoryBucket } from '../../src/limits/steps.ts'
import { becomes } from '../eventually.ts'
import { prng } from '../prng.ts'
import { type RedisServer, startRedis } from '../redis.ts'
import { gap, Log } from './schedules.ts'

const SECRET = 'a secret that is long enough to be one'
let redis: RedisServer
const open: RedisBucket[] = []

beforeAll(async () => {
  redis = await startRedis()
}, 180_000)
afterEach(() => {
  for (const bucket of open.splice(0)) bucket.close()
})
afterAll(() => redis.kill())

/** A bucket as one process has it, and its log; its fallback lets everything pass. */
async function connect() {
  const logged: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => logged.push((JSON.parse(line) as { msg: string }).msg) })
  const bucket = await RedisBucket.connect(redis.url, SECRET, new MemoryBucket(), log)
  open.push(bucket)
  return { bucket, logged }
}

const limitOf = (max: number, windowMs: number): Limit => ({ name: randomUUID(), max, windowMs })

test('in real time, in 40 random schedules every answer matches a plain log, within a step and the network’s delay', async () => {
  const { bucket } = await connect()
  const wrong: string[] = []
  await Promise.all(
    Array.from({ length: 40 }, async (_, seed) => {
      const random = prng(seed + 1)
      const limit = limitOf(1 + Math.floor(random() * 8), 400)
      // A request is counted at some time between sending and answer: one log for each end.
      const [sent, answered] = [new Log(), new Log()]
      for (let request = 0; request < 30; request += 1) {
        await Bun.sleep(gap(random, limit.windowMs))
        const from = performance.now()
        const { allowed, resetSeconds } = await bucket.take(limit, 'k')
        const to = performance.now()
        // Requests certainly within the window fill it; requests possibly within it may not cause a refusal.
        const surely = sent.within(limit.windowMs - 2, to)
        const perhaps = answered.within(limit.windowMs * 1.001 + 2, from)
        if (allowed && surely >= limit.max) wrong.push(`seed ${seed}: request ${request} passed above the limit`)
        if (!allowed && perhaps < limit.max) wrong.push(`seed ${seed}: request ${request} was refused below it`)
        if (resetSeconds !== 1) wrong.push(`seed ${seed}: reset in ${resetSeconds} s of a window of 0.4 s`)
        if (!allowed) continue
        sent.pass(from)
        answered.pass(to)
      }
    }),
  )
  expect(wrong).toEqual([])
}, 180_000)

test('what one process refunds another may use', async () => {
  const [one, other] = [await connect(), await connect()]
  const limit = limitOf(2, 60_000)
  await one.bucket.giveBack(limit, 'k')
  for (const { bucket } of [one, other]) expect((await bucket.take(limit, 'k')).allowed).toBe(true)
  expect((await other.bucket.take(limit, 'k')).allowed).toBe(false)
  await one.bucket.giveBack(limit, 'k')
  expect(await other.bucket.used(limit, 'k')).toBe(1)
  expect(await other.bucket.take(limit, 'k')).toMatchObject({ allowed: true, remaining: 0 })
  for (let given = 0; given < 3; given += 1) await one.bucket.giveBack(limit, 'k')
  expect(await other.bucket.take(limit, 'k')).toMatchObject({ allowed: true, remaining: 1 })
})

test('an answer that came in time counts, even if the process was too busy to read it', async () => {
  const { bucket, logged } = await connect()
  const limit = limitOf(5, 60_000)
  const taking = Array.from({ length: 4 }, () => bucket.take(limit, 'k'))
  // Blocks the process for longer than the timeout, after they were sent.
  hold(600)
  const taken = (await Promise.all(taking)).map(({ remaining }) => remaining)
  expect(taken).toEqual([4, 3, 2, 1])
  // In memory this would be the first.
  expect((await bucket.take(limit, 'k')).remaining).toBe(0)
  expect(logged).toEqual([])
})

function hold(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('retryAfterSeconds is exact: after that time one request passes, and no more', async () => {
  const { bucket } = await connect()
  // Two seconds of tolerance for a busy machine, before the refusal and after the wait.
  const limit = limitOf(3, 4_000)
  const take = () => bucket.take(limit, 'k')
  // Never longer than the window, even at its very beginning.
  expect((await take()).resetSeconds).toBe(4)
  await Bun.sleep(2_000)
  await take()
  await take()
  const refused = await take()
  expect([refused.allowed, refused.remaining]).toEqual([false, 0])
  await Bun.sleep(refused.resetSeconds * 1000)
  expect([(await take()).allowed, (await take()).allowed]).toEqual([true, false])
})

test('of fifty simultaneous requests to two processes with a limit of twenty, exactly twenty pass', async () => {
  const [one, other] = [await connect(), await connect()]
  for (let round = 0; round < 10; round += 1) {
    const limit = limitOf(20, 60_000)
    const takes = Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? one : other).bucket.take(limit, 'k'))
    const passed = (await Promise.all(takes)).filter(({ allowed }) => allowed)
    expect(passed).toHaveLength(20)
    expect(passed.map(({ remaining }) => remaining).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, n) => n),
    )
  }
})

test('nothing in Redis contains an address, and everything there expires', async () => {
  const { bucket } = await connect()
  await bucket.take(limitOf(5, 60_000), '192.0.2.77')
  const client = new Bun.RedisClient(redis.url)
  const keys = (await client.send('KEYS', ['*'])) as string[]
  expect(keys.length).toBeGreaterThan(0)
  expect(keys.filter((key) => key.includes('192.0.2'))).toEqual([])
  const left = await Promise.all(keys.map((key) => client.send('PTTL', [key]) as Promise<number>))
  expect(left.filter((ms) => ms < 0)).toEqual([])
  client.close()
})

test('while Redis is down the memory limits apply, with one warning; it recovers by itself', async () => {
  const { bucket, logged } = await connect()
  const limit = limitOf(3, 600_000)
  const passes = async (count: number) => {
    const decisions: Decision[] = []
    for (let sent = 0; sent < count; sent += 1) decisions.push(await bucket.take(limit, 'k'))
    return decisions.filter(({ allowed }) => allowed).length
  }
  expect(await passes(5)).toBe(3)
  await redis.kill()
  // The memory bucket has seen none of them.
  expect(await passes(10)).toBe(3)
  expect(logged).toEqual(['Redis is down: limits are counted in memory, separately in each process'])
  await redis.restart()
  while (logged.length === 1) {
    await passes(1)
    await Bun.sleep(50)
  }
  expect(logged.slice(1)).toEqual(['Redis is back: limits are shared again'])
  // A new Redis that has seen one.
  expect(await passes(5)).toBe(2)
}, 180_000)

test('a connected but silent Redis counts as down: the memory limits apply, exactly and with one warning', async () => {
  const { bucket, logged } = await connect()
  const limit = limitOf(20, 600_000)
  const fifty = () => Promise.all(Array.from({ length: 50 }, () => bucket.take(limit, 'k')))
  await redis.freeze()
  const decisions = await fifty().finally(() => redis.thaw())
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(20)
  expect(logged).toEqual(['Redis is down: limits are counted in memory, separately in each process'])
  while (logged.length === 1) {
    await bucket.take(limitOf(1, 1000), 'k')
    await Bun.sleep(50)
  }
  expect(logged.slice(1)).toEqual(['Redis is back: limits are shared again'])
}, 180_000)

test('every process reports the same usage, and asking is no request', async () => {
  const [one, other] = [await connect(), await connect()]
  const limit = limitOf(3, 600_000)
  expect(await one.bucket.used(limit, 'k')).toBe(0)
  await one.bucket.take(limit, 'k')
  await other.bucket.take(limit, 'k')
  for (let asked = 0; asked < 5; asked += 1) expect(await other.bucket.used(limit, 'k')).toBe(2)
  expect(await one.bucket.take(limit, 'k')).toMatchObject({ allowed: true, remaining: 0 })
  const brief = limitOf(3, 1_000)
  await one.bucket.take(brief, 'k')
  await becomes(() => other.bucket.used(brief, 'k'), 0)
  expect([...one.logged, ...other.logged]).toEqual([])
})
