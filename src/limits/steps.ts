import { LRUCache } from 'lru-cache'
import { type Bucket, type Decision, type Limit, STEPS } from './rate-limits.ts'

/** Maximum number of keys, and of steps of all keys; past it, the least recently used key is dropped. */
const MAX_KEYS = 20_000
const MAX_STEPS = 400_000
/** Stands for "no step": they are numbered from 1. */
const NONE = 0

/**
 * Counts per key and step of one limit, with the time of each step’s latest request. Linked lists in arrays of fixed size, so
 * that a flood of addresses neither exhausts memory nor makes much garbage.
 */
export class StepsByKey {
  readonly #at = new Float64Array(MAX_STEPS + 1)
  readonly #count = new Uint32Array(MAX_STEPS + 1)
  readonly #next = new Uint32Array(MAX_STEPS + 1)
  #usedSteps = 0
  #freeStep = NONE

  readonly #first = new Uint32Array(MAX_KEYS + 1)
  readonly #last = new Uint32Array(MAX_KEYS + 1)
  readonly #total = new Uint32Array(MAX_KEYS + 1)
  #usedSlots = 0
  readonly #freeSlots: number[] = []
  readonly #slots = new LRUCache<string, number>({ max: MAX_KEYS, dispose: (slot) => this.#free(slot) })

  /** The slot of a key; a new key may take the slot of another. */
  slotOf(key: string): number {
    const known = this.#slots.get(key)
    if (known !== undefined) return known
    if (this.#slots.size === MAX_KEYS) this.#slots.pop()
    const slot = this.#freeSlots.pop() ?? ++this.#usedSlots
    this.#slots.set(key, slot)
    return slot
  }

  /** The slot of a known key; does not count as a use. */
  knownSlot(key: string): number | undefined {
    return this.#slots.peek(key)
  }

  /** Requests counted for the key. */
  total(slot: number): number {
    return this.#total[slot]!
  }

  /** When the oldest step had its latest request, if there is one. */
  oldest(slot: number): number | undefined {
    const first = this.#first[slot]!
    return first === NONE ? undefined : this.#at[first]
  }

  /** Counts one request, in the step of the latest if it is in the same `stepMs`; times must come in order. */
  add(slot: number, at: number, stepMs: number): void {
    this.#total[slot]! += 1
    const last = this.#last[slot]!
    if (last !== NONE && Math.floor(this.#at[last]! / stepMs) === Math.floor(at / stepMs)) {
      this.#at[last] = at
      this.#count[last]! += 1
      return
    }
    const step = this.#newStep()
    this.#at[step] = at
    this.#count[step] = 1
    this.#next[step] = NONE
    if (last === NONE) this.#first[slot] = step
    else this.#next[last] = step
    this.#last[slot] = step
  }

  /** Drops all steps whose latest request was at this time or before. */
  dropUntil(slot: number, at: number): void {
    for (let step = this.#first[slot]!; step !== NONE && this.#at[step]! <= at; step = this.#first[slot]!) {
      this.#total[slot]! -= this.#count[step]!
      this.#first[slot] = this.#next[step]!
      this.#next[step] = this.#freeStep
      this.#freeStep = step
    }
    if (this.#first[slot] === NONE) this.#last[slot] = NONE
  }

  /**
   * Forgets keys that have had no request after this time, from the least recently used on.
   * @returns how many.
   */
  forgetUntil(at: number): number {
    for (let forgotten = 0; ; forgotten += 1) {
      const [slot] = this.#slots.rvalues()
      if (slot === undefined) return forgotten
      const last = this.#last[slot]!
      if (last !== NONE && this.#at[last]! > at) return forgotten
      this.#slots.pop()
    }
  }

  /** Drops the latest request, if any. */
  dropLatest(slot: number): void {
    const last = this.#last[slot]!
    if (last === NONE) return
    this.#total[slot]! -= 1
    this.#count[last]! -= 1
    if (this.#count[last]! > 0) return
    let before = NONE
    for (let step = this.#first[slot]!; step !== last; step = this.#next[step]!) before = step
    if (before === NONE) this.#first[slot] = NONE
    else this.#next[before] = NONE
    this.#last[slot] = before
    this.#next[last] = this.#freeStep
    this.#freeStep = last
  }

  #newStep(): number {
    // The current key is the most recently used, and never so large that it must evict itself.
    while (this.#freeStep === NONE && this.#usedSteps === MAX_STEPS) this.#slots.pop()
    if (this.#freeStep === NONE) return ++this.#usedSteps
    const step = this.#freeStep
    this.#freeStep = this.#next[step]!
    return step
  }

  #free(slot: number): void {
    this.dropUntil(slot, Number.POSITIVE_INFINITY)
    this.#freeSlots.push(slot)
  }
}

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
   * Forgets keys whose requests have all left their window: many are addresses, which are no longer needed.
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
