import { LRUCache } from 'lru-cache'
import { type Bucket, type Decision, type Limit, STEPS, STEPS_UNTIL_FREE } from './bucket.ts'

/** For each limit; past this many keys the one unused for longest is forgotten (some 40 MB when all are in use). */
const MAX_KEYS = 100_000

interface Steps {
  /** Step numbers and how many passed in each, oldest first. */
  at: number[]
  count: number[]
  total: number
}

/** Buckets in this process's memory, on a monotonic clock. */
export class MemoryBucket implements Bucket {
  readonly #limits = new Map<string, LRUCache<string, Steps>>()

  constructor(readonly now: () => number = () => performance.now()) {}

  take({ name, max, windowMs }: Limit, key: string): Decision {
    const now = this.now()
    const stepMs = windowMs / STEPS
    const step = Math.floor(now / stepMs)
    const steps = this.#stepsOf(name, key)
    dropUntil(steps, step - STEPS - 1)
    const allowed = steps.total < max
    if (allowed) count(steps, step)
    const freeAt = ((steps.at[0] ?? step) + STEPS_UNTIL_FREE) * stepMs
    return {
      allowed,
      remaining: Math.max(0, max - steps.total),
      resetSeconds: Math.max(1, Math.ceil((freeAt - now) / 1000)),
    }
  }

  #stepsOf(name: string, key: string): Steps {
    let keys = this.#limits.get(name)
    if (keys === undefined) this.#limits.set(name, (keys = new LRUCache({ max: MAX_KEYS })))
    let steps = keys.get(key)
    if (steps === undefined) keys.set(key, (steps = { at: [], count: [], total: 0 }))
    return steps
  }
}

function count(steps: Steps, step: number): void {
  if (steps.at.at(-1) === step) steps.count[steps.count.length - 1]! += 1
  else {
    steps.at.push(step)
    steps.count.push(1)
  }
  steps.total += 1
}

function dropUntil(steps: Steps, last: number): void {
  let gone = 0
  while (gone < steps.at.length && steps.at[gone]! <= last) steps.total -= steps.count[gone++]!
  if (gone === 0) return
  steps.at.splice(0, gone)
  steps.count.splice(0, gone)
}
