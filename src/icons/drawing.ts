import { Buffer } from 'node:buffer'
import { Worker } from 'node:worker_threads'
import { fingerprint } from '../core/hash.ts'
import { IdleThread } from '../core/idle-thread.ts'
import type { Picture, Redrawn } from './draw-worker.ts'
import { harmlessRaster } from './raster.ts'
import type { SiteIcon } from './site.ts'
import { harmlessSvg } from './svg.ts'

/** How many icons may wait; what comes then has none for now. */
const MAX_WAITING = 200

/** An icon that was drawn anew. */
export interface Drawn extends SiteIcon {
  png: Buffer
}

/** Draws icons anew, one at a time on a thread of its own: nothing of a file but its picture is left. */
export class Drawing {
  readonly #thread = new IdleThread<Picture, Redrawn>(() => new Worker(new URL('./draw-worker.ts', import.meta.url)))

  /** @returns null for files that are no pictures, or none that may be drawn; undefined if too many wait. */
  async draw(bytes: Buffer): Promise<Drawn | null | undefined> {
    const picture = harmlessRaster(bytes) ?? harmlessSvg(bytes)
    if (picture === null) return null
    if (this.#thread.waiting >= MAX_WAITING) return undefined
    const redrawn = await this.#thread.ask(picture)
    if ('failure' in redrawn) return null
    const png = Buffer.from(redrawn.png)
    return { id: fingerprint(png), png, tone: redrawn.tone }
  }

  /** Ends the thread. */
  stop(): void {
    this.#thread.stop()
  }
}
