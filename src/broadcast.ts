import { Redis, type RedisOptions } from 'ioredis'
import { inTime } from '../db/in-time.ts'
import { keyedHash } from './core/secrets.ts'

/** Longest that a message may delay an answer. Processes that miss it still notice by reading the store. */
const TELL_WITHIN_MS = 250

const CONNECTION: RedisOptions = {
  connectTimeout: 2_000,
  lazyConnect: true,
  retryStrategy: (tries) => Math.min(tries * 100, 2_000),
}

/**
 * Publish and subscribe between processes, over Redis. Messages carry no data: receivers read the store. A message sent
 * while Redis is down is lost, so nothing may depend on one arriving.
 */
export class Broadcast {
  readonly #hearing: Redis
  readonly #telling: Redis

  private constructor(
    url: string,
    readonly secret: string,
  ) {
    this.#hearing = new Redis(url, { ...CONNECTION, maxRetriesPerRequest: null })
    this.#telling = new Redis(url, { ...CONNECTION, enableOfflineQueue: false, maxRetriesPerRequest: 0 })
    // An unhandled error event would end the process. The client reconnects by itself, and limits/redis.ts logs the
    // outage.
    for (const connection of [this.#hearing, this.#telling]) connection.on('error', () => {})
  }

  /**
   * Resolves once subscribed, or after at most two seconds if Redis is down; then the subscription starts when it is
   * back.
   * @param heard what to call for each topic, whichever process sent it.
   */
  static async open(url: string, secret: string, heard: Readonly<Record<string, () => void>>): Promise<Broadcast> {
    const broadcast = new Broadcast(url, secret)
    const topics = new Map(Object.entries(heard).map(([topic, hear]) => [broadcast.#channel(topic), hear]))
    const hearing = broadcast.#hearing
    hearing.on('message', (channel: string) => topics.get(channel)?.())
    const isAway = new Promise((resolve) => hearing.once('error', resolve))
    // Rejects if the service stops before Redis answers.
    const subscribed = hearing.subscribe(...topics.keys()).catch(() => {})
    await Promise.all([Promise.race([subscribed, isAway]), broadcast.#telling.connect().catch(() => {})])
    return broadcast
  }

  /** Sends a topic to every process. Resolves when Redis has taken it, or when it has not answered in time. */
  async tell(topic: string): Promise<void> {
    await inTime(this.#telling.publish(this.#channel(topic), ''), TELL_WITHIN_MS).catch(() => {})
  }

  close(): void {
    this.#hearing.disconnect()
    this.#telling.disconnect()
  }

  /** Several deployments may share one Redis. */
  #channel(topic: string): string {
    return `openall:${topic}:${keyedHash(this.secret, 'notices', topic)}`
  }
}
