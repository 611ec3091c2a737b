import { Buffer } from 'node:buffer'
import { LRUCache } from 'lru-cache'
import { IdleHelper } from '../../../src/core/idle-helper.ts'
import type { Service } from '../../../src/core/service.ts'
import { DRAW_PICTURES, drawingProcess } from '../../../src/icons/drawing.ts'
import { iconPng } from '../../../src/icons/kept.ts'
import { isOpenToAll } from '../../../src/launcher/access.ts'
import { findLauncher } from '../../../src/launcher/seen.ts'
import { publicBundle } from '../../../src/launcher/served.ts'
import { picturePng } from '../../../src/start-page/pictures.ts'
import { markDrawing } from '../../parts/icons.tsx'
import { PICTURE, type PictureWords, pictureName, pictureWords } from '../parts/picture.ts'
import { ChangedBundles } from './changed-bundles.ts'
import type { Card } from './picture-card.ts'
import type { DrawnPicture } from './picture-process.ts'

const MAX_BYTES = 32 * 2 ** 20
/** The most bytes of pictures that were drawn for one account or client. */
const MAX_BYTES_EACH = 4 * 2 ** 20
/** The time limit for one picture: it takes half a second at most, and many times as long on a busy machine. */
const PATIENCE_MS = 15_000
/** Maximum queue length; beyond it no picture is drawn for those who ask. */
const MAX_WAITING = 20
/** Maximum for one client, so that no client keeps the queue full. */
const MAX_WAITING_EACH = 4

type Png = Uint8Array<ArrayBuffer>

interface Kept {
  png: Promise<Png | null>
  /** For whom it was drawn. */
  whose: string
  bytes: number
}

/**
 * Preview pictures of links. They are drawn one at a time in a process that ends when idle, and kept in memory by what they show:
 * whoever may not see a bundle never gets to its picture, and an edited bundle has another one.
 */
export class Pictures {
  readonly #bytesOf = new Map<string, number>()
  readonly #kept = new LRUCache<string, Kept>({
    max: 4000,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
    dispose: ({ whose, bytes }) => this.#count(whose, -bytes),
  })
  readonly #process = new IdleHelper<string, DrawnPicture>(() => drawingProcess(DRAW_PICTURES), PATIENCE_MS)
  readonly #changed: ChangedBundles

  constructor(readonly service: Service) {
    this.#changed = new ChangedBundles((slug) => this.#drawAhead(slug), service.log)
    if (service.config.picturesAhead) service.launchers.watch((slug) => this.#changed.add(slug))
    service.stopping.addEventListener('abort', () => this.#stop())
  }

  /**
   * The picture as PNG; null if drawing fails, or if the queue is full.
   * @param whose the client that asks, by its rate-limit key, or the account for which it is drawn ahead.
   */
  png(words: PictureWords, whose: string): Promise<Png | null> {
    const name = pictureName(words)
    const kept = this.#kept.get(name)
    if (kept !== undefined) return kept.png
    const own = this.#process.countOf(whose)
    if (this.#process.waiting >= MAX_WAITING || own >= MAX_WAITING_EACH) return Promise.resolve(null)
    const png = this.#draw(words, whose)
    this.#keep(name, { png, whose, bytes: PICTURE.bytes })
    void png.then((drawn) => {
      this.#kept.delete(name)
      if (drawn !== null) this.#keep(name, { png, whose, bytes: drawn.byteLength })
    })
    return png
  }

  #stop(): void {
    this.#changed.stop()
    this.#process.stop()
  }

  #keep(name: string, kept: Kept): void {
    this.#kept.set(name, kept)
    this.#count(kept.whose, kept.bytes)
    if (!this.#isFull(kept.whose)) return
    // The oldest of the same account or client make room.
    for (const other of [...this.#kept.rkeys()]) {
      if (!this.#isFull(kept.whose)) return
      if (other !== name && this.#kept.peek(other)?.whose === kept.whose) this.#kept.delete(other)
    }
  }

  #isFull(whose: string): boolean {
    return (this.#bytesOf.get(whose) ?? 0) > MAX_BYTES_EACH
  }

  #count(whose: string, bytes: number): void {
    const sum = (this.#bytesOf.get(whose) ?? 0) + bytes
    if (sum > 0) this.#bytesOf.set(whose, sum)
    else this.#bytesOf.delete(whose)
  }

  async #draw(words: PictureWords, whose: string): Promise<Png | null> {
    const { store, log } = this.service
    const card: Card = { ...words, icons: await iconsFor(words, store), mark: markDrawing() }
    const drawn = await this.#process.ask(JSON.stringify(card), whose)
    if ('png' in drawn) {
      log.debug({ whose }, 'a preview picture was drawn')
      return new Uint8Array(Buffer.from(drawn.png, 'base64'))
    }
    if (drawn.cause !== 'stop') log.warn({ err: drawn.failure }, 'a preview picture could not be drawn')
    return null
  }

  /** Draws the picture of a changed bundle before somebody asks, if anybody may see it. */
  async #drawAhead(slug: string): Promise<void> {
    const { service } = this
    const launcher = await findLauncher(slug, service)
    if (launcher === null || (launcher.gate !== null && !isOpenToAll(launcher.gate, Date.now()))) return
    const bundle = await service.launchers.bundleOf(launcher)
    if (bundle === null) return
    const owner = `owner ${bundle.ownerId}`
    if (!this.#changed.mayDraw(owner)) return
    await this.png(pictureWords(service.config.name, publicBundle(null, bundle)), owner)
  }
}

/** The icons of the tiles that are drawn, and the picture of the owner, by id. */
async function iconsFor({ tiles, owner }: PictureWords, store: Service['store']): Promise<Record<string, string>> {
  const ids = new Set(tiles.slice(0, PICTURE.tiles).flatMap(({ icon }) => icon?.id ?? []))
  const read = async (id: string, from: typeof iconPng) => [id, (await from(store, id))?.toString('base64')] as const
  const icons = await Promise.all([
    ...Array.from(ids, (id) => read(id, iconPng)),
    ...(owner?.pictureId == null ? [] : [read(owner.pictureId, picturePng)]),
  ])
  return Object.fromEntries(icons.flatMap(([id, png]) => (png === undefined ? [] : [[id, png]])))
}
