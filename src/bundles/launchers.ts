import { gt, max } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { bundleChanges } from '../../db/schema.ts'
import { type Counter, newCounter } from '../insights/recorder.ts'
import { find, type PublicBundle } from './bundles.ts'

/** Pages are kept up to this many bytes; the one unused for longest goes first. */
const MAX_BYTES = 32 * 1024 * 1024
/** What an entry costs beside its pages: objects, keys and the list that orders them. */
const ENTRY_BYTES = 512
/** How often other processes' edits are looked for; an edit must show within a second (decisions 5). */
const POLL_MS = 500

/** How a page's bytes are encoded for the wire. */
export type Encoding = 'br' | 'gzip' | 'identity'

/** What is kept of a bundle that has been viewed: where its views are counted, and its finished pages. */
export interface Launcher {
  readonly counter: Counter
  /** Whole bodies, by encoding. */
  readonly pages: Partial<Record<Encoding, Uint8Array<ArrayBuffer>>>
}

/**
 * The launchers that were asked for lately, finished, so that a view neither reads nor renders. An edit in
 * this process drops its launcher at once, an edit in another within a second.
 */
export class Launchers {
  readonly #kept = new LRUCache<string, Launcher>({ maxSize: MAX_BYTES, sizeCalculation: bytes })
  /** Rises with every drop: what was read before a drop must not be kept after it. */
  #drops = 0
  #seen: number
  readonly #timer: ReturnType<typeof setInterval>

  private constructor(
    readonly store: Store,
    readonly log: Logger,
    seen: number,
  ) {
    this.#seen = seen
    let polling = false
    this.#timer = setInterval(async () => {
      if (polling) return
      polling = true
      await this.#poll().catch((error) => log.warn({ err: error }, 'edits of other processes could not be read'))
      polling = false
    }, POLL_MS)
  }

  static async start(store: Store, log: Logger): Promise<Launchers> {
    const [row] = await store.db.select({ last: max(bundleChanges.seq) }).from(bundleChanges)
    return new Launchers(store, log, row?.last ?? 0)
  }

  /** The launcher if it is kept; looks nothing up. */
  peek(slug: string): Launcher | undefined {
    return this.#kept.get(slug)
  }

  /**
   * Reads the bundle, and keeps its launcher with the page that `render` makes of it.
   * @returns null where no bundle is served under the slug.
   */
  async load(slug: string, render?: (bundle: PublicBundle) => Launcher['pages']): Promise<Launcher | null> {
    const drops = this.#drops
    const bundle = await find(this.store.db, slug)
    if (bundle === null) return null
    const before = this.#kept.get(slug)
    const launcher: Launcher = {
      counter: before?.counter ?? newCounter(bundle.id, ''),
      pages: { ...before?.pages, ...render?.(bundle) },
    }
    if (drops === this.#drops) this.#kept.set(slug, launcher)
    return launcher
  }

  /** Forgets a launcher whose bundle has been changed. */
  drop(slug: string): void {
    this.#drops += 1
    this.#kept.delete(slug)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #poll(): Promise<void> {
    const { db } = this.store
    const changes = await db
      .select()
      .from(bundleChanges)
      .where(gt(bundleChanges.seq, this.#seen))
      .orderBy(bundleChanges.seq)
    const last = changes.at(-1)
    if (last === undefined) return
    // A gap means that changes were swept while this process was stopped: which, nobody knows.
    const missed = changes[0]?.seq !== this.#seen + 1
    if (missed) this.#kept.clear()
    this.#drops += 1
    for (const { slug } of changes) this.#kept.delete(slug)
    this.#seen = last.seq
  }
}

function bytes({ pages }: Launcher): number {
  return Object.values(pages).reduce((sum, page) => sum + page.byteLength, ENTRY_BYTES)
}
