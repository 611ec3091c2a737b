import { Buffer } from 'node:buffer'
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { fingerprint } from '../core/hash.ts'
import { IdleHelper, processHelper } from '../core/idle-helper.ts'
import type { Redrawn } from './draw-process.ts'
import type { SiteIcon } from './site.ts'

/** How many icons may wait, and of one account: what comes then has none for now. */
const MAX_WAITING = 200
const MAX_WAITING_EACH = 100
/** What is allowed takes a second at most, and many times as long on a busy machine. */
const PATIENCE_MS = 10_000

/** The argument with which the service’s program draws icons. */
export const DRAW_ICONS = 'draw-icons'

/** An icon that was drawn anew. */
export interface Drawn extends SiteIcon {
  png: Buffer
}

/** Draws icons anew, one at a time in a process of its own: nothing of a file but its picture is left. */
export class Drawing {
  readonly #process = new IdleHelper<string, Redrawn>(
    () => processHelper(fork(fileURLToPath(new URL('../main.ts', import.meta.url)), [DRAW_ICONS], { stdio: STDIO })),
    PATIENCE_MS,
  )

  /**
   * @param whose for which account; they take turns.
   * @returns null for files that are no pictures, or none that may be drawn; `costly` for one that has taken too long;
   *   undefined if too many wait, or nothing is drawn now.
   */
  async draw(bytes: Buffer, whose: string): Promise<Drawn | null | 'costly' | undefined> {
    if (this.#process.waiting >= MAX_WAITING || this.#process.countOf(whose) >= MAX_WAITING_EACH) return undefined
    const redrawn = await this.#process.ask(bytes.toString('base64'), whose)
    if ('failure' in redrawn)
      return redrawn.cause === undefined ? null : redrawn.cause === 'time' ? 'costly' : undefined
    if (redrawn.png === null) return null
    const png = Buffer.from(redrawn.png, 'base64')
    return { id: fingerprint(png), png, tone: redrawn.tone }
  }

  /** Ends the process. */
  stop(): void {
    this.#process.stop()
  }
}

/** Messages are all that goes to and from it. */
const STDIO: ('ignore' | 'ipc')[] = ['ignore', 'ignore', 'ignore', 'ipc']
