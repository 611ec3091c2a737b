import { type Bucket, type Decision, type Limit, STEPS, STEPS_UNTIL_FREE } from './bucket.ts'
import { StepsByKey } from './steps.ts'

/** Counts in memory, on a monotonic clock. */
export class MemoryBucket implements Bucket {
  readonly #limits = new Map<string, { keys: StepsByKey; windowMs: number }>()

  constructor(readonly now: () => number = () => performance.now()) {}

  take({ name, max, windowMs }: Limit, key: string): Decision {
    const now = this.now()
    const stepMs = windowMs / STEPS
    const step = stepAt(now, windowMs)
    let counted = this.#limits.get(name)
    if (counted === undefined) this.#limits.set(name, (counted = { keys: new StepsByKey(), windowMs }))
    const { keys } = counted
    const slot = keys.slotOf(key)
    keys.dropUntil(slot, step - STEPS - 1)
    const allowed = keys.total(slot) < max
    if (allowed) keys.add(slot, step)
    const freeAt = ((keys.oldest(slot) ?? step) + STEPS_UNTIL_FREE) * stepMs
    return {
      allowed,
      remaining: Math.max(0, max - keys.total(slot)),
      resetSeconds: Math.max(1, Math.ceil((freeAt - now) / 1000)),
    }
  }

  used({ name, windowMs }: Limit, key: string): number {
    const keys = this.#limits.get(name)?.keys
    const slot = keys?.knownSlot(key)
    if (keys === undefined || slot === undefined) return 0
    keys.dropUntil(slot, stepAt(this.now(), windowMs) - STEPS - 1)
    return keys.total(slot)
  }

  /**
   * Forgets keys whose requests have all left their window: many are addresses, which nothing needs any longer.
   * @returns how many.
   */
  forget(): number {
    let forgotten = 0
    for (const { keys, windowMs } of this.#limits.values()) {
      forgotten += keys.forgetUntil(stepAt(this.now(), windowMs) - STEPS - 1)
    }
    return forgotten
  }

  giveBack({ name }: Limit, key: string): void {
    const keys = this.#limits.get(name)?.keys
    const slot = keys?.knownSlot(key)
    if (keys !== undefined && slot !== undefined) keys.dropLatest(slot)
  }
}

function stepAt(now: number, windowMs: number): number {
  return Math.floor(now / (windowMs / STEPS))
}
