import { Worker } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { IdleHelper, threadHelper } from '../../../src/core/idle-helper.ts'
import { type PictureWords, pictureName, pictureSvg } from '../parts/picture.ts'
import type { Drawn } from './picture-worker.ts'

const MAX_BYTES = 16 * 2 ** 20
/** Assumed size in bytes while a picture is rendered. */
const USUAL_BYTES = 64 * 1024
/** Only guards against hanging: the texts are bounded. */
const PATIENCE_MS = 30_000
/** Maximum queue length; beyond it no picture is rendered, so that views stay fast. */
const MAX_WAITING = 20
/** Maximum for one client, so that no client keeps the queue full. */
const MAX_WAITING_EACH = 4

type Png = Uint8Array<ArrayBuffer>

/** Preview pictures of links, cached. They are rendered one at a time on a separate thread, which ends when idle. */
export class Pictures {
  readonly #cache = new LRUCache<string, Promise<Png | null>>({ max: 2000, maxSize: MAX_BYTES })
  readonly #thread = new IdleHelper<string, Drawn>(
    () => threadHelper(new Worker(new URL('./picture-worker.ts', import.meta.url))),
    PATIENCE_MS,
  )

  constructor(readonly log: Logger) {}

  /**
   * The picture as PNG; null if rendering fails, or if the queue is full.
   * @param client whose request it is, by its rate-limit key.
   */
  png(words: PictureWords, client: string): Promise<Png | null> {
    const name = pictureName(words)
    const cached = this.#cache.get(name)
    if (cached !== undefined) return cached
    const own = this.#thread.countOf(client)
    if (this.#thread.waiting >= MAX_WAITING || own >= MAX_WAITING_EACH) return Promise.resolve(null)
    const made = this.#make(words, client)
    this.#cache.set(name, made, { size: USUAL_BYTES })
    void made.then((png) => {
      if (png === null) this.#cache.delete(name)
      // Deleted first, because setting an existing value would not update its size.
      else if (this.#cache.delete(name)) this.#cache.set(name, made, { size: png.byteLength })
    })
    return made
  }

  async #make(words: PictureWords, client: string): Promise<Png | null> {
    const drawn = await this.#thread.ask(pictureSvg(words), client)
    if ('png' in drawn) return drawn.png
    this.log.warn({ err: drawn.failure }, 'a preview picture could not be rendered')
    return null
  }
}
