import { Redis, type RedisOptions } from 'ioredis'
import { withTimeout } from '../../db/timeout.ts'
import { keyedHash } from '../core/secrets.ts'

/** The longest that a message may delay an answer. Processes that miss it still notice the change in the store. */
const PUBLISH_TIMEOUT_MS = 250

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
  readonly #subscriber: Redis
  readonly #publisher: Redis

  private constructor(
    url: string,
    readonly secret: string,
  ) {
    this.#subscriber = new Redis(url, { ...CONNECTION, maxRetriesPerRequest: null })
    this.#publisher = new Redis(url, { ...CONNECTION, enableOfflineQueue: false, maxRetriesPerRequest: 0 })
    // An unhandled error event would end the process. The client reconnects by itself, and limits/redis.ts logs the
    // outage.
    for (const connection of [this.#subscriber, this.#publisher]) connection.on('error', () => {})
  }

  /**
   * Resolves once subscribed, or after at most two seconds if Redis is down; it then subscribes when Redis is back.
   * @param handlers the callback of each topic, called for messages of any process, this one included.
   */
  static async open(url: string, secret: string, handlers: Readonly<Record<string, () => void>>): Promise<Broadcast> {
    const broadcast = new Broadcast(url, secret)
    const topics = new Map(Object.entries(handlers).map(([topic, handle]) => [broadcast.#channel(topic), handle]))
    const subscriber = broadcast.#subscriber
    subscriber.on('message', (channel: string) => topics.get(channel)?.())
    const failure = new Promise((resolve) => subscriber.once('error', resolve))
    // Rejects if the service stops before Redis answers.
    const subscribed = subscriber.subscribe(...topics.keys()).catch(() => {})
    await Promise.all([Promise.race([subscribed, failure]), broadcast.#publisher.connect().catch(() => {})])
    return broadcast
  }

  /** Publishes to every process. Resolves once Redis has accepted it, or after the timeout. */
  async publish(topic: string): Promise<void> {
    await withTimeout(this.#publisher.publish(this.#channel(topic), ''), PUBLISH_TIMEOUT_MS).catch(() => {})
  }

  close(): void {
    this.#subscriber.disconnect()
    this.#publisher.disconnect()
  }

  /** Several deployments may share one Redis. */
  #channel(topic: string): string {
    return `openall:${topic}:${keyedHash(this.secret, 'notices', topic)}`
  }
}
