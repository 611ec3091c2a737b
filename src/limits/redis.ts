import { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { withTimeout } from '../../db/timeout.ts'
import { keyedHash } from '../core/secrets.ts'
import { type Bucket, type Decision, type Limit, STEPS } from './rate-limits.ts'

/** Redis must answer within this time; past it, the fallback counts. */
const TIMEOUT_MS = 250
/** The same for an operator’s check, which may take longer. */
const REACH_MS = 3_000

/**
 * The algorithm of `MemoryBucket` as one atomic script on the server’s clock, in whole microseconds: a list of `time:count`,
 * oldest first, and their total. Only the ends of the list are touched, so the cost does not depend on the limit.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local max, window, step = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local total = tonumber(redis.call('GET', KEYS[2]) or '0')
local oldest = nil
while true do
  local head = redis.call('LINDEX', KEYS[1], 0)
  if not head then total = 0 break end
  local at, count = string.match(head, '^(%d+):(%d+)$')
  oldest = tonumber(at)
  if now - oldest < window then break end
  redis.call('LPOP', KEYS[1])
  total = total - tonumber(count)
  oldest = nil
end
local allowed = total < max
if allowed then
  local tail = redis.call('LINDEX', KEYS[1], -1)
  local at, count = nil, nil
  if tail then at, count = string.match(tail, '^(%d+):(%d+)$') end
  if at and math.floor(tonumber(at) / step) >= math.floor(now / step) then
    local latest = math.max(tonumber(at), now)
    redis.call('LSET', KEYS[1], -1, string.format('%.0f:%d', latest, tonumber(count) + 1))
    if redis.call('LLEN', KEYS[1]) == 1 then oldest = latest end
  else
    redis.call('RPUSH', KEYS[1], string.format('%.0f:1', now))
  end
  total = total + 1
  oldest = oldest or now
end
local ttl = math.ceil((window + step) / 1000)
redis.call('PEXPIRE', KEYS[1], ttl)
redis.call('SET', KEYS[2], total, 'PX', ttl)
return { allowed and 1 or 0, math.max(0, max - total), math.min(window, window - now + (oldest or now)) }
`

/** The current count, without changing the list. */
const USED = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local used = 0
for _, entry in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  local at, count = string.match(entry, '^(%d+):(%d+)$')
  if now - tonumber(at) < tonumber(ARGV[1]) then used = used + tonumber(count) end
end
return used
`

/** Takes one request off the end of the list. */
const GIVE_BACK = `
local tail = redis.call('LINDEX', KEYS[1], -1)
if not tail then return 0 end
local at, count = string.match(tail, '^(%d+):(%d+)$')
if tonumber(count) > 1 then
  redis.call('LSET', KEYS[1], -1, at .. ':' .. (tonumber(count) - 1))
else
  redis.call('RPOP', KEYS[1])
end
if redis.call('EXISTS', KEYS[2]) == 1 then redis.call('DECR', KEYS[2]) end
return 1
`

/** The scripts as methods of the client. */
type Scripts = Redis & {
  take(...args: (string | number)[]): Promise<[number, number, number]>
  used(...args: (string | number)[]): Promise<number>
  giveBack(...args: (string | number)[]): Promise<number>
}

/**
 * Counts in Redis or Valkey, shared by all processes and across restarts. While it is down, `fallback` counts; an outage
 * is logged once.
 */
export class RedisBucket implements Bucket {
  readonly #redis: Redis
  #isDown = false
  /** Timeouts and errors. */
  failures = 0

  private constructor(
    url: string,
    readonly secret: string,
    readonly fallback: Bucket,
    readonly log: Logger,
  ) {
    this.#redis = new Redis(url, {
      connectTimeout: 2_000,
      enableOfflineQueue: false,
      lazyConnect: true,
      maxRetriesPerRequest: 0,
      retryStrategy: (tries) => Math.min(tries * 100, 2_000),
      scripts: {
        take: { lua: TAKE, numberOfKeys: 2 },
        used: { lua: USED, numberOfKeys: 1 },
        giveBack: { lua: GIVE_BACK, numberOfKeys: 2 },
      },
    })
    // An unhandled error event would end the process. `take` logs the outage.
    this.#redis.on('error', () => {})
  }

  /**
   * Waits until Redis answers, for at most two seconds, because earlier requests would be counted in memory, separately
   * in each process.
   */
  static async connect(url: string, secret: string, fallback: Bucket, log: Logger): Promise<RedisBucket> {
    const bucket = new RedisBucket(url, secret, fallback, log)
    await bucket.#redis.connect().catch((error) => bucket.#record(true, error))
    return bucket
  }

  take(limit: Limit, key: string): Promise<Decision> {
    const id = this.#id(limit, key)
    const window = limit.windowMs * 1000
    return this.#attempt(
      async (redis) => {
        const counted = await redis.take(`${id}:times`, `${id}:counted`, limit.max, window, window / STEPS)
        const [allowed, remaining, wait] = counted
        return { allowed: allowed === 1, remaining, resetSeconds: Math.max(1, Math.ceil(wait / 1_000_000)) }
      },
      () => this.fallback.take(limit, key),
    )
  }

  used(limit: Limit, key: string): Promise<number> {
    return this.#attempt(
      (redis) => redis.used(`${this.#id(limit, key)}:times`, limit.windowMs * 1000),
      () => this.fallback.used(limit, key),
    )
  }

  async giveBack(limit: Limit, key: string): Promise<void> {
    const id = this.#id(limit, key)
    await this.#attempt<unknown>(
      (redis) => redis.giveBack(`${id}:times`, `${id}:counted`),
      () => this.fallback.giveBack(limit, key),
    )
  }

  /** The answer from Redis; from the fallback if Redis fails or is late. */
  async #attempt<T>(run: (redis: Scripts) => Promise<T>, fallback: () => T | Promise<T>): Promise<T> {
    try {
      const answer = await withTimeout(run(this.#redis as Scripts), TIMEOUT_MS)
      this.#record(false)
      return answer
    } catch (error) {
      this.#record(true, error)
      return fallback()
    }
  }

  /** Hashed, so that addresses cannot be read from Redis. */
  #id({ name }: Limit, key: string): string {
    return `openall:{${name}:${keyedHash(this.secret, 'bucket', key)}}`
  }

  close(): void {
    this.#redis.disconnect()
  }

  /** Pings it, for at most a quarter of a second. */
  async isUp(): Promise<boolean> {
    await this.#attempt<unknown>(
      (redis) => redis.ping(),
      () => null,
    )
    return !this.#isDown
  }

  /** Records the result of a command, and logs a change. */
  #record(isDown: boolean, error?: unknown): void {
    if (isDown) this.failures += 1
    if (isDown === this.#isDown) return
    this.#isDown = isDown
    if (isDown) this.log.warn({ err: error }, 'Redis is down: limits are counted in memory, separately in each process')
    else this.log.info('Redis is back: limits are shared again')
  }
}

/**
 * Checks that a Redis server accepts commands, within a few seconds.
 * @throws its error or the network's, if not.
 */
export async function reachRedis(url: string): Promise<void> {
  const redis = new Redis(url, {
    connectTimeout: REACH_MS,
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  let failure: unknown
  redis.on('error', (error) => {
    failure = error
  })
  try {
    await withTimeout(
      redis.connect().then(() => redis.ping()),
      REACH_MS,
    )
  } catch (error) {
    // The promise says only that the connection is closed; the event says why.
    throw failure ?? error
  } finally {
    redis.disconnect()
  }
}
