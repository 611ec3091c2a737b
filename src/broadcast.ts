import { Redis, type RedisOptions } from 'ioredis'
import { inTime } from '../db/in-time.ts'
import { keyedHash } from './core/secrets.ts'

/** Telling may keep an answer this long; who was not told finds out by reading. */
const TELL_WITHIN_MS = 250

const CONNECTION: RedisOptions = {
  connectTimeout: 2_000,
  lazyConnect: true,
  retryStrategy: (tries) => Math.min(tries * 100, 2_000),
}

/**
 * What one process of the service has the others know at once, by Redis: publish and subscribe. A message holds nothing,
 * for whoever hears it asks the store. One that is sent while Redis is away is lost, so nobody may rely on it alone.
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
    // Without a listener a lost connection would end the process; it comes back by itself, and limits tell of it in the log.
    for (const connection of [this.#hearing, this.#telling]) connection.on('error', () => {})
  }

  /**
   * Resolves once messages are heard, or at most two seconds later without Redis, which is heard when it is back.
   * @param heard is called for each topic that is told, by another process or this one.
   */
  static async open(url: string, secret: string, heard: Readonly<Record<string, () => void>>): Promise<Broadcast> {
    const broadcast = new Broadcast(url, secret)
    const topics = new Map(Object.entries(heard).map(([topic, hear]) => [broadcast.#channel(topic), hear]))
    const hearing = broadcast.#hearing
    hearing.on('message', (channel: string) => topics.get(channel)?.())
    const isAway = new Promise((resolve) => hearing.once('error', resolve))
    // Rejects where the service ends before Redis has answered.
    const subscribed = hearing.subscribe(...topics.keys()).catch(() => {})
    await Promise.all([Promise.race([subscribed, isAway]), broadcast.#telling.connect().catch(() => {})])
    return broadcast
  }

  /** Tells every process that hears; resolves when Redis has passed it on, or without that where it does not answer. */
  async tell(topic: string): Promise<void> {
    await inTime(this.#telling.publish(this.#channel(topic), ''), TELL_WITHIN_MS).catch(() => {})
  }

  close(): void {
    this.#hearing.disconnect()
    this.#telling.disconnect()
  }

  /** Several services may share a Redis. */
  #channel(topic: string): string {
    return `openall:${topic}:${keyedHash(this.secret, 'notices', topic)}`
  }
}
