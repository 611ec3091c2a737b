import { LRUCache } from 'lru-cache'

/** The window is counted in this many steps, so a key costs at most this many entries whatever its limit. */
const STEPS = 1000
/** Past this many keys the one unused for longest is forgotten. */
const MAX_KEYS = 100_000

/** What a bucket says of one request. */
export interface Decision {
  allowed: boolean
  /** Whole seconds, at least 1, after which one request passes; only when refused. */
  retryAfterSeconds?: number
}

interface Steps {
  /** Step numbers and how many passed in each, oldest first. */
  at: number[]
  count: number[]
  total: number
}

/**
 * A sliding window per key: at most `max` pass in any window (spec 8). A request that passed stays counted
 * until the end of its step has left the window, so the answer errs only towards refusing, by at most a
 * thousandth of the window. Refused requests are not counted. The clock is monotonic.
 */
export class MemoryBucket {
  readonly #keys = new LRUCache<string, Steps>({ max: MAX_KEYS })
  readonly #stepMs: number

  constructor(
    readonly max: number,
    windowMs: number,
    readonly now: () => number = () => performance.now(),
  ) {
    this.#stepMs = windowMs / STEPS
  }

  take(key: string): Decision {
    const now = this.now()
    const step = Math.floor(now / this.#stepMs)
    let steps = this.#keys.get(key)
    if (steps === undefined) this.#keys.set(key, (steps = { at: [], count: [], total: 0 }))
    dropUntil(steps, step - STEPS - 1)
    if (steps.total >= this.max) {
      const oldest = steps.at[0] ?? step
      const freeAt = (oldest + STEPS + 2) * this.#stepMs
      return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((freeAt - now) / 1000)) }
    }
    if (steps.at.at(-1) === step) steps.count[steps.count.length - 1]! += 1
    else {
      steps.at.push(step)
      steps.count.push(1)
    }
    steps.total += 1
    return { allowed: true }
  }
}

function dropUntil(steps: Steps, last: number): void {
  let gone = 0
  while (gone < steps.at.length && steps.at[gone]! <= last) steps.total -= steps.count[gone++]!
  if (gone === 0) return
  steps.at.splice(0, gone)
  steps.count.splice(0, gone)
}
