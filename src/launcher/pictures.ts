import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { Logger } from 'pino'
import { type PictureWords, pictureName, pictureSvg } from '../../views/launcher/picture.ts'
import { lazy } from '../core/lazy.ts'

const MAX_BYTES = 16 * 2 ** 20
/** What a picture is taken for while it is made. */
const USUAL_BYTES = 64 * 1024
/** How many pictures may wait for their turn: whoever asks for more gets none, and views go on. */
const MAX_WAITING = 20

type Png = Uint8Array<ArrayBuffer>

/**
 * The pictures of shared links. Each is made once, outside the event loop's thread and one at a time, and kept; what
 * makes them is loaded with the first.
 */
export class Pictures {
  readonly #kept = new LRUCache<string, Promise<Png | null>>({ max: 2000, maxSize: MAX_BYTES })
  readonly #turns = pLimit(1)
  readonly #render = lazy(loadRenderer)

  constructor(readonly log: Logger) {}

  /** The picture as PNG; null where too many wait, or where this machine cannot make any. */
  png(words: PictureWords): Promise<Png | null> {
    const name = pictureName(words)
    const kept = this.#kept.get(name)
    if (kept !== undefined) return kept
    if (this.#turns.pendingCount >= MAX_WAITING) return Promise.resolve(null)
    const made = this.#turns(() => this.#make(words))
    this.#kept.set(name, made, { size: USUAL_BYTES })
    void made.then((png) => {
      if (png === null) this.#kept.delete(name)
      else if (this.#kept.has(name)) this.#kept.set(name, made, { size: png.byteLength })
    })
    return made
  }

  async #make(words: PictureWords): Promise<Png | null> {
    try {
      const render = await this.#render()
      return await render(pictureSvg(words))
    } catch (error) {
      this.log.warn({ err: error }, 'the picture of a link could not be made')
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
  // Copied out of the native part's memory.
  return async (svg) => Uint8Array.from((await renderAsync(svg, { font })).asPng())
}
