import { Buffer } from 'node:buffer'
import { Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import { fingerprint } from '../core/hash.ts'
import type { Picture, Redrawn } from './draw-worker.ts'
import { harmlessRaster } from './raster.ts'
import type { SiteIcon } from './site.ts'
import { harmlessSvg } from './svg.ts'

/** After this long without an icon, the thread ends, and its memory with it. */
const IDLE_MS = 10_000
/** Only guards against hanging: what could take long is refused before it is drawn. */
const PATIENCE_MS = 30_000
/** How many icons may wait; what comes then has none for now. */
const MAX_WAITING = 200

/** An icon that was drawn anew. */
export interface Drawn extends SiteIcon {
  png: Buffer
}

/** Draws icons anew, one at a time on a thread of its own: nothing of a file but its picture is left. */
export class Drawing {
  readonly #turns = pLimit(1)
  #worker: Worker | null = null
  /** Takes the answer to the icon that is being drawn. */
  #answered: (redrawn: Redrawn) => void = () => {}
  #idle: ReturnType<typeof setTimeout> | undefined

  /** @returns null for files that are no pictures, or none that may be drawn; undefined if too many wait. */
  async draw(bytes: Buffer): Promise<Drawn | null | undefined> {
    const picture = harmlessRaster(bytes) ?? harmlessSvg(bytes)
    if (picture === null) return null
    if (this.#turns.pendingCount >= MAX_WAITING) return undefined
    const redrawn = await this.#turns(() => this.#redraw(picture))
    if ('failure' in redrawn) return null
    const png = Buffer.from(redrawn.png)
    return { id: fingerprint(png), png, tone: redrawn.tone }
  }

  /** Ends the thread. */
  stop(): void {
    clearTimeout(this.#idle)
    void this.#worker?.terminate()
    this.#worker = null
    this.#answered({ failure: 'it was stopped' })
  }

  async #redraw(picture: Picture): Promise<Redrawn> {
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    const { promise, resolve } = Promise.withResolvers<Redrawn>()
    const timer = setTimeout(() => resolve({ failure: 'it took too long' }), PATIENCE_MS)
    this.#answered = resolve
    this.#worker.postMessage(picture)
    const redrawn = await promise
    clearTimeout(timer)
    // What a decoder has stumbled over may have left it in any state.
    if ('failure' in redrawn) this.stop()
    this.#idle = setTimeout(() => this.stop(), IDLE_MS)
    this.#idle.unref()
    return redrawn
  }

  #start(): Worker {
    const worker = new Worker(new URL('./draw-worker.ts', import.meta.url))
    worker.on('message', (redrawn: Redrawn) => this.#answered(redrawn))
    worker.on('error', (error) => this.#answered({ failure: String(error) }))
    // Shutdown does not wait for it.
    worker.unref()
    return worker
  }
}
