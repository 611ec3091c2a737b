import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'

/** How long after the last of several edits a picture is drawn, and after the first of them at the latest. */
const REST_MS = 2_000
const LATEST_MS = 40_000
/** How many bundles may wait. Pictures of others are drawn when somebody asks for them. */
const MAX_WAITING = 100
/** How many pictures one owner has drawn ahead within a minute; those of an import are drawn when somebody asks. */
const MAX_EACH = 20
const MINUTE_MS = 60_000
const MAX_OWNERS = 10_000

/** Changed bundles, each handled once it has been at rest for a moment, one after another. */
export class ChangedBundles {
  readonly #since = new Map<string, { first: number; last: number }>()
  readonly #drawn = new LRUCache<string, { count: number }>({ max: MAX_OWNERS, ttl: MINUTE_MS })
  #timer: ReturnType<typeof setTimeout> | undefined
  #isStopped = false

  constructor(
    readonly handle: (slug: string) => Promise<void>,
    readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** Notes a change. */
  add(slug: string): void {
    const now = performance.now()
    const since = this.#since.get(slug)
    if (since !== undefined) since.last = now
    else if (this.#since.size < MAX_WAITING) this.#since.set(slug, { first: now, last: now })
    this.#wait()
  }

  /** Whether one more picture may be drawn ahead for an owner. */
  mayDraw(owner: string): boolean {
    const drawn = this.#drawn.get(owner)
    if (drawn === undefined) this.#drawn.set(owner, { count: 1 })
    else if (drawn.count >= MAX_EACH) return false
    else drawn.count += 1
    return true
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #wait(): void {
    if (this.#timer !== undefined || this.#since.size === 0 || this.#isStopped) return
    const due = [...this.#since.values()].map(({ first, last }) => Math.min(last + REST_MS, first + LATEST_MS))
    this.#timer = setTimeout(() => this.#run(), Math.max(Math.min(...due) - performance.now(), 0))
    this.#timer.unref()
  }

  async #run(): Promise<void> {
    const now = performance.now()
    for (const [slug, { first, last }] of [...this.#since]) {
      if (Math.min(last + REST_MS, first + LATEST_MS) > now) continue
      this.#since.delete(slug)
      // Blocked, or no longer there: it is drawn for whoever may ask.
      await this.handle(slug).catch((error) => this.log.warn({ err: error }, 'a picture could not be drawn ahead'))
      if (this.#isStopped) return
    }
    this.#timer = undefined
    this.#wait()
  }
}
