import { Worker } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { Logger } from 'pino'
import { type PictureWords, pictureName, pictureSvg } from '../../views/launcher/picture.ts'
import type { Drawn } from './picture-worker.ts'

const MAX_BYTES = 16 * 2 ** 20
/** Assumed size while a picture is rendered. */
const USUAL_BYTES = 64 * 1024
/** Maximum queue; past it no picture is rendered, so that views stay fast. */
const MAX_WAITING = 20
/** Maximum for one client, so that nobody can keep the queue full. */
const MAX_WAITING_EACH = 4
/** After this long without a picture, the thread ends, and its 50 MB of memory with it. */
const IDLE_MS = 10_000
/** Only guards against hanging. */
const PATIENCE_MS = 30_000

type Png = Uint8Array<ArrayBuffer>

/** Preview pictures of links. Rendered one at a time on a thread of their own, which ends when idle, and cached. */
export class Pictures {
  readonly #cache = new LRUCache<string, Promise<Png | null>>({ max: 2000, maxSize: MAX_BYTES })
  readonly #turns = pLimit(1)
  /** How many pictures each client waits for. */
  readonly #waiting = new Map<string, number>()
  #worker: Worker | null = null
  /** Takes the answer to the picture that is being drawn. */
  #answered: (drawn: Drawn) => void = () => {}
  #idle: ReturnType<typeof setTimeout> | undefined

  constructor(readonly log: Logger) {}

  /**
   * The picture as PNG; null if rendering fails, or if too many are waited for.
   * @param client whose request it is, as rate limits key it.
   */
  png(words: PictureWords, client: string): Promise<Png | null> {
    const name = pictureName(words)
    const cached = this.#cache.get(name)
    if (cached !== undefined) return cached
    const own = this.#waiting.get(client) ?? 0
    if (this.#turns.pendingCount >= MAX_WAITING || own >= MAX_WAITING_EACH) return Promise.resolve(null)
    this.#waiting.set(client, own + 1)
    const made = this.#turns(() => this.#make(words))
    this.#cache.set(name, made, { size: USUAL_BYTES })
    void made.then((png) => {
      const left = (this.#waiting.get(client) ?? 1) - 1
      if (left === 0) this.#waiting.delete(client)
      else this.#waiting.set(client, left)
      if (png === null) this.#cache.delete(name)
      // Setting the value that is there already would not weigh it again.
      else if (this.#cache.delete(name)) this.#cache.set(name, made, { size: png.byteLength })
    })
    return made
  }

  async #make(words: PictureWords): Promise<Png | null> {
    clearTimeout(this.#idle)
    try {
      return await this.#draw(pictureSvg(words))
    } catch (error) {
      this.log.warn({ err: error }, 'a preview picture could not be rendered')
      this.#end()
      return null
    } finally {
      this.#idle = setTimeout(() => this.#end(), IDLE_MS)
      this.#idle.unref()
    }
  }

  /** @throws if the thread does not answer in time. */
  #draw(svg: string): Promise<Png> {
    this.#worker ??= this.#start()
    const { promise, resolve, reject } = Promise.withResolvers<Png>()
    const timer = setTimeout(() => this.#answered({ failure: 'it took too long' }), PATIENCE_MS)
    this.#answered = (drawn) => {
      clearTimeout(timer)
      if ('png' in drawn) resolve(drawn.png)
      else reject(new Error(drawn.failure))
    }
    this.#worker.postMessage(svg)
    return promise
  }

  #start(): Worker {
    const worker = new Worker(new URL('./picture-worker.ts', import.meta.url))
    worker.on('message', (drawn: Drawn) => this.#answered(drawn))
    worker.on('error', (error) => this.#answered({ failure: String(error) }))
    // Shutdown does not wait for it.
    worker.unref()
    return worker
  }

  #end(): void {
    void this.#worker?.terminate()
    this.#worker = null
  }
}
