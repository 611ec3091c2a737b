import { Buffer } from 'node:buffer'
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Helper, IdleHelper, processHelper } from '../core/idle-helper.ts'
import { fingerprint } from '../core/secrets.ts'
import type { Drawable, Redrawn } from './draw-process.ts'
import type { SiteIcon } from './site.ts'

/** How many pictures may wait, in total and for one account; further ones are refused for now. */
const MAX_WAITING = 200
const MAX_WAITING_EACH = 100
/** The time limit for one picture: an allowed one takes at most a second, and many times as long on a busy machine. */
const PATIENCE_MS = 10_000

/** The argument that makes the service’s program draw icons, and preview pictures. */
export const DRAW_ICONS = 'draw-icons'
export const DRAW_PICTURES = 'draw-pictures'

/** A redrawn icon. */
export interface Drawn extends SiteIcon {
  png: Buffer
}

declare module '../core/service.ts' {
  interface Service {
    /** Redraws pictures that people send: they do not wait for the icons of sites. */
    pictures: Pick<Drawing, 'draw'>
  }
}

/** Redraws pictures, one at a time in a separate process, so that only what is seen of a file remains. */
export class Drawing {
  readonly #process = new IdleHelper<string, Redrawn>(() => drawingProcess(DRAW_ICONS), PATIENCE_MS)

  constructor(readonly kind: Drawable) {}

  /**
   * Redraws a picture.
   * @param whose the account for which it is drawn; accounts take turns.
   * @returns null for files that are no pictures or may not be drawn; `costly` for one that has taken too long; `no turn` if
   *   too many wait; `not drawn` if the process cannot be started, or is stopped.
   */
  async draw(bytes: Buffer, whose: string): Promise<Drawn | null | 'costly' | 'no turn' | 'not drawn'> {
    if (this.#process.waiting >= MAX_WAITING || this.#process.countOf(whose) >= MAX_WAITING_EACH) return 'no turn'
    const redrawn = await this.#process.ask(`${this.kind} ${bytes.toString('base64')}`, whose)
    if ('failure' in redrawn)
      return redrawn.cause === undefined ? null : redrawn.cause === 'time' ? 'costly' : 'not drawn'
    if (redrawn.png === null) return null
    const png = Buffer.from(redrawn.png, 'base64')
    return { id: fingerprint(png), png, tone: redrawn.tone }
  }

  /** Ends the process. */
  stop(): void {
    this.#process.stop()
  }
}

/** Starts a process that draws: it can be ended whatever it does, and its memory is freed with it. */
export function drawingProcess(what: typeof DRAW_ICONS | typeof DRAW_PICTURES): Helper<string> {
  return processHelper(
    fork(fileURLToPath(new URL('../main.ts', import.meta.url)), [what], { stdio: STDIO, env: environment() }),
  )
}

/** The process communicates only by messages. */
const STDIO: ('ignore' | 'ipc')[] = ['ignore', 'ignore', 'ignore', 'ipc']

/** The environment variables of the process. What it draws may be hostile, so it gets no secret of the service. */
const NEEDED = ['PATH', 'HOME', 'TMPDIR', 'LD_LIBRARY_PATH', 'DENO_DIR', 'DENO_NO_UPDATE_CHECK']

function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(NEEDED.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}
