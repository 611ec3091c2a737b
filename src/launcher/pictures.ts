import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { Logger } from 'pino'
import { type PictureWords, pictureName, pictureSvg } from '../../views/launcher/picture.ts'
import { lazy } from '../core/lazy.ts'

const MAX_BYTES = 16 * 2 ** 20
/** Assumed size while a picture is rendered. */
const USUAL_BYTES = 64 * 1024
/** Maximum queue; past it no picture is rendered, so that views stay fast. */
const MAX_WAITING = 20
/** Maximum for one client, so that nobody can keep the queue full. */
const MAX_WAITING_EACH = 4

type Png = Uint8Array<ArrayBuffer>

/**
 * Preview pictures of links. Rendered one at a time on a worker thread, and cached; the renderer is loaded with the
 * first.
 */
export class Pictures {
  readonly #cache = new LRUCache<string, Promise<Png | null>>({ max: 2000, maxSize: MAX_BYTES })
  readonly #turns = pLimit(1)
  /** How many pictures each client waits for. */
  readonly #waiting = new Map<string, number>()
  readonly #render = lazy(loadRenderer)

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
      else if (this.#cache.has(name)) this.#cache.set(name, made, { size: png.byteLength })
    })
    return made
  }

  async #make(words: PictureWords): Promise<Png | null> {
    try {
      const render = await this.#render()
      return await render(pictureSvg(words))
    } catch (error) {
      this.log.warn({ err: error }, 'a preview picture could not be rendered')
      return null
    }
  }
}

async function loadRenderer(): Promise<(svg: string) => Promise<Png>> {
  const [{ renderAsync }, { fileURLToPath }] = await Promise.all([import('@resvg/resvg-js'), import('node:url')])
  const fontFiles = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'].map((file) =>
    fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${file}`)),
  )
  const font = { loadSystemFonts: false, fontFiles, defaultFontFamily: 'DejaVu Sans' }
  // Copied out of native memory.
  return async (svg) => new Uint8Array((await renderAsync(svg, { font })).asPng())
}
