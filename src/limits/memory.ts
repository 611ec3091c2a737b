import { type Bucket, type Decision, type Limit, STEPS } from './bucket.ts'
import { StepsByKey } from './steps.ts'

/** Counts in memory, on a monotonic clock. */
export class MemoryBucket implements Bucket {
  readonly #limits = new Map<string, { keys: StepsByKey; windowMs: number }>()

  constructor(readonly now: () => number = () => performance.now()) {}

  take({ name, max, windowMs }: Limit, key: string): Decision {
    const now = this.now()
    let counted = this.#limits.get(name)
    if (counted === undefined) this.#limits.set(name, (counted = { keys: new StepsByKey(), windowMs }))
    const { keys } = counted
    const slot = keys.slotOf(key)
    keys.dropUntil(slot, now - windowMs)
    const allowed = keys.total(slot) < max
    if (allowed) keys.add(slot, now, windowMs / STEPS)
    // In this order no rounding makes it longer than the window.
    const waitMs = windowMs - (now - (keys.oldest(slot) ?? now))
    return {
      allowed,
      remaining: Math.max(0, max - keys.total(slot)),
      resetSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
    }
  }

  used({ name, windowMs }: Limit, key: string): number {
    const keys = this.#limits.get(name)?.keys
    const slot = keys?.knownSlot(key)
    if (keys === undefined || slot === undefined) return 0
    keys.dropUntil(slot, this.now() - windowMs)
    return keys.total(slot)
  }

  /**
   * Forgets keys whose requests have all left their window: many are addresses, which nothing needs any longer.
   * @returns how many.
   */
  forget(): number {
    let forgotten = 0
    for (const { keys, windowMs } of this.#limits.values()) {
      forgotten += keys.forgetUntil(this.now() - windowMs)
    }
    return forgotten
  }

  giveBack({ name }: Limit, key: string): void {
    const keys = this.#limits.get(name)?.keys
    const slot = keys?.knownSlot(key)
    if (keys !== undefined && slot !== undefined) keys.dropLatest(slot)
  }
}
